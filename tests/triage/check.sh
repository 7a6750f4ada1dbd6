#!/usr/bin/env bash
# twin triage: findings of one mistake are one cause, whatever stack they came by; of another mistake another; what does not
# start is no finding. `check.sh TWIN`; the last line counts.
set -uo pipefail
twin=$(realpath "$1") source=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
# shellcheck source=tests/support/is.sh
. "$source/../support/is.sh"

mkdir -p linker/base programs findings
cp "$source/target.c" linker/base/planted.c
if ! "${CC:-gcc}" -g -O0 -fsanitize=address,undefined -fno-sanitize-recover=all -o programs/fuzz_one linker/base/planted.c; then
  printf '0 passed, 1 failed, 0 skipped\n'
  exit 1
fi
cp programs/fuzz_one programs/fuzz_two
printf '#!/bin/sh\nexit 1\n' >programs/fuzz_broken
chmod +x programs/fuzz_broken
printf 'page.md:3\tL1 L2\tother_function planted_read\tdamage-outcomes\npage.md:9\tL3\tplanted_reader\tunit\n' >rules

put() { # NAME BYTES
  printf '%s' "$2" >"findings/$1"
}

# Long enough that no report of a sanitizer on a busy machine is a hang; one finding hangs.
triage() { # WANTED-CODE
  code=0
  "$twin" triage --programs programs --rules rules --json causes --seconds 15 findings >out 2>&1 </dev/null || code=$?
  is "exit code" "$1" "$code"
}

causes() { awk '/^ *[0-9]+  / { print $1 }' out | paste -sd ' '; }
with() { grep -cF -- "$1" out; }

# Three inputs, two callers, one place: one cause, with its rules. Two sizes: the smaller one is named.
put one-crash-1 aaaa
put one-crash-2 b
put two-crash-3 cc
triage 1
is "one place is one cause" 3 "$(causes)"
is "its place" 1 "$(with 'heap-buffer-overflow, in planted_read (linker/base/planted.c)')"
is "its rules, by the whole name" 1 "$(with 'rules: L1 L2')"
is "no rule of a longer name" 0 "$(with L3)"
is "its targets" 1 "$(with 'targets: one two')"
is "the smallest" 1 "$(with 'smallest: findings/one-crash-2, 1 bytes')"

# Other mistakes are other causes; what a campaign wrote beside a finding is none.
put one-crash-4 u
put one-crash-5 s
put one-crash-6 k
put one-crash-7 f
put one-crash-8 ff
put one-crash-9 none
put one-crash-7.cause 'one: words'
put one-timeout-1 t
triage 1
is "causes, the most frequent first" "3 2 1 1 1 1" "$(causes)"
is "the signal of nobody's" 1 "$(with '  signal 9')"
is "what the target says" 1 "$(with '  linker refuses (E21), the reference links')"
is "undefined behaviour" 1 "$(with 'signed integer overflow, in planted_sum')"
is "an assertion" 1 "$(with "Assertion \`kind != 's'' failed., in main (linker/base/planted.c)")"
is "a hang" 1 "$(with '  timeout')"
is "the count" 1 "$(with '6 causes; 1 findings show nothing now, 0 were not judged')"
is "the causes for programs" 6 "$(grep -c '"what"' causes)"

# A target that fails on an empty input, one that is not there, and a name without a target say nothing of linkers.
put broken-crash-1 a
put absent-crash-1 a
put nameless a
triage 2
is "what does not start is no cause" 1 "$(with '6 causes; 1 findings show nothing now, 3 were not judged')"
is "and is named" 1 "$(with 'not judged: findings/broken-crash-1')"

# Nothing found is 0, and a mistake of the command is no answer.
rm findings/*
put one-crash-9 none
triage 0
"$twin" triage --seconds 0 findings >out 2>&1 && code=0 || code=$?
is "usage" "2 1" "$code $(with 'usage: ')"

printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
