#!/usr/bin/env bash
# Every PTX instruction of the table, alone, between fences, behind a transaction barrier and before a call, and random
# kernels of fences: compiled as capsules, linked by nvlink and by twinlink, which must give the same bytes, messages and
# exit code. A kernel that ptxas does not take for an architecture is left out and counted; so many at least must be left.
#
#   instructions.sh PROGRAM TWINLINK [SCRATCH]     PROGRAM: what prints the kernels; with SCRATCH files stay there
set -euo pipefail
program=$(realpath "$1") linker=$(realpath "$2")
table=$(realpath "$(dirname "${BASH_SOURCE[0]}")/table")
scratch=${3:-$(mktemp -d)}
[[ -n ${3:-} ]] || trap 'rm -rf "$scratch"' EXIT
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
known="|sm_100a fences 12|sm_120a fences 12|"

# compare ARCH WHAT OPTION...: links x.cubin
compare() {
  local theirs=0 ours=0 what="$1 $2${3:+ $3}"
  local -a options=("-arch=$1" "${@:3}")
  nvlink "${options[@]}" x.cubin "f.$1.cubin" -o out.cubin >theirs.text 2>&1 || theirs=$?
  if ((!theirs)); then mv out.cubin theirs.cubin; fi
  "$linker" --identity=nvlink --bug-compatible "${options[@]}" x.cubin "f.$1.cubin" -o out.cubin >ours.text 2>&1 || ours=$?
  if [[ -z ${3:-} ]]; then kernels=$((kernels + $(grep -c '\.entry' x.ptx))); fi
  linked=$((linked + 1))
  if ((ours == theirs)) && cmp -s ours.text theirs.text && { ((ours)) || cmp -s out.cubin theirs.cubin; }; then
    if [[ $known == *"|$what|"* ]]; then echo "MENDED: $what, take it from the list"; failed=$((failed + 1)); fi
    return
  fi
  if [[ $known == *"|$what|"* ]]; then return; fi
  failed=$((failed + 1))
  echo "DIFFERS: $what (exit codes $theirs and $ours) $(head -c 200 ours.text)"
  if [[ -n ${KEEP:-} ]]; then cp x.ptx "differs-$failed.ptx"; cp x.cubin "differs-$failed.cubin"; fi
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

all=$("$program" "$table" count)
for arch in sm_100a sm_120a; do
  function_object "$arch"
  for shape in plain fenced waiting calling; do
    for ((first = 0; first < all; first += group)); do
      "$program" "$table" "$arch" "$shape" "$first" "$group" >x.ptx
      if compile "$arch"; then 
        compare "$arch" "$shape $first"
        if [[ $shape == fenced ]]; then compare "$arch" "$shape $first" -g; fi
      fi
    done
  done
  table_kernels=$kernels
done
for arch in sm_100a sm_120a; do
  for seed in {1..20}; do
    "$program" - "$arch" fences "$seed" 12 >x.ptx
    if compile "$arch"; then compare "$arch" "fences $seed"; fi
  done
done
echo "instructions: $all, kernels: $table_kernels of $((all * 8)) compiled and linked, and $((kernels - table_kernels)) of fences"
echo "$((linked - failed)) passed, $failed failed, 0 skipped"
((table_kernels >= 9000 && kernels - table_kernels >= 460 && !failed))
