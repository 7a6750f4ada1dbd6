#!/usr/bin/env bash
# What `rules.sh reference` must report, planted in a copy of the page, one fault at a time: a plant that is not reported, or
# reported in other words, fails. The page as it is has none.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

page=docs/specification/reference-functions.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# The plant is what sed makes of the page; what is printed of it must have the words, and the exit code must say so.
expect() { # WORDS SED-SCRIPT
  sed -E "$2" "$page" >"$scratch/page.md"
  if cmp -s "$page" "$scratch/page.md"; then
    printf 'nothing was planted for: %s\n' "$1"
    failed=$((failed + 1))
  elif tests/rules/rules.sh reference "$scratch/page.md" >"$scratch/out" || ! grep -qF -- "$1" "$scratch/out"; then
    printf 'not reported: %s\n' "$1"
    cat "$scratch/out"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
}

if tests/rules/rules.sh reference >"$scratch/out"; then
  passed=1
else
  cat "$scratch/out"
  failed=1
fi
expect "no row for rule L40" '/^\| L40 /d'
expect "a row for a rule that there is not: L9999" 's/^\| L40 .*/&\n| L9999 | `ref_dump_check_registers` | `callgraph` |/'
expect "two rows for rule L40" 's/^\| L40 .*/&\n&/'
expect "rule L40: no function ref_dump_check_nothing in the reference" '/^\| L40 /s/ref_dump_check_registers/ref_dump_check_nothing/'
expect "rule L40: no function tl_diagnose_registers in the reference" '/^\| L40 /s/ref_dump_check_registers/tl_diagnose_registers/'
expect "rule L40: no test at_no_place" '/^\| L40 /s/`callgraph`/`at_no_place`/'
expect "rule L40 names no test that would see its function" 's/^(\| L40 \|[^|]*\|).*/\1 |/'
expect "rule L40 names no function of the reference and does not say why" 's/^\| L40 .*/| L40 | | |/'
expect "rule L40 names no function of the reference and does not say why" 's/^\| L40 .*/| L40 | linker alone | |/'
expect "tests/rules/reference-gaps is not what the rows say" 's/^\| L40 .*/| L40 | not yet: nothing is there | |/'
expect "tests/rules/reference-gaps is not what the rows say" 's/^\| L40 .*/| L40 | not yet looked up | |/'
expect "tests/rules/reference-gaps is not what the rows say" '0,/\| not yet: [^|]*\|/s//| the doubters alone |/'
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
