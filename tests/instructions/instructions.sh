#!/usr/bin/env bash
# Every PTX instruction of the table, alone, between fences, behind a transaction barrier and before a call, and random
# kernels of fences: compiled as capsules, linked by nvlink and by twinlink, which must give the same bytes, messages and
# exit code. A kernel that ptxas does not take for an architecture is left out and counted; so many at least must be left.
#
# Then, alone, those of the table `wide`, and of both tables the operations with a number in the place of an operand, or one
# operand twice; there the reference has to give nvlink's bytes, too.
#
#   instructions.sh PROGRAM TWINLINK REFERENCE [SCRATCH]     PROGRAM: what prints the kernels; with SCRATCH files stay there
set -euo pipefail
program=$(realpath "$1")
declare -A linker=([linker]=$(realpath "$2") [reference]=$(realpath "$3"))
tables=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
scratch=${4:-$(mktemp -d)}
[[ -n ${4:-} ]] || trap 'rm -rf "$scratch"' EXIT
group=84
failed=0 linked=0 kernels=0

if [[ -n ${TWINLINK_NO_TOOLKIT:-} ]] || ! command -v nvlink ptxas >/dev/null; then
  echo "no toolkit: instructions skipped"
  exit 0
fi
mkdir -p "$scratch"
cd "$scratch"

# Compiles x.ptx; lines that ptxas complains of, or functions, go. False where nothing is left.
compile() {
  local line name
  until ptxas -c -arch "$1" x.ptx -o x.cubin 2>complaints; do
    sed -nE 's/.*line ([0-9]+); .*/\1d/p' complaints | sort -u >edits
    for name in $(grep -oE "'k[0-9]+'" complaints | tr -d "'" | sort -u); do
      line=$(grep -nF " $name(" x.ptx | cut -d: -f1)
      [[ -z $line ]] || echo "${line}d" >>edits
    done
    if ! [[ -s edits ]]; then cat complaints; return 1; fi
    sed -i -f edits x.ptx
  done
  grep -q '\.entry' x.ptx
}

# Files of fences with a kernel that has other scoreboard numbers (M45i, open.md).
known="|sm_100a fences 12 linker|sm_120a fences 12 linker|"

# judge WHAT THEIRS: whether the linker's answer is nvlink's
judge() {
  linked=$((linked + 1))
  if (($2 == ours)) && cmp -s ours.text theirs.text && { ((ours)) || cmp -s out.cubin theirs.cubin; }; then
    if [[ $known == *"|$1|"* ]]; then echo "MENDED: $1, take it from the list"; failed=$((failed + 1)); fi
    return
  fi
  if [[ $known == *"|$1|"* ]]; then return; fi
  failed=$((failed + 1))
  echo "DIFFERS: $1 (exit codes $2 and $ours) $(head -c 200 ours.text)"
  if [[ -n ${KEEP:-} ]]; then cp x.ptx "differs-$failed.ptx"; cp x.cubin "differs-$failed.cubin"; fi
}

# compare ARCH WHAT LINKERS OPTION...: links x.cubin
compare() {
  local theirs=0 ours one what="$1 $2${4:+ $4}"
  local -a options=("-arch=$1" "${@:4}")
  nvlink "${options[@]}" x.cubin "f.$1.cubin" -o out.cubin >theirs.text 2>&1 || theirs=$?
  if ((!theirs)); then mv out.cubin theirs.cubin; fi
  if [[ -z ${4:-} ]]; then kernels=$((kernels + $(grep -c '\.entry' x.ptx))); fi
  for one in $3; do
    ours=0
    "${linker[$one]}" --identity=nvlink --bug-compatible "${options[@]}" x.cubin "f.$1.cubin" -o out.cubin >ours.text 2>&1 ||
      ours=$?
    judge "$what $one" "$theirs"
  done
}

function_object() {
  cat >f.ptx <<EOF
.version 9.0
.target $1
.address_size 64
.visible .func (.param .b32 y) f(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1,[x]; mul.lo.u32 %r2,%r1,%r1; st.param.b32 [y],%r2; ret;
}
EOF
  ptxas -c -arch "$1" f.ptx -o "f.$1.cubin"
}

# sweep ARCH TABLE SHAPE LINKERS OPTION: its kernels, some in a file; with the option once more. Few rows have operands that a
# number can stand for.
sweep() {
  local first all rows=$group
  [[ $3 != @(last|negative|first|same) ]] || rows=$((6 * group))
  all=$("$program" "$tables/$2" count)
  for ((first = 0; first < all; first += rows)); do
    "$program" "$tables/$2" "$1" "$3" "$first" "$rows" >x.ptx
    if ! grep -q '\.entry' x.ptx || ! compile "$1"; then continue; fi
    compare "$1" "$2 $3 $first" "$4"
    if [[ -n $5 ]]; then compare "$1" "$2 $3 $first" "$4" "$5"; fi
  done
}

for arch in sm_100a sm_120a; do
  function_object "$arch"
  sweep $arch table plain linker ''
  sweep $arch table fenced linker -g
  sweep $arch table waiting linker ''
  sweep $arch table calling linker ''
  many=$((kernels - ${wide:-0}))
  sweep $arch wide plain 'linker reference' ''
  for shape in last negative first same; do
    sweep $arch table $shape 'linker reference' ''
    sweep $arch wide $shape 'linker reference' ''
  done
  wide=$((kernels - many))
done
before_fences=$kernels
for arch in sm_100a sm_120a; do
  for seed in {1..20}; do
    "$program" - "$arch" fences "$seed" 12 >x.ptx
    if compile "$arch"; then compare "$arch" "fences $seed" linker; fi
  done
done
fences=$((kernels - before_fences))
echo "kernels: $many of the table in four shapes, $wide alone, $fences of fences, compiled and linked"
echo "$((linked - failed)) passed, $failed failed, 0 skipped"
((many >= 9000 && wide >= 6000 && fences >= 460 && !failed))
