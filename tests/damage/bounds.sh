#!/bin/sh
# bounds.sh TWIN MISBEHAVE CORPUS: every fault that twin damage promises to see is planted once, in a linker that does
# nothing else; the orderly refusal of the same linker is none.
set -u
twin=$1 linker=$2 corpus=$3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
grep -m 1 '	refuses ' "$corpus/damage/outcomes" >"$work/outcomes"
passed=0 failed=0
check() { # MISBEHAVE TEXT
  if MISBEHAVE=$1 "$twin" damage --corpus "$corpus" --linker "$linker" --seconds 6 --replay "$work/outcomes" \
    --differences 9 >"$work/report" 2>&1; grep -q "$2" "$work/report"; then
    passed=$((passed + 1))
  else
    echo "FAILED: '$1' is not seen"
    cat "$work/report"
    failed=$((failed + 1))
  fi
}
check crash '1  crash: '
check hang '1  hang: '
check partial '1  partial output: '
check sanitizer "1  a sanitizer's report: "
check memory '1  memory too large: '
check output '1  output too large: '
check nothing ' 0 failures$'
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
