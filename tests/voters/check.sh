#!/usr/bin/env bash
# twin diff doubts itself: who is equal stands nowhere alone, and a fault planted in one voter's answer is found, put down to
# that voter, and explained by name. A fault is a program around a linker that spoils what the linker made.
#
#   check.sh TWIN TWINLINK TWINLINK-REF CORPUS
set -uo pipefail
twin=$(realpath "$1") linker=$(realpath "$2") reference=$(realpath "$3") corpus=$(realpath "$4")
passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source=$(cd "$(dirname "$0")/../.." && pwd)
cd "$scratch" || exit 2
job=$corpus/cuda/virtual_shapes/sm_90/plain   # links
several=$corpus/cuda/err_several/sm_90/final # several messages
refused=$corpus/messages/fields/sm_80         # jobs that are refused
defects=$corpus/vendor-defects
[[ -d $refused ]] || { echo "no $refused"; exit 2; }

# EXIT-CODE "PATTERN..." ARGUMENT...: the exit code, and every pattern in the output. '!PATTERN' must not be there.
expect() {
  local name=$1 want=$2 patterns=$3 code=0 pattern bad=
  shift 3
  "$twin" diff "$@" >out 2>err || code=$?
  ((code == want)) || bad="exit code $code instead of $want"
  while IFS= read -r pattern; do
    if [[ $pattern == '!'* ]]; then
      grep -qE -- "${pattern#!}" out && bad+="; '${pattern#!}' is there"
    elif [[ -n $pattern ]]; then
      grep -qE -- "$pattern" out || bad+="; no '$pattern'"
    fi
  done <<<"$patterns"
  if [[ -z $bad ]]; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  printf '%s: %s\n' "$name" "$bad"
  head -n 20 out err
}

# NAME LINKER 'STATEMENTS': a program that runs the linker and then the statements; `code` is its exit code.
plant() {
  printf '#!/usr/bin/env bash\ncode=0\n"%s" "$@" || code=$?\n%s\nexit $code\n' "$2" "$3" >"$1"
  chmod +x "$1"
}

plant gone "$linker" 'rm -f out.cubin'

# --- who is equal ---
expect "the reference against itself" 0 'all alike in [0-9]+ of
!alone' --stored --voters linker,reference --linker "$reference" "$corpus/cuda/virtual_shapes" "$corpus/cuda/templates"
expect "the linker against itself" 0 '2 cases|[0-9]+ cases
!alone' --stored --voters linker,baseline --baseline "$linker" "$corpus/cuda/virtual_shapes" "$refused"
expect "in process and as a program" 0 'all alike
!alone' --stored --voters linker,reference,baseline --baseline "$linker" "$job"
if command -v nvlink >/dev/null; then
  expect "nvlink against itself" 0 'all alike in [0-9]+ of
!alone
!abstain' --voters linker,nvlink --linker "$(command -v nvlink)" "$corpus/cuda/virtual_shapes" "$refused"
  expect "nvlink now and its stored answers" 0 'all alike
!alone' --stored --voters linker,nvlink --linker "$(command -v nvlink)" "$corpus/cuda/virtual_shapes"
  expect "a program of a seed" 0 '1 cases, 6 votes: all alike in 2 of 2' --seeds 1 --arch sm_90 --kind plain --keep kept
  expect "the same cubins once more, spoilt" 1 'linker alone against reference, nvlink: ' --seeds 1 --arch sm_90 \
    --kind plain --keep kept --linker ./gone
else
  skipped=$((skipped + 4))
fi

