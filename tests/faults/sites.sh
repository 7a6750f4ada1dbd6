#!/usr/bin/env bash
# Where faults lie in a binary: `sites.sh BINARY FAULTS` prints lines "NUMBER ADDRESS", the addresses of basic blocks (behind
# their call of __sanitizer_cov_trace_pc) of which at least one is executed before a fault can have an effect. FAULTS are
# rows of fault_draw. A fault in a function lies in the blocks that begin in its line and in those that begin in the nearest
# line before; one in a static table of a function in all of its blocks. For one outside of functions, or in a header,
# nothing is printed. All blocks of the fault's function stand under NUMBER + 1000000 (HUNT_FUNCTION) once more.
#
# `sites.sh --lines BINARY EXECUTED` prints "FILE:LINE FUNCTION" of every block whose address is not in EXECUTED.
set -euo pipefail
lines=
if [[ $1 == --lines ]]; then
  lines=1
  shift
fi
binary=$1 faults=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# "FILE<TAB>LINE<TAB>ADDRESS<TAB>FUNCTION" of each block.
objdump -d --no-show-raw-insn "$binary" |
  awk '/^[0-9a-f]+ </ { function_name = $2 } called { sub(/:$/, "", $1); print "0x" $1; called = 0 }
       /call .*__sanitizer_cov_trace_pc/ { called = 1 }' >"$scratch/addresses"
# The line is that of the call, which ends one byte before.
while read -r address; do printf '0x%x\n' $((address - 1)); done <"$scratch/addresses" >"$scratch/calls"
addr2line -f -e "$binary" <"$scratch/calls" | paste - - "$scratch/addresses" |
  sed -E 's/ \(discriminator [0-9]+\)//; s,^([^\t]*)\t(.*/)?((linker|oracle)/[^\t:]*):([0-9]+)\t(.*)$,\3\t\5\t\6\t\1,' >"$scratch/blocks"

if [[ -n $lines ]]; then
  awk -F'\t' 'NR == FNR { executed[$1] = 1; next } !($3 in executed) && !seen[$1 ":" $2]++ { print $1 ":" $2 " " $4 }' \
    "$faults" "$scratch/blocks" | sort -t: -k1,1 -k2,2n
  exit
fi

# "NUMBER<TAB>FILE<TAB>LINE<TAB>function, or table for a static one": those outside of functions are left out.
while IFS=$'\t' read -r number file line _; do
  [[ $file == *.c ]] || continue
  awk -v number="$number" -v file="$file" -v line="$line" '
    NR <= line && /^ +static / { table = 1 }
    NR < line && /;$/ { table = 0 }
    NR == line { where = table ? "table" : "function" }
    NR >= line && /^}/ { if ($0 == "}" && NR > line) print number "\t" file "\t" line "\t" where; exit }' "$file"
done <"$faults" >"$scratch/places"

awk -F'\t' '
  NR == FNR { file[FNR] = $1; line[FNR] = $2 + 0; address[FNR] = $3; name[FNR] = $4; count = FNR; next }
  {
    best = 0; before = 0
    for (i = 1; i <= count; i++)
      if (file[i] == $2 && line[i] <= $3 && line[i] >= best) { best = line[i]; in_name = name[i] }
    for (i = 1; i <= count; i++)
      if (file[i] == $2 && name[i] == in_name && line[i] < $3 && line[i] > before) before = line[i]
    for (i = 1; i <= count; i++) {
      if (!best || file[i] != $2 || name[i] != in_name) continue
      print $1 + 1000000, address[i]
      if ($4 == "table" || line[i] == $3 || line[i] == before) print $1, address[i]
    }
  }' "$scratch/blocks" "$scratch/places"
