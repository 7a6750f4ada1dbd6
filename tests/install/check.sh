#!/usr/bin/env bash
# What `cmake --install` puts down works by itself: the programs run, and a program of three lines finds the header and
# the library and links nothing into an error.
#
#   check.sh BUILD-DIRECTORY C-COMPILER SOURCE-FILE
set -euo pipefail
build=$1 compiler=$2 source=$3
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

check() {
  if "$@" >"$scratch/output" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $*"
    cat "$scratch/output"
  fi
}

check cmake --install "$build" --prefix "$scratch/root"
check "$scratch/root/bin/twinlink" -V
check "$scratch/root/bin/twin" help
mapfile -t library < <(find "$scratch/root" -name 'libtwinlink.a')
check test "${#library[@]}" = 1
check "$compiler" -std=c17 -Wall -Wextra -Werror -I "$scratch/root/include" "$source" -o "$scratch/program" \
  "${library[@]}" -lpthread
check "$scratch/program"
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
