#!/usr/bin/env bash
# What sweep is meant to find is planted, a fault at a time: it must fail, and say which.
#
#   plants.sh SWEEP CORPUS
set -uo pipefail
sweep=$1 corpus=$2 passed=0 failed=0
ulimit -c 0

# PLANT|what the output must say
plants=(
  "none|"
  "crash|FAILED: seed 1: a signal"
  "hang|FAILED: seed 1: no end"
  "image|: an image beside an error"
  "leak|: memory is not given back"
  "threads|: threads or memory change the answer"
  "other|1 failed, 0 skipped"
)
for plant in "${plants[@]}"; do
  code=0
  output=$("$sweep" "$corpus" 1000 1 "${plant%%|*}" 2>&1) || code=$?
  words=${plant#*|}
  if { [[ -z $words ]] && ((code == 0)); } || { [[ -n $words ]] && ((code != 0)) && [[ $output == *"$words"* ]]; }; then
    passed=$((passed + 1))
  else
    printf '%s\nFAILED: plant %s: exit code %s, without "%s"\n' "$output" "${plant%%|*}" "$code" "$words"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed, 0 skipped"
((failed == 0))
