#!/usr/bin/env bash
# The planter of faults checked itself: the draw is the same each time and holds every kind; a fault planted by hand is
# found, one that cannot show is not, one that is no other program is known as such; a fault in the reference is found too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

check() { # WHAT, FOUND, WANTED
  if [[ $2 == "$3" ]]; then
    passed=$((passed + 1))
  else
    printf '%s: %s instead of %s\n' "$1" "$2" "$3"
    failed=$((failed + 1))
  fi
}

draw() { build/release/tests/bin/fault_draw rows "$1" 0 200 linker/link.c linker/plan/plan.c linker/merge/*.c; }
draw 7 >"$scratch/first"
draw 7 >"$scratch/second"
draw 8 >"$scratch/other"
check "one seed, two draws" "$(cmp "$scratch/first" "$scratch/second" 2>&1)" ""
check "two seeds differ" "$(cmp -s "$scratch/first" "$scratch/other" && printf same || printf other)" other
check "kinds drawn" "$(cut -f4 "$scratch/first" | sort -u | wc -l)" 5

# Arguments whose order does not count are not swapped, as the sides of == are not; those of a comparison by size are.
cat >"$scratch/order.c" <<'END'
int order(const char *a, const char *b) {
  int r = strcmp(a, b) == 0;
  r += !memcmp(a, b, 4);
  r += strcmp(c, d) < 0;
  r += tl_larger(a, b);
  r += other(e, f);
  return r;
}
END
swaps=$(for seed in 1 2 3 4 5 6 7 8; do build/release/tests/bin/fault_draw rows "$seed" 0 5 "$scratch/order.c"; done |
  awk -F'\t' '$4 == "swapped operand" { print $5 }' | LC_ALL=C sort -u | paste -sd' ')
check "operands swapped" "$swaps" "b, 4 c, d e, f strcmp(c, d) < 0"

verdicts() { # ROOM OPTION...: of the faults in $scratch/plants
  local room=$1
  shift
  tests/faults/faults.sh --in "$room" --plants "$scratch/plants" --program-count 0 --others 30 "$@" \
    >"$scratch/report" 2>&1 || true
  awk '$2 ~ /^(found|equivalent|missed)$/ { printf "%s%s", space, $2; space = " " }' "$scratch/report"
}

plant() { printf '%s\t%s\t%s\n' "$@" >>"$scratch/plants"; }
plant linker/relocate/patch.c '(bytes[at / 8] & ~mask) | bits' 'bytes[at / 8] | ~bits'
plant linker/link.c '(uint64_t)1 << 20' '(uint64_t)1 << 19'
plant linker/link.c 'return !s->diagnostics->errors' 'return s->diagnostics->errors == 0'
plant linker/catalog/option_rows.h '"output-file",               "o"' '"output-file",               "O"'
plant linker/merge/resolve.c 'for (size_t i = 0; i < names->list.count; i++)' 'for (size_t i = 0; i <= names->list.count; i++)'
plant linker/explain/map.c '(uint64_t)i + 1, plan->section_offset' '(uint64_t)i + 2, plan->section_offset'
check "faults in the linker" "$(verdicts linker --only cuda/calls)" "found equivalent equivalent found found found"
check "the cause of the last" "$(grep -c 'twin check --map: cuda/calls' "$scratch/report")" 1
check "the cause of the first" "$(grep -c 'disagrees: cuda/calls' "$scratch/report")" 2
check "the cause of the fifth" "$(grep -c 'crashes: cuda/calls' "$scratch/report")" 1
check "the cause of the third" "$(grep -c 'the object code is equal' "$scratch/report")" 1

rm -f "$scratch/plants"
plant oracle/reference/write.c 'SECTION_BYTES = 64' 'SECTION_BYTES = 65'
plant oracle/reference/callgraph.c 'callers.open[i] = function->callees.count;' 'callers.open[i + 1] = callers.open[i] = function->callees.count;'
check "faults in the reference, one of them a write one too far" "$(verdicts reference --only cuda/calls)" "found found"
rm -f "$scratch/plants"
plant linker/layout/unified.c 'unified_refuse(module, module->stubs.items[0], "an entry' '(void)(module->stubs.items[0], "an entry'
plant linker/write/reproduce.c "'0' + (value & 7)" "'0' + (value & 6)"
plant linker/input/content.c 'found = tl_content_elf_find_section(bytes, size, 0, "__nv_relfatbin") &&' 'found = true &&'
plant linker/emit/demangle.c '"param#%s", decimal(r, read_sequence(r, 10) + 1)' '"param#%s", decimal(r, read_sequence(r, 10) + 2)'
check "faults that only generated inputs show" "$(verdicts linker --inputs 25)" "found found found found"
check "found by linking an archive again" "$(grep -q 'linked again: ' "$scratch/report" && echo some)" some
check "found by a neighbour" "$(grep -q ': near ' "$scratch/report" && echo some)" some
check "found by other words" "$(grep -q ': form ' "$scratch/report" && echo some)" some

# Draws by number, as fuzz.sh asks for them; the others are not built.
tests/faults/faults.sh --in sources --seed 7 --numbers 2,5,6 --only cuda/calls --program-count 0 --others 10 --require 0 \
  --verdicts "$scratch/verdicts" >"$scratch/report" 2>&1 || true
check "draws by number, those that make a program" "$(cut -f1 "$scratch/verdicts" | grep -cxE '2|5|6')" "$(wc -l <"$scratch/verdicts")"
check "some of them do" "$( (($(wc -l <"$scratch/verdicts") > 0)) && echo some)" some

# The figures of a record of the fuzzers: what the hunt finds equivalent is none of them, unless a way has found it.
{
  printf '# commit none state none seed 1 each 120\n'
  printf '%s\t%s\t%s\t0\t-\n' 1 replay found 2 fast missed 3 fast missed 4 fast missed 5 fast missed 2 fuzz found 3 fuzz missed \
    4 fuzz missed 5 fuzz missed 2 empty missed 3 empty missed 4 empty missed 5 empty found 2 replay missed 3 replay missed \
    4 replay missed 5 replay missed 3 judge equivalent 4 judge missed 5 judge equivalent
} >"$scratch/record"
tests/faults/fuzz.sh --sum "$scratch/record" >"$scratch/sum"
check "found by replay" "$(grep -c 'the corpus: 1 of 4, 25 %' "$scratch/sum")" 1
check "found by fuzzing" "$(grep -c 'from the seeds: 1 of 3, 33 %' "$scratch/sum")" 1
check "found from nothing" "$(grep -c 'empty corpus: 1 of 3, 33 %' "$scratch/sum")" 1
check "equivalent" "$(grep -c 'equivalent by the hunt 1' "$scratch/sum")" 1
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
