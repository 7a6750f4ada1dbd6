#!/usr/bin/env bash
# What the tests execute of linker/ and oracle/: ./run coverage builds the preset and calls this.
#
#   coverage.sh BUILD-DIRECTORY RELEASE-DIRECTORY [--floors] [--test NAME]... [--json FILE]
#
#   --floors     the table and the floors, without the pages
#   --test NAME  only this test of ctest, to see what it adds; no floors
#   --json FILE  the figures once more; default BUILD-DIRECTORY/measured/coverage.json
#
# Every test writes counters of its own, which are kept until a source, a test or the corpus changes: a call that was
# stopped goes on where it was, and a second one only prints. nvlink is not asked, so that the figures are those of a
# machine without the toolkit too. Two sums are made: of the tests that do not go through the corpus's jobs, and of all, with
# corpus and fuzzing regressions, whole and changed. Results: measured/table, uncovered (a line a place), html/tests, html/all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD build=$(realpath "$1") release=$(realpath "$2")
shift 2

say() { printf '%s\n' "$*"; }
die() {
  printf 'coverage: %s\n' "$*" >&2
  exit 2
}

# Tests that execute linker or oracle and do not go through the corpus's jobs. Every other test of ctest counts for the
# second sum only, but for those that need nvlink, build programs of their own or try what another one does: a new test takes
# part by itself.
alone=(command-line shapes compare_mutations reference-steps compare_commands damage-truncation unit front builder
  callgraph constants reference_units patch_additions patch_addition relocation_page)
left_out='faults|fault_.*|rules|seeds|independence.*|install|gpu|generator.*|corpus-.*|.*-verify|live.*|patch_proof|damage-bounds'
left_out+='|voters|voters-check|reports|threads|capsule_rules|synthetic' # voters: children that end by _exit count nothing
programs=(bin/twinlink bin/twinlink-ref bin/twin) # whose code is counted: linker, reference, the other doubters

