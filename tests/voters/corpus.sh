#!/usr/bin/env bash
# Three voters on the whole corpus, in both modes: linker and reference in process, nvlink by its stored answers. Every case
# and mode is a check; what the lists name counts as passed, because a line that is not needed any more fails.
#
#   corpus.sh TWIN CORPUS LIST...    a LIST: jobs on which the reference (linker:LIST: the linker) is known to stand alone
set -uo pipefail
twin=$1 corpus=$2
shift 2
lists=()
for list in "$@"; do
  [[ $list == linker:* ]] || list=reference:$list
  lists+=(--known "$list")
done
sets=() # the set steps is about what nvlink does, so its tests, linker-steps and reference-steps, have one mode
for set in cuda messages synthetic vendor-defects; do sets+=("$corpus"/"$set"); done
results=$(mktemp)
trap 'rm -f "$results"' EXIT
code=0
"$twin" diff --stored "${lists[@]}" --json "$results" "${sets[@]}" || code=$?
awk -v code="$code" '
  /"outcomes":/ { inside = 1 }
  inside && match($0, /"[a-z ]+":/) { name = substr($0, RSTART + 1, RLENGTH - 3); value[name] = $NF + 0 }
  inside && /}/ { inside = 0 }
  /"stale":/ { stale = $NF + 0 }
  END {
    bad = value["alone"] + value["apart"] + stale
    if (code != 0 && bad == 0) bad = 1
    good = value["alike"] + value["abstained"] + value["known"]
    if (good == 0) bad++
    printf "%d passed, %d failed, %d skipped\n", good, bad, value["no case"]
    exit bad > 0
  }' "$results"
