#!/usr/bin/env bash
# The reference on small programs that show one rule each, most of them of links in steps (docs/specification/reference-findings.md). The
# cubins and nvlink's answers are made here and now, so that the repository keeps sources only: without the toolkit all is skipped.
#
#   steps.sh TWIN CONFORMANCE TWINLINK-REF
set -uo pipefail
twin=$(realpath "$1") conformance=$(realpath "$2") reference=$(realpath "$3")
programs=$(cd "$(dirname "$0")" && pwd)/programs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
jobs=$(cat "$programs"/steps/*/program.json | grep -cE '^    \{"name": ')
if [[ ${TWINLINK_NO_TOOLKIT:-} == 1 ]] || ! command -v nvlink ptxas >/dev/null; then
  echo "0 passed, 0 failed, $jobs skipped"
  exit 0
fi
cp -r "$programs/steps" "$scratch/steps"
"$twin" corpus --corpus "$scratch/steps" make >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
"$conformance" "$reference" "$scratch" compatible "" steps >"$scratch/out" 2>&1
code=$?
failed=$(grep -c '^ERROR: ' "$scratch/out")
grep -E '^ERROR: ' "$scratch/out"
passed=$(grep -cE '^\[ +OK \] .*/' "$scratch/out")
((passed + failed == jobs)) || { echo "$jobs jobs, but $passed passed and $failed failed"; tail -n 20 "$scratch/out"; exit 1; }
echo "$passed passed, $failed failed, 0 skipped"
exit "$code"
