#!/usr/bin/env bash
# L971, RF456: a section symbol of Mercury's that names no section is refused, in a capsule link and in a mixed one, whichever file is first.
#
#   section_symbols.sh TWINLINK-REF CORPUS
set -euo pipefail
linker=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$2"/cuda/sass_kind/sm_100/*.cubin "$scratch"
cd "$scratch"
failed=0
fail() { echo "failed: $*" && failed=$((failed + 1)); }
number() { od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; } # FILE OFFSET BYTES
symbols() {                                                     # FILE: where Mercury's symbols are
  local i first count mercury=1879048325                        # 0x70000085
  first=$(number "$1" 40 8) count=$(number "$1" 60 2)
  for ((i = 0; i < count; i++)); do
    [[ $(number "$1" $((first + 64 * i + 4)) 4) != "$mercury" ]] || number "$1" $((first + 64 * i + 24)) 8
  done
}
section_of() { # OUTPUT BYTES: st_shndx of the first symbol behind the null symbol
  cp b.cubin "$1"
  printf '%b' "$2" | dd of="$1" bs=1 seek=$(($(symbols b.cubin) + 24 + 6)) conv=notrunc status=none
}
link() { "$linker" -arch=sm_100 --identity=nvlink "$@" -o out.cubin; }

section_of none.cubin '\0\0'
section_of behind.cubin '\0377\0'
section_of wide.cubin '\0377\0377'
for first in a as; do
  link $first.cubin none.cubin 2>said || fail "a refusal behind $first: $(cat said)"
  for file in behind wide; do
    link $first.cubin $file.cubin 2>said && fail "no refusal of $file behind $first"
    grep -q "^nvlink fatal   : .* names no section$" said || fail "other words of $file behind $first: $(cat said)"
    link $file.cubin $first.cubin 2>/dev/null && fail "no refusal of $file before $first"
  done
done

echo "$failed failed"
((failed == 0))
