#!/usr/bin/env bash
# The reference on small programs that show one rule each, most of them of links in steps
# (docs/specification/reference-findings.md). The cubins and nvlink's answers are made here and now, so that the repository keeps sources only: without the toolkit all is skipped.
#
#   steps.sh TWIN CONFORMANCE TWINLINK-REF [PROGRAM...] [-PROGRAM/JOB...]    only these programs; not this job, whose rules
#                                                                            are not there yet
#
# The linker runs them too (linker-steps).
set -uo pipefail
twin=$(realpath "$1") conformance=$(realpath "$2") reference=$(realpath "$3")
programs=$(cd "$(dirname "$0")" && pwd)/programs
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wanted=() unwanted=()
for word; do
  [[ $word == -* ]] && unwanted+=("${word#-}") || wanted+=("$word")
done
mkdir "$scratch/steps"
if ((${#wanted[@]})); then
  cp -r "${wanted[@]/#/$programs/steps/}" "$scratch/steps"
else
  cp -r "$programs/steps" "$scratch"
fi
jobs=$(cat "$scratch"/steps/*/program.json | grep -cE '^    \{"name": ')
((jobs -= ${#unwanted[@]}))
if [[ ${TWINLINK_NO_TOOLKIT:-} == 1 ]] || ! command -v nvlink ptxas >/dev/null; then
  echo "0 passed, 0 failed, $jobs skipped"
  exit 0
fi
"$twin" corpus --corpus "$scratch/steps" make >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
for job in "${unwanted[@]}"; do
  rm -r "$scratch/steps/$job" || exit 1
done
"$conformance" "$reference" "$scratch" compatible "" steps >"$scratch/out" 2>&1
code=$?
failed=$(grep -c '^ERROR: ' "$scratch/out")
grep -E '^ERROR: ' "$scratch/out"
passed=$(grep -cE '^\[ +OK \] .*/' "$scratch/out")
((passed + failed == jobs)) || { echo "$jobs jobs, but $passed passed and $failed failed"; tail -n 20 "$scratch/out"; exit 1; }
echo "$passed passed, $failed failed, 0 skipped"
exit "$code"
