#!/usr/bin/env bash
# How many inputs of a campaign reached each rule of docs/specification, out of the counts of fuzz/rules.c:
#
#   rules.sh BUILD-DIRECTORY STATE-DIRECTORY
#
# STATE/rules.d/TARGET holds a count for each counter of fuzz_TARGET. A counter stands in the functions that its address has
# in the debug information, inlined ones too; a function was reached as often as its most frequent counter, and a rule as
# often as the least reached of its functions (docs/specification names them, tests/rules/read.awk reads them). Writes
# STATE/rules.counts (inputs, rules, functions a line) and STATE/rules.unreached, and prints how many there are. Rules whose
# functions have no counter (folded into others, or not part of the linkers) are counted apart.
set -euo pipefail
build=$1 state=$2 source=$(dirname "$(realpath "$0")")
symbolizer=$(command -v llvm-symbolizer-19 || command -v llvm-symbolizer || ls /usr/lib/llvm-19/bin/llvm-symbolizer 2>/dev/null) || {
  echo "rules: not counted, llvm-symbolizer is missing"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "ADDRESS INPUTS" a counter; the highest bit marks an entry.
places_of() { od -An -v -tu4 -w8 "$1" | awk '{ place = $1 + 0; if (place >= 2147483648) place -= 2147483648; printf "%d %d\n", place, $2 }'; }

# "FUNCTION INPUTS" for every function of a target.
functions_of() { # TARGET
  local names=$work/names
  places_of "$state/rules.d/$1" >"$work/places"
  awk '{ printf "0x%x\n", $1 }' "$work/places" |
    "$symbolizer" --obj="$build/fuzz/fuzz_$1" --inlines --functions=linkage >"$names"
  awk 'NR == FNR { inputs[FNR] = $2; next }
    FNR == 1 { at = 1; line = 0 }
    $0 == "" { at++; line = 0; next }
    ++line % 2 { if (!($0 in most) || inputs[at] > most[$0]) most[$0] = inputs[at] }
    END { for (name in most) print name, most[name] }' "$work/places" "$names"
}

: >"$work/functions"
for file in "$state"/rules.d/*; do
  [[ -s $file && -x $build/fuzz/fuzz_${file##*/} ]] && functions_of "${file##*/}" >>"$work/functions"
done
(cd "$source/.." && awk -f tests/rules/read.awk docs/specification/*.md) >"$work/rules"
awk -F '\t' -v countsfile="$state/rules.counts" -v unreachedfile="$state/rules.unreached" '
  NR == FNR { split($0, word, " "); inputs[word[1]] += word[2]; next }
  $3 == "-" { next }
  {
    all++
    count = split($3, functions, " ")
    least = -1
    missed = ""
    for (i = 1; i <= count; i++)
      if (functions[i] in inputs) {
        reached = inputs[functions[i]]
        if (least < 0 || reached < least) least = reached
        if (reached == 0) missed = missed " " functions[i]
      }
    if (least < 0) { without++; next }
    counted++
    if (least) hit++
    printf "%d\t%s\t%s\n", least, $2, $3 >countsfile
    if (missed != "") printf "%s\t%s\t%s\n", $2, substr(missed, 2), $1 >unreachedfile
  }
  BEGIN { printf "" >countsfile; printf "" >unreachedfile }
  END {
    printf "rules whose functions inputs reached: %d of %d, %.1f %% (%d more have no counter of their own)\n", hit, counted,
      counted ? 100 * hit / counted : 0, without
  }' "$work/functions" "$work/rules"
sort -n -o "$state/rules.counts" "$state/rules.counts"
echo "rules that no input reached: $state/rules.unreached; inputs a rule: $state/rules.counts"
