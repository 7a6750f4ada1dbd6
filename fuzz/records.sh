#!/usr/bin/env bash
# How long was fuzzed, by engine and target: ./run fuzz --records.
#
#   records.sh [FILE...]     the sum of these records; without one, of fuzz/records
#   records.sh --keep STATE...  what the campaigns of state directories did becomes part of fuzz/records; then the sum. States
#                            whose campaigns ran at the same time are kept at once, so that a finding of one ends the
#                            other's time without one
#
# A line of records, tabs between: date, commit, engine, target, executions, seconds of processor time (`-` where only the clock
# was read), seconds by the clock, findings, differences. A finding ended a target, or is one of a target that is right
# or wrong whatever nvlink does; differences are causes of linker against reference that nvlink judges. fuzz/records is
# kept with the sources, so that the sum counts over machines and sessions: a line a commit, engine and target between two
# findings, with the date of its last run.
set -euo pipefail
source=$(dirname "$(realpath "$0")")

if [[ ${1:-} == --keep ]]; then
  work=$(mktemp -d)
  for state in "${@:2}"; do
    mv "$state/records" "$state/records.taken" # a campaign that runs on begins a new file
    cat "$state/records.taken" >>"$work/taken"
    cat "$state/records.taken" >>"$state/records.kept"
    rm "$state/records.taken"
  done
  LC_ALL=C sort -s -k 1,1 "$source/records" "${work:?}/taken" | awk -F '\t' '
    /^#/ { print; next }
    NF == 9 {
      generation += ($8 > 0) + ended # what was run before a finding, the finding, and what was run after it
      ended = $8 > 0
      place = $2 "\t" $3 "\t" $4
      key = generation "\t" place
      name[key] = place
      if (!(key in last)) order[++count] = key
      if ($1 > last[key]) last[key] = $1
      executions[key] += $5; clock[key] += $7; findings[key] += $8; differences[key] += $9
      processor[key] = $6 == "-" ? "-" : processor[key] + $6
    }
    END { for (i = 1; i <= count; i++) {
      key = order[i]
      printf "%s\t%s\t%d\t%s\t%d\t%d\t%d\n", last[key], name[key], executions[key], processor[key], clock[key], findings[key], differences[key]
    } }' >"$work/sum"
  { grep '^#' "$work/sum" || true; grep -v '^#' "$work/sum" | LC_ALL=C sort; } >"$source/records"
  rm -rf "$work"
  set --
fi
(($#)) || set -- "$source/records"
LC_ALL=C sort "$@" | awk -F '\t' '
  NF != 9 || /^#/ { next }
  {
    key = $3 "\t" $4
    executions[key] += $5; clock[key] += $7; findings[key] += $8; differences[key] += $9
    processor[key] += $6 # "-" is none
    all += $6; allclock += $7; engine[$3] += $6
    if ($6 == "-") unknown += $7
    since = $8 > 0 ? 0 : since + $6
  }
  END {
    format = "%-10s %-14s %12s %9s %9s %8s %11s\n"
    printf format, "engine", "target", "executions", "processor", "clock", "findings", "differences"
    for (key in executions) {
      split(key, name, "\t")
      printf format, name[1], name[2], executions[key], sprintf("%.2f h", processor[key] / 3600),
        sprintf("%.2f h", clock[key] / 3600), findings[key], differences[key] | "LC_ALL=C sort"
    }
    close("LC_ALL=C sort")
    for (one in engine) said = said sprintf(", %s %.2f", one, engine[one] / 3600)
    printf "all: %.2f processor hours%s; %.2f since the last finding; %.2f hours by the clock, %.2f of them of unknown processor time\n",
      all / 3600, said, since / 3600, allclock / 3600, unknown / 3600
  }'
