#!/usr/bin/env bash
# L241, RF451: what -r writes of D82, a shared object without an alignment, is refused where nvlink divides by that alignment.
#
#   unaligned.sh TWINLINK-REF CORPUS
set -euo pipefail
linker=$(realpath "$1") objects=$(realpath "$2")/vendor-defects/unsized_shared/sm_80
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

echo "$failed failed"
((failed == 0))
