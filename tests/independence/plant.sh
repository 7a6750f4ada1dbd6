#!/usr/bin/env bash
# The checks of independence, seen to fail: a header of the linker that the oracle includes, a symbol of the linker that it
# calls, a function of the linker that it copies and renames, each planted in a copy of the two rooms.
#
#   plant.sh SOURCE-DIRECTORY RUNS-PROGRAM
set -euo pipefail
source=$(realpath "$1") runs=$2 here=$(dirname "$(realpath "$0")")
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/linker" "$source/oracle" "$work/"

found() { # NAME TEXT COMMAND...: the command fails and says the text
  local name=$1 text=$2 said=''
  shift 2
  if said=$("$@" 2>&1) || [[ $said != *"$text"* ]]; then
    printf '%s is not found:\n%s\n' "$name" "$said"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
}

# One object of oracle/, built by ninja from the text on standard input, with ninja's record of what it read.
build() { # DIRECTORY
  mkdir -p "$1"
  cat >"$work/oracle/planted.c"
  printf '%s\n' 'rule cc' '  command = cc -std=c17 -I'"$work"'/linker -MD -MF $out.d -c $in -o $out' '  depfile = $out.d' \
    '  deps = gcc' 'build oracle/planted.c.o: cc ../oracle/planted.c' >"$1/build.ninja"
  mkdir -p "$1/linker"
  ninja -C "$1" >"$1/log" || cat "$1/log"
}

build "$work/header" <<<'#include "relocate/patch.h"
int planted;'
found "a borrowed header" "oracle/ reads files of other rooms:
oracle/planted.c.o:	linker/relocate/patch.h" "$here/check.sh" "$work" "$work/header"

build "$work/symbol" <<<'int tl_link(void);
int planted(void) { return tl_link(); }'
found "a borrowed function" "oracle/ has symbols of linker/:
$work/symbol/oracle/planted.c.o:                 U tl_link" "$here/check.sh" "$work" "$work/symbol"

# The copy has other names for everything, other numbers and other comments.
sed -E 's/\btl_/ref_/g; s/\bbytes\b/octets/g; s/\bvalue\b/amount/g; s/\b8\b/16/g; s/\/\*.*\*\///' \
  "$source/linker/relocate/patch.c" >"$work/oracle/planted.c"
found "a copied function" "$work/linker/relocate/patch.c" "$here/runs.sh" "$runs" "$work"
rm "$work/oracle/planted.c"

printf '%s\n' 'linker/main.c oracle/reference/main.c 60 planted' >"$work/known"
cat "$here/known-runs" >>"$work/known"
found "a row of known-runs that is not there" "linker/main.c oracle/reference/main.c" \
  env KNOWN_RUNS="$work/known" "$here/runs.sh" "$runs" "$work"

printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
