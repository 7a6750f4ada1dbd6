#!/usr/bin/env bash
# L934: the table of registers of a dead static function, beside a live one of its name, says the same with and without a
# relocatable link before. nvlink's direct link has foreign memory in such a table (RF79), so this is no job of the corpus.
# dead.cubin, live.cubin: `ptxas -c -arch=sm_100 [-g]` of the PTX beside them.
#
#   register_tables.sh TWINLINK TWIN DIRECTORY
set -euo pipefail
linker=$(realpath "$1") twin=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$3"/*.cubin "$scratch"
cd "$scratch"
link() { "$linker" -arch=sm_100 --identity=nvlink "$@"; }
link dead.cubin live.cubin -o direct.cubin
link -r dead.cubin live.cubin -o group.cubin
link group.cubin -o end.cubin
"$twin" diff --canonical direct.cubin end.cubin --input dead.cubin --input live.cubin >compared || true # M24
grep -q " 0 differences" compared || { cat compared && exit 1; }
