#!/usr/bin/env bash
# Small files that once took all memory there is. RF531: a kernel that stands twice in a text is no second name of itself, to which its
# records would go for ever. RF533: what is too large for an output is neither filled up nor written.
#
#   proportion.sh TWIN TWINLINK-REF SOURCE
set -euo pipefail
twin=$(realpath "$1") linker=$(realpath "$2") source=$(realpath "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
fail() { echo "failed: $*" && failed=$((failed + 1)); }
link() { timeout 20 "$linker" --identity=nvlink --bug-compatible "$@"; }

"$twin" unpack "$source/fuzz/regressions/name-twice-in-a-text" twice
mapfile -t words <twice/args
(cd twice && link "${words[@]}") || fail "no output of a kernel that stands twice in a text"
[[ $(stat -c %s twice/out.cubin) == 6440 ]] || fail "another output than nvlink's"

link -arch=sm_80 "$source/corpus/steps/padded_constants/sm_80/padded.cubin" -o out.cubin 2>said && fail "constants that fit"
[[ $(<said) == *"(0x3f000004 bytes, 0x10000 max)" ]] || fail "other words: $(cat said)"

echo "$failed failed"
((failed == 0))
