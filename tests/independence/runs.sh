#!/usr/bin/env bash
# No function of one room was copied into the other: every common run of 60 normalised tokens stands in known-runs, with the
# reason why both rooms have it.
#
#   runs.sh RUNS-PROGRAM SOURCE-DIRECTORY
set -euo pipefail
runs=$1 source=$2 known=${KNOWN_RUNS:-$(dirname "$(realpath "$0")")/known-runs}
status=0
report=$("$runs" "$source/linker" "$source/oracle") || status=$?
((status < 2)) || exit 2

awk -v source="$source/" '
  FNR == NR { if (!/^#/ && NF >= 4) most[$1 " " $2] = $3; next }
  / ~ .*: [0-9]+ tokens$/ {
    left = $1; right = $3
    sub(/:[^:]*$/, "", left); sub(/:[^:]*:$/, "", right)
    pair = substr(left, length(source) + 1) " " substr(right, length(source) + 1)
    if (pair in most && $4 <= most[pair]) { passed++; seen[pair] = 1 } else { failed++; print "common run: " $0 }
  }
  END {
    for (pair in most) if (!(pair in seen)) { failed++; print "known-runs has a row that is not found: " pair }
    printf "%d passed, %d failed, 0 skipped\n", passed, failed
    exit failed != 0
  }' "$known" <(printf '%s\n' "$report")
