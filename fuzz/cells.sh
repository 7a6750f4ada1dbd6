#!/usr/bin/env bash
# The counters of cells: what the rules leave out is what fuzz/cells-unreachable says, an input that is linked is counted, and
# a count that contradicts a rule is an error. `cells.sh FUZZ_CELLS FUZZ_RELOCATIONS`; the last line counts.
set -uo pipefail
source=$(dirname "$(realpath "$0")") cells=$1 relocations=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/support/is.sh
. "$source/../tests/support/is.sh"

code_of() { "$@" >"$work/out" 2>&1 && printf 0 || printf '%s' $?; }
reached() { awk '/^cells of R_CUDA types/ { print ($5 > 0) }' "$work/out"; }

is "what the rules leave out" "" "$("$cells" --unreachable | diff "$source/cells-unreachable" -)"
is "nothing reached" 0 "$(code_of "$cells" "$work/none")"
is "no cell" 0 "$(reached)"
TWIN_FUZZ_CELLS=$work/some "$relocations" "$source/seeds/links" >/dev/null 2>&1
is "seeds contradict no rule" 0 "$(code_of "$cells" "$work/some")"
is "seeds reach cells" 1 "$(reached)"
cp "$work/some" "$work/wrong"
printf '\001' | dd of="$work/wrong" bs=1 seek=8 conv=notrunc 2>/dev/null # type 1 against what is dead, in a kernel
is "a count against a rule" 1 "$(code_of "$cells" "$work/wrong")"
is "is named" 1 "$(grep -c 'reached against the rule: type 0x1, executable, dead, in kernel: ' "$work/out")"
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
