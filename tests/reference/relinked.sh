#!/usr/bin/env bash
# What a relocatable output of the reference's has by default is read again (L891, L895): a further relocatable link takes it, and the
# executables of one step and of three are one program.
#
#   relinked.sh TWIN TWINLINK-REF CORPUS
set -euo pipefail
twin=$(realpath "$1") linker=$(realpath "$2") corpus=$(realpath "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "failed: $*" && failed=$((failed + 1)); }
link() { # OUTPUT WORD...
  local output=$1
  shift
  "$linker" -arch=sm_100 --identity=nvlink "$@" -o out.cubin 2>said || fail "no link of $*: $(cat said)"
  mv out.cubin "$output"
}

steps() { # DIRECTORY FILE...
  cp "$1"/*.cubin "$scratch"
  cd "$scratch"
  shift
  link direct.cubin "$@"
  link once.cubin -r "$@"
  link twice.cubin -r once.cubin
  link end.cubin twice.cubin
  local file inputs=()
  for file; do inputs+=(--input "$file"); done
  "$twin" diff --canonical direct.cubin end.cubin "${inputs[@]}" >compared || true # frames have a known defect (M24)
  grep -q " 0 differences" compared || fail "$*: not one program: $(cat compared)"
}

# L891: a body that lost has left its tables and their entries.
steps "$corpus/cuda/capsule_tables/sm_100" lost.cubin
# One with a table that a body without replaced.
steps "$corpus/cuda/capsule_tables/sm_100" weak.cubin plain.cubin

# L895: each of three functions of one name has its own attributes and entries, found by the names of their sections.
steps "$corpus/cuda/capsule_namesakes/sm_100" a.cubin b.cubin c.cubin
for name in .text.sf@2 .nv.info.sf@3 .nv.merc.rela.text.sf@2 .nv.constant2.sf@3 .nv.capmerc.text.sf@3; do
  for file in once twice; do
    grep -qaF "$name" $file.cubin || fail "no section $name in $file"
  done
done
if grep -qaF @2 end.cubin; then fail "a mark in the executable"; fi

echo "$failed failed"
((failed == 0))
