#!/usr/bin/env bash
# L963, L1056: frames that a replaced body left in its group are no other program, nor are its steps in the frame of the body
# that stands; any other frame is.
#
#   replaced_frames.sh TWINLINK TWIN DIRECTORY STEPS, jobs `replaced_frames` and `replaced_steps` of the corpus
set -euo pipefail
linker=$(realpath "$1") twin=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$3"/*.cubin "$scratch"
cd "$scratch"
# CUBIN PATTERN: the offset of the first bytes like that
place_of() { LC_ALL=C grep -obUaP "$2" "$1" | head -n 1 | cut -d: -f1; }
compare() {
  "$twin" diff --canonical direct.cubin "$1" --input first.cubin --input second.cubin --input third.cubin >compared || true
}
"$linker" -arch=sm_100 first.cubin second.cubin third.cubin -o direct.cubin
"$linker" -arch=sm_100 --identity=nvlink -r second.cubin third.cubin -o group.cubin
"$linker" -arch=sm_100 first.cubin group.cubin -o end.cubin
compare end.cubin
grep -q "^the same program: .* 0 differences" compared || { cat compared && exit 1; }
# The first advance of a frame that is translated, changed.
at=$(place_of end.cubin '\x04\x14\x00\x00\x00\x0c\x81\x80\x80\x28')
cp end.cubin changed.cubin
printf '\x10' | dd of=changed.cubin bs=1 seek=$((at + 1)) conv=notrunc status=none
compare changed.cubin
grep -q "^not the same" compared || { echo "a changed frame does not show" && exit 1; }

cp "$4"/*.cubin .
steps() {
  "$twin" diff --canonical all.cubin "$1" --input first.cubin --input weak.cubin --input strong.cubin >compared || true
}
"$linker" -arch=sm_100 first.cubin weak.cubin strong.cubin -o all.cubin
"$linker" -arch=sm_100 --identity=nvlink -r weak.cubin strong.cubin -o group.cubin
"$linker" -arch=sm_100 first.cubin group.cubin -o end.cubin
steps end.cubin
grep -q "^the same program: .* 0 differences" compared || { cat compared && exit 1; }
# Where the standing body's frame grows, by how much, and how much code the frame is about.
for change in '\x04\x04\x00\x00\x00\x0c\x81\x80\x80\x28\x10 1 \x08' '\x04\x04\x00\x00\x00\x0c\x81\x80\x80\x28\x10 10 \x18' \
  '\x80\x01\x00\x00\x00\x00\x00\x00\x0c\x81\x80\x80\x28\x00 1 \x02'; do
  read -r pattern offset byte <<<"$change"
  at=$(place_of end.cubin "$pattern")
  [[ -n $at ]] || { echo "no $pattern" && exit 1; }
  cp end.cubin changed.cubin
  printf '%b' "$byte" | dd of=changed.cubin bs=1 seek=$((at + offset)) conv=notrunc status=none
  steps changed.cubin
  grep -q "^not the same" compared || { echo "a change of $pattern does not show" && exit 1; }
done
