#!/usr/bin/env bash
# check.sh GPU TWINLINK CORPUS FAKE: the descriptions, and `gpu run` with no driver, no device, a driver that answers, and one
# whose memory is never twice the same. The corpus for the runs is the programs that have a description.
set -euo pipefail
gpu=$1 twinlink=$2 corpus=$3 fake=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "FAILED: $*"
  exit 1
}

"$gpu" check "$corpus" || fail "a launch description is wrong"

small=$scratch/corpus
for description in "$corpus"/*/*/launch; do
  program=${description%/launch}
  mkdir -p "$small/$(basename "${program%/*}")"
  cp -r "$program" "$small/$(basename "${program%/*}")/"
done
jobs=$(find "$small/cuda" "$small/vendor-defects" -name expect.cubin | wc -l)
fit=$(find "$small/cuda" "$small/vendor-defects" -path '*/sm_90*/*' -name expect.cubin | wc -l)
((jobs && fit)) || fail "no job to run"

run() { # EXPECTED-LAST-LINE EXPECTED-CODE NAME=VALUE...
  local wanted=$1 code=$2 got=0
  shift 2
  env "$@" "$gpu" run "$twinlink" "$small" >"$scratch/said" 2>&1 || got=$?
  if [[ $got != "$code" ]] || ! tail -1 "$scratch/said" | grep -qE "^$wanted\$"; then
    cat "$scratch/said"
    fail "$*: exit code $got instead of $code, or not '$wanted'"
  fi
}

run "0 passed, 0 failed, $jobs skipped" 0 TWINLINK_CUDA_DRIVER="$scratch/none.so"
run "0 passed, 0 failed, $jobs skipped" 0 TWINLINK_CUDA_DRIVER="$fake" FAKE_DRIVER_EMPTY=1
run "$fit passed, 0 failed, $((jobs - fit)) skipped" 0 TWINLINK_CUDA_DRIVER="$fake"
grep -q 'common_alignment/sm_90/defect: default: exit code 0' "$scratch/said" || fail "a row of class R leaves no trace"
run "0 passed, $fit failed, $((jobs - fit)) skipped" 1 TWINLINK_CUDA_DRIVER="$fake" FAKE_DRIVER_FAULT=1

# A description that does not fit its kernel is found.
echo "run 1 1 0 i32:7 i64:5 f64:2.5" >"$small/cuda/switches/launch"
"$gpu" check "$small" >/dev/null && fail "a kernel that is not there was accepted"
for line in "k" "k 0 1 0" "k 1 2000 0" "k 1 1 0 buffer:3" "k 1 1 0 pointers:12" "k 1 1 0 i16:1" "k 1 1 x"; do
  echo "$line" >"$small/cuda/switches/launch"
  "$gpu" check "$small" >/dev/null && fail "'$line' was accepted"
done
echo "1 passed, 0 failed, 0 skipped"
