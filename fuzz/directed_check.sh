#!/usr/bin/env bash
# A test of the directed engine: directed_check.sh BUILD. Two faults are planted, and found from the seeds and from nothing; what speaks
# for itself (a word, the map) is found without the reference's vote; a tree without a change shows nothing.
set -euo pipefail
build=$(realpath "$1") source=$(dirname "$(realpath "$0")")
root=$(realpath "$source/..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

check() { # WHAT, FOUND, WANTED
  if [[ $2 == "$3" ]]; then
    passed=$((passed + 1))
  else
    printf '%s: %s instead of %s\n' "$1" "$2" "$3"
    failed=$((failed + 1))
  fi
}

# The program of a fault in $scratch/NAME.
plant() { # NAME FILE BEFORE AFTER
  local text
  text=$(<"$root/$2")
  [[ -z $3 || $text == *"$3"* ]] || check "'$3' in $2" gone there
  mkdir -p "$scratch/$1"
  [[ ! -e $scratch/voter-before.o ]] || cp "$scratch/voter-before.o" "$scratch/$1"
  printf '%s\n' "${text/"$3"/"$4"}" >"$scratch/$1/fault.c"
  "$source/directed.sh" "$scratch/$1" "$build" "$build" "$2=$scratch/$1/fault.c" || cat "$scratch/$1/log"
  cp "$scratch/$1/voter-before.o" "$scratch"
}

# How a run ends: 1, something was found.
verdict() { # NAME OPTION...
  local code=0
  rm -rf "$scratch/found"
  mkdir -p "$scratch/found"
  "$scratch/$1/directed" --documents "$root/docs" --documents "$root/README.md" --places "$scratch/$1/places" \
    --found "$scratch/found" --first "${@:2}" >"$scratch/report" || code=$?
  printf '%s' "$code"
}

seeds=("$root/fuzz/seeds/links" "$root/fuzz/regressions")
plant names linker/emit/demangle.c '"param#%s", decimal(r, read_sequence(r, 10) + 1)' '"param#%s", decimal(r, read_sequence(r, 10) + 2)'
check "a fault of names, from the seeds" "$(verdict names --time 60 "${seeds[@]}")" 1
check "its finding is shown again" "$("$scratch/names/directed" --replay "$scratch"/found/directed-*[0-9a-f] | grep -c '^messages')" 1
check "a fault of names, from nothing" "$(verdict names --time 60)" 1
# A fault that is found from the seeds, and by what.
seen() { # NAME FILE BEFORE AFTER CAUSE
  plant "$1" "$2" "$3" "$4"
  check "$1, from the seeds" "$(verdict "$1" --time 60 "${seeds[@]}")" 1
  check "$1, found by '$5'" "$(cut -f 2 "$scratch"/found/*.cause | grep -cE "$5")" 1
}
seen map linker/explain/map.c 'map_column(t, map_hex(t, p->offset), 10);' 'map_column(t, map_hex(t, p->offset + 1), 10);' '^the map'
seen damage linker/cubin/mercury.c 'mercury_fail_later(c, section, at, "an entry stands in the wrong' '(void)("an entry stands in the wrong' \
  '^(links what was refused|tells otherwise what damage)'
seen note linker/merge/notes.c 'links as nvlink' 'links as nvmink' 'in a note: nvmink'
seen silent linker/merge/objects.c 'tl_defect_note(m->module->diagnostics, TL_DEFECT_D87, tl_merging_text(m, s->name));' ';' '^departs from nvlink'
seen told linker/cubin/cubin.c '"sh_entsize is less than an entry has"' '"sh_entsize is more than an entry has"' '^tells otherwise what damage'
plant gone linker/layout/relocatable.c 'return' 'return'
check "no change" "$(verdict gone --time 3 "${seeds[@]}")" 0
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