jobs=${TWINLINK_JOBS:-$(nproc 2>/dev/null || echo 2)} floors=0 only=() json=
while (($#)); do
  case $1 in
  --floors) floors=1 && shift && continue ;;
  --test | --json) (($# > 1)) || die "$1 needs a value" ;;
  *) die "no option '$1'" ;;
  esac
  if [[ $1 == --test ]]; then only+=("$2"); else json=$2; fi
  shift 2
done
export TWINLINK_NO_TOOLKIT=1

# One directory a state of everything that a counter depends on; those of other states go.
state=$(git ls-files -z linker oracle tests corpus fuzz tools CMakeLists.txt CMakePresets.json | xargs -0 cat -- 2>/dev/null |
  git hash-object --stdin | cut -c 1-16)
measured=$build/measured profiles=$build/measured/profiles-$state
mkdir -p "$profiles"
find "$measured" -maxdepth 1 -name 'profiles-*' ! -name "profiles-$state" -exec rm -rf {} +

# One test with counters of its own. A test that runs a program as another user must be able to write them, so they are
# made before, by a run of each program.
measure_test() { # NAME
  local name=$1 raw=$profiles/raw-$1 program
  [[ ! -s $profiles/$name.profdata ]] || return 0
  rm -rf "$raw"
  mkdir -p -m 777 "$raw"
  export LLVM_PROFILE_FILE=$raw/%m.profraw
  for program in "${programs[@]}"; do "$build/$program" --version >/dev/null 2>&1 </dev/null || true; done
  chmod a+rw "$raw"/*
  rm -f "$profiles/$name.failed"
  ctest --test-dir "$build" -R "^$name\$" --no-tests=error --output-on-failure >"$profiles/$name.log" 2>&1 </dev/null ||
    mv "$profiles/$name.log" "$profiles/$name.failed"
  llvm-profdata-19 merge -sparse -o "$profiles/$name.new" "$raw"/*.profraw
  rm -rf "$raw"
  mv "$profiles/$name.new" "$profiles/$name.profdata"
}

measure_tests() {
  local name running=0
  for name in "$@"; do
    measure_test "$name" &
    running=$((running + 1))
    if ((running >= jobs)); then
      wait -n || die "a test could not be measured"
      running=$((running - 1))
    fi
  done
  while ((running > 0)); do
    wait -n || die "a test could not be measured"
    running=$((running - 1))
  done
}

# Trace and summary of one sum. A source that several programs hold is taken from the first.
export_sum() { # SUM TEST...
  local sum=$1 program part=0
  shift
  llvm-profdata-19 merge -sparse -o "$measured/$sum.profdata" "${@/#/$profiles/}"
  rm -f "$measured/$sum".{info,json}.*
  for program in "${programs[@]}"; do
    llvm-cov-19 export -format=lcov -instr-profile "$measured/$sum.profdata" "$build/$program" \
      >"$measured/$sum.info.$part" 2>"$measured/export.log" || die "llvm-cov: $(<"$measured/export.log")"
    llvm-cov-19 export -summary-only -show-mcdc-summary -instr-profile "$measured/$sum.profdata" "$build/$program" \
      >"$measured/$sum.json.$part" 2>"$measured/export.log" || die "llvm-cov: $(<"$measured/export.log")"
    part=$((part + 1))
  done
  awk '/^SF:/ {
         match($0, /(linker|oracle)\/([a-z_]+\/)?[a-z_]+\.[ch]$/)
         path = RSTART ? substr($0, RSTART) : ""
         shown = path != "" && !seen[path]++
         if (shown) print "SF:" path
         next
       }
       shown' "$measured/$sum".info.* >"$measured/$sum.info"
}

# The tests of this build, the longest first as far as they are known.
list_tests() {
  ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p' | grep -vxE "$left_out" |
    awk 'BEGIN { split("sweep printed check-map reference-default canonical grouping", first) }
      { name[$1] = 1; order[NR] = $1 }
      END {
        for (i = 1; i in first; i++) if (first[i] in name) { print first[i]; delete name[first[i]] }
        for (i = 1; i <= NR; i++) if (order[i] in name) print order[i]
      }'
}

begin=$SECONDS
mapfile -t all < <(list_tests)
for name in "${alone[@]}"; do
  [[ " ${all[*]} " == *" $name "* ]] || die "there is no test $name; coverage.sh has a list"
done
((${#only[@]} == 0)) || all=("${only[@]}")
say "Measuring ${#all[@]} tests, $(find "$profiles" -name '*.profdata' | wc -l) of them measured before ..."
measure_tests "${all[@]}"
git ls-files 'linker/*.c' 'oracle/*.c' >"$measured/sources"
options=(--sources "$measured/sources" --root "$root")
add_sum() { # SUM PREFIX
  local part
  options+=("--$2trace" "$measured/$1.info")
  for part in "$measured/$1".json.*; do options+=("--$2conditions" "$part"); done
}
export_sum all "${all[@]/%/.profdata}"
add_sum all ''
if ((${#only[@]} == 0)); then
  export_sum tests "${alone[@]/%/.profdata}"
  add_sum tests tests-
  options+=(--unreachable coverage/unreachable --floors coverage/floors)
fi
code=0
"$release/bin/twin" coverage "${options[@]}" --list "$measured/uncovered" --json "${json:-$measured/coverage.json}" |
  tee "$measured/table" || code=$?
say "Uncovered places, with reasons: ${measured#"$root/"}/uncovered. Tests took $((SECONDS - begin)) s."
if ((!floors && ${#only[@]} == 0)); then
  for sum in tests all; do
    genhtml --quiet --branch-coverage --title "twinlink, $sum" --output-directory "$build/html/$sum" "$measured/$sum.info" \
      >"$measured/genhtml.log" 2>&1 || die "genhtml: $(tail -n 3 "$measured/genhtml.log")"
  done
  say "Pages: ${build#"$root/"}/html/all/index.html, and html/tests for the tests alone"
fi
failed=()
for name in "${all[@]}"; do [[ ! -e $profiles/$name.failed ]] || failed+=("$name"); done
if ((${#failed[@]})); then
  say "FAILED in this build: ${failed[*]} (${profiles#"$root/"}/NAME.failed)"
  code=1
fi
exit "$code"
