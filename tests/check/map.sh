#!/usr/bin/env bash
# The link map against the link (`twin check --map`, L340): no contradiction in the maps of the corpus's links, and one in
# every map in which something was changed.
#
#   map.sh TWINLINK TWIN CORPUS
set -euo pipefail
linker=$(realpath "$1") twin=$(realpath "$2") corpus=$(realpath "$3")
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Runs a job with a map. Sets `inputs`; false when it makes no output.
link_job() { # JOB-DIRECTORY
  local arguments word
  mapfile -t arguments <"$1/args"
  inputs=()
  rm -f "$scratch"/*
  for word in "$1"/../*; do [[ -d $word ]] || ln -s "$(realpath "$word")" "$scratch/"; done
  for word in "${arguments[@]}"; do
    if [[ $word == *.cubin && $word != out.cubin && -e $scratch/$word ]]; then inputs+=("$word"); fi
  done
  (cd "$scratch" && "$linker" --map=out.map "${arguments[@]}") >/dev/null 2>&1 </dev/null || return 1
  [[ -s $scratch/out.cubin && -s $scratch/out.map ]]
}

contradictions() { (cd "$scratch" && "$twin" check --map "$1" out.cubin "${inputs[@]}") | grep '^map line' || true; }

jobs=0
for job in "$corpus"/cuda/*/sm_{80,100}/* "$corpus"/synthetic/programs/sm_90/* "$corpus"/cuda/shared_static/*/*; do
  [[ -s $job/args && -s $job/expect.cubin ]] || continue
  ! grep -q -e '^-optf' -e options-file "$job/args" || continue # its inputs are not on the command line
  link_job "$job" || continue
  found=$(contradictions out.map)
  jobs=$((jobs + 1))
  if [[ -z $found ]]; then passed=$((passed + 1)); else
    printf '%s: %s\n' "$job" "$(head -n 2 <<<"$found")"
    failed=$((failed + 1))
  fi
done
if ((jobs < 40)); then
  printf 'only %s maps were made\n' "$jobs"
  failed=$((failed + 1))
fi

plant() { # SED-EXPRESSION: changes the map, which must then be contradicted
  sed -E "$1" "$scratch/out.map" >"$scratch/changed.map"
  if cmp -s "$scratch/out.map" "$scratch/changed.map" || [[ -z $(contradictions changed.map) ]]; then
    printf 'not seen: %s\n' "$1"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
}

link_job "$corpus/cuda/shared_static/sm_80/plain"
for change in '1s/bytes/bites/' '1s/, ([0-9]+) bytes/, \11 bytes/' '1s/([0-9]+) entries/1\1 entries/' '1s/([0-9]+) symbols/\10 symbols/' \
  's/^Input files/Input file/' '4d' 's/^Output sections/Output/' 's/index  offset/index offset/' '/\.nv\.info$/d' \
  's/^(  3 +)0x/\10x1/' 's/^(  5 +0x[0-9a-f]+ +0x)/\11/' 's/^(  6 .* )4( +\.)/\18\2/' 's/\.symtab$/.symtob/' \
  's/^( {9}0x[0-9a-f]+ +0x)/\1f/' 's/^( {9}.*[^ ])\(/\1x(/' 's/^Symbols/Symbol/' 's/^(  1[45] +)0x/\10x4/' 's/^(  1[45] +0x0 +)0x/\10x4/' \
  's/_Z6reducef  \(/_Z6reducee  (/' '/_Z6reducef  \(/d' 's/cubin\)$/cubim)/' 's/^Shared memory/Shared/' 's/^(  0x108 +)0x/\10x9/' \
  's/^Dropped/Droped/' '$s/$/\n  x from y: z/'; do
  plant "$change"
done
link_job "$corpus/cuda/capsules/sm_100/capsules"
for change in '1s/capsule link/capsule/' 's/^Kernels whose/Kernels/' 's/_Z4leafPii: /_Z4leafPij: /' 's/^(  7 +)0x/\10x1/' \
  's/no kernel reaches it \(W7.4\)$/no kernel/' '/no kernel reaches it \(W7.4\)$/d'; do
  plant "$change"
done
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