# --- planted differences ---
cubin=$job/expect.cubin
text=$(readelf -SW "$cubin" | awk '$2 ~ /^\.text\./ || $3 ~ /^\.text\./ { for (i = 1; i <= NF; i++) if ($i ~ /^PROGBITS$/) { print $(i + 2); exit } }')
at=$((16#${text:-40} + 4))
flip="[[ ! -f out.cubin ]] || printf '\\\\x55' | dd of=out.cubin bs=1 seek=$at conv=notrunc status=none"
plant flip-linker "$linker" "$flip"
plant flip-reference "$reference" "$flip"
expect "a byte of the linker's output" 1 'linker alone against reference, nvlink: output
text\.(bits|field) .*function .*instruction .*in reference, nvlink, .* in linker
^linker alone: 2' --stored --linker ./flip-linker "$job"
expect "a byte of the reference's output" 1 'reference alone against linker, nvlink: output
^reference alone: 2
common mode: of 2 .* in 0 ' --stored --reference ./flip-reference "$job"
expect "the same byte of both" 1 'nvlink alone against linker, reference: output
common mode: of 2 .* in 2 \(100' --stored --linker ./flip-linker --reference ./flip-reference "$job"
expect "two voters do not say who" 1 'linker, reference differ, and no majority
no majority: 2' --voters linker,reference --linker ./flip-linker "$job"
expect "an older build" 1 'baseline alone against linker, nvlink: output' --stored --baseline ./flip-linker "$job"

plant words "$linker" "echo 'nvlink warning : one more' >&2"
expect "one more message" 1 'linker alone against reference, nvlink: messages
messages, line 1:
linker: nvlink warning : one more' --stored --linker ./words "$job"
plant order "$linker" true
sed -i 's|^"\(.*\)" "\$@"|"\1" "$@" 2> >(tac >\&2)|' order
expect "messages in another order" 1 'linker alone against reference, nvlink: messages' --stored --linker ./order "$several"
plant code "$linker" 'code=3'
expect "another exit code" 1 'linker alone against reference, nvlink: exit code
exit code: reference, nvlink 0; linker 3' --stored --linker ./code "$job"
expect "no output" 1 'linker alone against reference, nvlink: no output' --stored --linker ./gone "$job"
plant late "$linker" 'echo more'
expect "something on standard output" 1 'standard output' --voters linker,reference --linker ./late "$job"

# --- voters that break ---
plant crash "$linker" 'kill -SEGV $$'
expect "a crash, and the other cases go on" 1 'linker alone against reference, nvlink: crash
linker ended by signal 11
^linker alone: 6' --stored --linker ./crash "$corpus/cuda/virtual_shapes"
plant hang "$linker" 'sleep 100'
expect "a hang" 1 'linker alone against reference, nvlink: time limit' --stored --seconds 1 --mode default --linker ./hang "$job"
plant flood "$linker" 'head -c 400000000 /dev/zero >out.cubin; code=$?; ((code < 128)) || kill -XFSZ $$'
expect "a flood" 1 'linker alone against reference, nvlink: crash' --stored --mode default --linker ./flood "$job"
expect "no memory" 1 'linker' --stored --memory 1 --mode default --voters linker,nvlink "$job"
plant dies "$linker" 'kill -SEGV $$'
expect "nvlink ends by a signal" 0 'nvlink abstains, the others alike: 2
by row: signal 2' --nvlink ./dies "$job"

# --- rows, lists, and cases without nvlink ---
expect "a row of class R in default mode" 0 'nvlink abstains, the others alike: 1
by row: D9 1
common mode: of 0 ' --stored "$defects/common_alignment/sm_90/defect"
plant right "$linker" true
sed -i 's| "\$@"| "${@/--bug-compatible/--threads=1}"|' right
expect "right where nvlink is to be matched" 1 'linker alone against reference, nvlink: output' \
  --stored --mode compatible --linker ./right "$defects/common_alignment/sm_90/defect"
mkdir known-job
cp -r "$corpus/cuda/virtual_shapes/sm_90/"*.cubin known-job
cp "$job/args" known-job
echo "known-job D1 bytes planted" >list
expect "a job that holds its inputs, without an answer" 0 'all alike in 2 of 2
without nvlink.s vote: 2' --stored known-job
expect "a known difference" 0 'known differences: 2
by rule: D1 2' --voters linker,reference --reference ./flip-reference --known reference:list known-job
expect "a list that is stale" 1 'known-job: listed with D1' --voters linker,reference --known reference:list known-job
expect "a list that is not there" 2 '' --known reference:nowhere known-job
expect "a program that is not there" 2 '' --linker ./nowhere known-job
expect "no job" 2 '' --stored "$scratch/known-job/nothing"
expect "not all have to be alike" 0 'linker alone: 2' --stored --require 0 --linker ./flip-linker "$job"
(cd known-job && expect "words" 0 'all alike in 2 of 2' --voters linker,reference -- -arch=sm_90 shape.cubin ./circle.cubin \
  main.cubin -o somewhere/out.cubin; echo "$passed $failed" >../counts)
read -r passed failed <counts

# --- files ---
"$twin" diff --stored --linker ./flip-linker --json results.json --junit results.xml "$job" >/dev/null
expect_file() { # NAME FILE PATTERN...
  local name=$1 file=$2 pattern
  shift 2
  for pattern in "$@"; do
    grep -qE -- "$pattern" "$file" || { failed=$((failed + 1)); echo "$name: no '$pattern'"; return; }
  done
  passed=$((passed + 1))
}
expect_file "JSON" results.json '"format":[[:space:]]1' '"outcome":[[:space:]]"alone"' '"alone":[[:space:]]\["linker"\]' \
  '"explanation":' '"without_nvlink":[[:space:]]0'
expect_file "JUnit" results.xml 'tests="2" failures="2" skipped="0"' 'failure message="linker alone: output"' '</testsuite>'

# --- every rule that an explanation names stands in the specification ---
awk -f "$source/tests/rules/read.awk" "$source"/docs/specification/*.md | cut -f2 | tr ' ' '\n' | sort -u >ids
named=$(grep -oE '"[A-Z][0-9][^"]*"\}' "$source/oracle/compare/ref_rules.c" | tr -d '"} ' | tr ',' '\n' | sort -u)
unknown=$(comm -23 <(echo "$named") ids)
if (($(wc -l <<<"$named") > 30)) && [[ -z $unknown ]]; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "rules that docs/specification does not have:" $unknown
fi

printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
((failed == 0))
