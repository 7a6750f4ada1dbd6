#!/usr/bin/env bash
# AFL++ on the target `differential` for some seconds, from the same sources and with the same mutator as libFuzzer: afl.sh
# SECONDS. It fails when AFL++ kept a crash or a hang, or executed nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=$1 out=build/afl-out
cmake --preset afl >/dev/null
cmake --build --preset afl >build/afl.log 2>&1 || { tail -n 20 build/afl.log && exit 1; }
rm -rf "$out"
export AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/build/release/fuzz/libtwinmutator.so TWIN_FUZZ_FINDINGS=$PWD/build/afl-found
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1
mkdir -p "$TWIN_FUZZ_FINDINGS"
afl-fuzz -V "$seconds" -t 30000 -m none -i fuzz/seeds/links -o "$out" build/afl/fuzz/fuzz_differential >"build/afl-fuzz.log" 2>&1 </dev/null ||
  { tail -n 20 build/afl-fuzz.log && exit 1; }
stats=$out/default/fuzzer_stats
awk -F' *: *' '
  $1 == "execs_done" { executions = $2 } $1 == "saved_crashes" { crashes = $2 } $1 == "saved_hangs" { hangs = $2 }
  END {
    printf "AFL++: %d executions, %d crashes, %d hangs\n", executions, crashes, hangs
    exit executions == 0 || crashes + hangs > 0
  }' "$stats"
