#!/usr/bin/env bash
# What nvlink's -r writes of shared memory, linked again. L241, RF451: of D82 a shared object without an alignment, which is refused where
# nvlink divides by that alignment. RF455: of extern shared memory a definition of size 0, which is refused, in default mode too, behind
# a file that gives it a size. RF532: of extern shared memory that no -r wrote the alignment counts by default, too.
#
#   shared_again.sh TWINLINK-REF CORPUS
set -euo pipefail
linker=$(realpath "$1") corpus=$(realpath "$2")
objects=$corpus/vendor-defects/unsized_shared/sm_80 sized=$corpus/steps/extern_sized/sm_90
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$objects/mention.cubin" "$objects/define.cubin" "$scratch"
cd "$scratch"
failed=0
fail() { echo "failed: $*" && failed=$((failed + 1)); }
link() { "$linker" -arch=sm_80 --identity=nvlink "$@"; }

link -r --bug-compatible mention.cubin define.cubin -o again.cubin
sed s/reads/other/g mention.cubin >other.cubin
for mode in --identity=nvlink --bug-compatible; do
  for options in -r -kernels-used=reads; do
    link $mode $options again.cubin other.cubin -o out.cubin 2>said && fail "no refusal: $mode $options"
    grep -q "^nvlink fatal   : .* alignment$" said || fail "other words: $mode $options: $(cat said)"
  done
  # One kernel uses the object: it is that kernel's own.
  link $mode again.cubin -o out.cubin 2>said || fail "a refusal: $mode: $(cat said)"
done

link -r mention.cubin define.cubin -o again.cubin
link again.cubin -o out.cubin || fail "a refusal of what is aligned"

for first in weak strong; do
  "$linker" -arch=sm_90 "$sized/$first.cubin" "$sized/again.cubin" -o out.cubin 2>said && fail "no refusal behind $first"
  grep -q "^twinlink error   : Size doesn't match for 's'" said || fail "other words behind $first: $(cat said)"
done

"$linker" -arch=sm_80 -r "$corpus/steps/empty_shared/sm_80/open.cubin" -o out.cubin
readelf -SW out.cubin | grep -q " \.nv_debug\.shared .* 000020 00  WA  0   0 32$" || fail "another alignment by default"

echo "$failed failed"
((failed == 0))
