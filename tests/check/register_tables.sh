#!/usr/bin/env bash
# L934, L960: the table of registers of a name that a static function has, too, says the same with and without a relocatable
# link before. nvlink's links have foreign memory in such a table (RF79), so this is no job of the corpus. The cubins:
# `ptxas -c -arch=sm_100 [-g]` (dead, weak) of the PTX beside them.
#
#   register_tables.sh TWINLINK|TWINLINK-REF TWIN DIRECTORY
set -euo pipefail
linker=$(realpath "$1") twin=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$3"/*.cubin "$scratch"
cd "$scratch"
link() { "$linker" -arch=sm_100 --identity=nvlink "$@"; }
same() {
  local inputs=()
  for file in "$@"; do inputs+=(--input "$file"); done
  "$twin" diff --canonical direct.cubin end.cubin "${inputs[@]}" >compared || true # M24
  grep -q " 0 differences" compared || { cat compared && exit 1; }
}
link dead.cubin live.cubin -o direct.cubin
link -r dead.cubin live.cubin -o group.cubin
link group.cubin -o end.cubin
same dead.cubin live.cubin
# The first body loses to one behind a static function of its name.
link first.cubin live.cubin weak.cubin -o direct.cubin
link -r live.cubin weak.cubin -o group.cubin
link first.cubin group.cubin -o end.cubin
same first.cubin live.cubin weak.cubin
