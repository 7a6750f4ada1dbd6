#!/usr/bin/env bash
# The contract of OSS-Fuzz on this machine: fuzz/oss-fuzz/build.sh with the variables that its images set, then what their
# check_build looks for. ./run fuzz --contract calls it.
#
#   contract.sh DIRECTORY      builds into DIRECTORY/out, checks
#   contract.sh --check OUT    checks what a build left in OUT
#   contract.sh --lists        that each target stands in the lists that name targets; builds nothing
#
# Every target of fuzz/targets is there, starts, takes its zipped seeds without a finding, and has options whose dictionary
# is one that the engine reads. Prints a line a target; the exit code is 1 when one fails.
set -euo pipefail
source=$(dirname "$(dirname "$(realpath "$0")")")
failed=0

fail() {
  printf 'contract: %s\n' "$*"
  failed=1
}

build_into() { # DIRECTORY
  mkdir -p "$1/src" "$1/work" "$1/out"
  ln -sfn "$source" "$1/src/twinlink"
  local before flags="-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address,undefined"
  flags+=" -fno-sanitize-recover=undefined -fsanitize=fuzzer-no-link"
  before=$(git -C "$source" status --porcelain)
  SRC=$(realpath "$1/src") WORK=$(realpath "$1/work") OUT=$(realpath "$1/out") CC=clang-19 CXX=clang++-19 CFLAGS=$flags \
    CXXFLAGS=$flags LIB_FUZZING_ENGINE=-fsanitize=fuzzer bash -eu "$source/fuzz/oss-fuzz/build.sh" >"$1/log" 2>&1 || {
    tail -n 20 "$1/log"
    fail "the build failed; its whole output is in $1/log"
    return
  }
  [[ $before == "$(git -C "$source" status --porcelain)" ]] || fail "the build wrote into the source"
}

# The options file names a dictionary that is there, and nothing that the engine does not know.
check_options() { # OUT NAME
  local key value
  [[ $(head -n 1 "$1/$2.options") == "[libfuzzer]" ]] || fail "$2.options does not begin with [libfuzzer]"
  while IFS='= ' read -r key value; do
    case $key in
    max_len | timeout) [[ $value =~ ^[0-9]+$ ]] || fail "$2.options: $key is '$value'" ;;
    entropic | use_counters) [[ $value =~ ^[01]$ ]] || fail "$2.options: $key is '$value'" ;;
    dict) [[ -s $1/$value ]] || fail "$2.options names the dictionary $value, which is not there or empty" ;;
    *) fail "$2.options: no option '$key'" ;;
    esac
  done < <(tail -n +2 "$1/$2.options")
}

check_target() { # OUT NAME
  local out=$1 name=$2 seeds words=() count
  [[ -x $out/$name ]] || { fail "no program $name" && return; }
  [[ -s $out/$name.options ]] || { fail "no $name.options" && return; }
  check_options "$out" "$name"
  seeds=$(mktemp -d)
  (cd "$seeds" && cmake -E tar xf "$out/${name}_seed_corpus.zip") || fail "${name}_seed_corpus.zip cannot be read"
  count=$(find "$seeds" -type f | wc -l)
  ((count)) || fail "${name}_seed_corpus.zip is empty"
  while IFS='= ' read -r key value; do
    [[ $key == dict ]] && words+=("-dict=$out/$value") || true
  done <"$out/$name.options"
  mkdir "$seeds/found"
  if TWIN_FUZZ_FINDINGS=$seeds/found "$out/$name" "${words[@]}" -runs=200 -seed=1 -timeout=60 -artifact_prefix="$seeds/" \
    "$seeds/seeds" >"$seeds/log" 2>&1 </dev/null; then
    printf '  %-20s %3d seeds, %s\n' "$name" "$count" "$(grep -aoE 'cov: [0-9]+' "$seeds/log" | tail -n 1)"
  else
    tail -n 5 "$seeds/log"
    fail "$name does not run on its seeds"
  fi
  grep -aqE 'cov: [1-9]' "$seeds/log" || fail "$name counts no coverage"
  rm -rf "$seeds"
}

# fuzz/runs, the page's table and the CMake file have each target; the two fleets build with the same script.
check_lists() {
  local file name
  for file in "$source"/fuzz/targets/*.c; do
    name=$(basename "$file" .c)
    grep -qE "^$name [1-9][0-9]* [1-9][0-9]*$" "$source/fuzz/runs" || fail "fuzz/runs has no row for $name"
    grep -qF "| \`$name\` |" "$source/docs/fuzzing.md" || fail "docs/fuzzing.md has no row for $name"
    grep -qE "^twinlink_add_fuzz_target\($name[ )]" "$source/fuzz/CMakeLists.txt" || fail "no target $name is built"
    (($(wc -l <"$file") <= 150)) || fail "$name is not thin: over 150 lines"
  done
  while read -r name _; do
    [[ $name == '#' || -e $source/fuzz/targets/$name.c ]] || fail "fuzz/runs: no target $name"
  done <"$source/fuzz/runs"
  for file in "$source"/fuzz/oss-fuzz/build.sh "$source"/.clusterfuzzlite/build.sh; do
    bash -n "$file" || fail "$file is no script"
  done
  grep -qF fuzz/oss-fuzz/build.sh "$source/.clusterfuzzlite/build.sh" || fail "ClusterFuzzLite builds something else"
}

if [[ ${1:-} == --lists ]]; then
  check_lists
  exit "$failed"
fi
if [[ ${1:-} == --check ]]; then
  out=$(realpath "$2")
else
  build_into "$1"
  out=$(realpath "$1/out")
fi
for file in "$source"/fuzz/targets/*.c; do
  check_target "$out" "fuzz_$(basename "$file" .c)"
done
for program in "$out"/fuzz_*; do
  [[ ! -x $program || -e $source/fuzz/targets/$(basename "${program#*/fuzz_}" | sed 's/^fuzz_//').c ]] || fail "$program is no target"
done
exit "$failed"
