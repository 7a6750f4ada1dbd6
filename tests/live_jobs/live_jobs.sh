#!/usr/bin/env bash
# Jobs whose answers are not stored: programs as in corpus/ (sources and program.json) are compiled and linked by the
# toolkit in a scratch directory, and then linked by twinlink, which must give the same bytes, messages and exit code.
#
#   live_jobs.sh TWIN TWINLINK [-PROGRAM...] [PROGRAM...]    -PROGRAM: not this one, whose rules the linker does not have
#
# Without the toolkit the jobs are counted as skipped. What is worth storing belongs into corpus/; here is what only shows
# that a rule holds in one more case. A source that corpus/ has too is a link to it.
set -euo pipefail
twin=$(realpath "$1") linker=$(realpath "$2")
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [[ -n ${TWINLINK_NO_TOOLKIT:-} ]] || ! command -v nvlink ptxas >/dev/null; then
  echo "no toolkit: jobs skipped"
  exit 0
fi
cp -rL "$here/programs" "$scratch/jobs"
while [[ ${1:-} == -* ]]; do
  rm -r "$scratch/jobs/${1#-}"
  shift
done
"$twin" corpus --corpus "$scratch/jobs" make "$@" >"$scratch/made" || { cat "$scratch/made"; exit 1; }
"$twin" corpus --corpus "$scratch/jobs" verify --linker "$linker" --argument --identity=nvlink \
  --argument --bug-compatible "$@"
