#!/usr/bin/env bash
# The additions of REL, proved by z3 (addition.cc writes the questions): no numbers for which the linker's source differs
# from an adder that goes bit by bit; for every planted fault there are some, or the source is no term any more.
#
#   addition.sh PROGRAM
set -euo pipefail
if ! command -v z3 >/dev/null; then
  echo "z3 is not installed: additions.c tries a million random numbers in its place"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
"$1" | z3 -in | awk '
  /^unsat$/ { same++; next }
  /^sat$/ { other++; next }
  /: asked$|: a condition/ {
    is_engine = /^engine: /
    good = is_engine ? (same > 10 && other == 0 && /: asked$/) : (other > 0 || /: a condition/)
    printf "%s: %d parts proved, %d not (%s)\n", $0, same, other, good ? "as it should be" : "WRONG"
    if (good) passed++; else failed++
    seen++; same = other = 0
    next
  }
  { print "z3: " $0; failed++ }
  END {
    if (seen != 6) { print "questions without an answer"; failed++ }
    printf "%d passed, %d failed, 0 skipped\n", passed, failed
    exit failed != 0
  }'
