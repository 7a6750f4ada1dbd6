#!/usr/bin/env bash
# L963: frames that a replaced body left in its group are no other program; any other frame is.
#
#   replaced_frames.sh TWINLINK TWIN DIRECTORY
set -euo pipefail
linker=$(realpath "$1") twin=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$3"/*.cubin "$scratch"
cd "$scratch"
compare() {
  "$twin" diff --canonical direct.cubin "$1" --input first.cubin --input second.cubin --input third.cubin >compared || true
}
"$linker" -arch=sm_100 first.cubin second.cubin third.cubin -o direct.cubin
"$linker" -arch=sm_100 --identity=nvlink -r second.cubin third.cubin -o group.cubin
"$linker" -arch=sm_100 first.cubin group.cubin -o end.cubin
compare end.cubin
grep -q "^the same program: .* 0 differences" compared || { cat compared && exit 1; }
# The first advance of a frame that is translated, changed.
at=$(LC_ALL=C grep -obUaP '\x04\x14\x00\x00\x00\x0c\x81\x80\x80\x28' end.cubin | head -n 1 | cut -d: -f1)
cp end.cubin changed.cubin
printf '\x10' | dd of=changed.cubin bs=1 seek=$((at + 1)) conv=notrunc status=none
compare changed.cubin
grep -q "^not the same" compared || { echo "a changed frame does not show" && exit 1; }
