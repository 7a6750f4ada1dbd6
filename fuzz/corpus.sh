#!/usr/bin/env bash
# The jobs of the corpus as envelopes: what ./run fuzz --changed and ./run faults --fuzz begin with beside the seeds.
#
#   corpus.sh OUT RELEASE-DIRECTORY
#
# OUT/jobs gets a file a job whose command line is that of a fuzzed link and whose envelope is not larger than fuzzers take; and,
# for each that writes a relocatable output, one of a link of that output and one of a relocatable link of it: what the linker
# writes into such outputs for itself no other input has. The output is this linker's, in its default mode. An OUT made from the
# same corpus by the same linker stays.
#
# Jobs on which linker and reference are not at one without --bug-compatible (corpus/steps is compared with it alone) are left out.
set -euo pipefail
out=$(realpath -m "$1") build=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD largest=65536

of=$({
  find corpus -type f ! -name 'expect.*' -print0 | LC_ALL=C sort -z | xargs -0 cksum
  cksum <"$build/bin/twin"
  cksum <"$build/bin/twinlink"
  cksum <"$build/fuzz/fuzz_differential"
  cksum <fuzz/corpus.sh
} | cksum)
[[ ! -e $out/of || $(<"$out/of") != "$of" ]] || exit 0
printf 'Packing the jobs of the corpus ...\n'
rm -rf "$out"
mkdir -p "$out/jobs" "$out/link"
packed=0 left=0

pack() { # NAME DIRECTORY WORD...
  local size
  packed=$((packed + 1)) left=$((left + 1))
  (cd "$2" && "$build/bin/twin" pack "$out/jobs/$1" "${@:3}") >/dev/null 2>&1 || return 0
  size=$(stat -c %s "$out/jobs/$1")
  if ((size > largest)); then rm -f "$out/jobs/$1"; else left=$((left - 1)); fi
}

# The output of a relocatable link, as an input.
pack_again() { # NAME DIRECTORY WORD...
  local words=("${@:3}") arch='' relocatable=0 i
  for i in "${!words[@]}"; do
    case ${words[i]} in
    -arch=*) arch=${words[i]} ;;
    -r) relocatable=1 ;;
    out.cubin) words[i]=$out/link/again.cubin ;;
    esac
  done
  ((relocatable)) && [[ -n $arch ]] || return 0
  rm -f "$out/link/again.cubin"
  (cd "$2" && "$build/bin/twinlink" --identity=nvlink "${words[@]}") >/dev/null 2>&1 || return 0
  [[ -s $out/link/again.cubin ]] || return 0
  pack "$1-again" "$out/link" "$arch" again.cubin -o out.cubin
  pack "$1-again-r" "$out/link" "$arch" -r again.cubin -o out.cubin
}

# An index of unified functions has one name in envelopes.
with_index() { # DIRECTORY INDEX: sets `place`
  place=$out/index
  rm -rf "$place"
  mkdir -p "$place"
  cp "$1"/* "$place" 2>/dev/null || true
  cp "$1/$2" "$place/index.uidx" 2>/dev/null || true
}

while IFS= read -r args; do
  directory=${args%/args} name=${args#corpus/}
  name=${name%/args} place=$root/${directory%/*}
  mapfile -t words < <(sed -E '/^--?uidx(-file)?$/ { N; s/\n/=/ }' "$args")
  for i in "${!words[@]}"; do
    [[ ${words[i]} =~ ^--?uidx(-file)?=(.*) ]] || continue
    with_index "$place" "${BASH_REMATCH[2]}"
    words[i]=-uidx=index.uidx
  done
  pack "${name//\//-}" "$place" "${words[@]}"
  pack_again "${name//\//-}" "$place" "${words[@]}"
done < <(find corpus -name args | LC_ALL=C sort)

# What the two are not at one on; nobody has damaged a job, so no row of known differences is about it.
mkdir "$out/differing"
{
  for input in "$out"/jobs/*; do
    TWIN_FUZZ_UNDAMAGED=1 "$build/fuzz/fuzz_differential" "$input" >"$out/log" || mv "$input" "$out/differing"
  done
} 2>/dev/null
rm -rf "$out/link" "$out/index" "$out/log"
printf '%s of %s packed; %s have other words or are too large, on %s linker and reference differ (%s)\n' "$(find "$out/jobs" -type f | wc -l)" \
  "$packed" "$left" "$(find "$out/differing" -type f | wc -l)" "$out/differing"
printf '%s\n' "$of" >"$out/of"
