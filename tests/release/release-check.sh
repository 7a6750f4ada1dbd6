#!/usr/bin/env bash
# Everything that must hold before a release, a step after the other: ./run release-check.
#
#   release-check.sh [--time 3h] [--only STEP]... [--again] [--list] [--json FILE] [--junit FILE]
#                    [--steps FILE] [--state DIRECTORY]
#
#   --time T     begin no step later than T after the start (90, 90s, 10m, 3h); the next call goes on
#   --only STEP  this step alone; may be repeated
#   --again      forget what was done at this state of the tree (with --only: of these steps)
#   --steps FILE other steps than those below, for its own test: lines NAME|NEEDS|COMMAND
#
# A step that has ended is not run again at the same state of the tree (commit and what is changed): state and logs are in
# build/release-check/STATE (--state: elsewhere). The outcome of a step is passed, failed, skipped (what it needs is not here) or not run. The
# exit code is 0 only if every step passed or was skipped.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
root=build/release-check seconds=0 only=() again=0 list=0 json= junit= file=

say() { printf '%s\n' "$*"; }
die() {
  printf 'release-check: %s\n' "$*" >&2
  exit 2
}

# shellcheck source=tests/support/time.sh
. tests/support/time.sh

while (($#)); do
  case $1 in
  --again) again=1 && shift && continue ;;
  --list) list=1 && shift && continue ;;
  --time | --only | --json | --junit | --steps | --state) (($# > 1)) || die "$1 needs a value" ;;
  *) die "no option '$1'" ;;
  esac
  case $1 in
  --time) seconds=$(seconds_of "$2") || exit 2 ;;
  --only) only+=("$2") ;;
  --json) json=$2 ;;
  --junit) junit=$2 ;;
  --steps) file=$2 ;;
  --state) root=$2 ;;
  esac
  shift 2
done

# What a step of a preset runs beyond ./run test: the whole corpus through the linker as that preset builds it.
whole='^(conformance-(compatible|default)|(vendor-defects|messages)-(compatible|default)|damage-truncation)$'
seed=$((16#$(git rev-parse HEAD | cut -c 1-7)))

# NAME|NEEDS|COMMAND; NEEDS: nvlink, a program, or nothing.
steps=(
  "main||./run"
  "format||./run format"
  "tidy||./run tidy"
  "test||./run test"
  "gcc-debug||./run build debug && ctest --preset debug -R '$whole'"
  "clang||./run build clang && ctest --preset clang -LE '^damage$' -E '^(faults|corpus-verify|live-jobs|install)$'"
  "asan||./run build asan && ctest --preset asan -R '$whole'"
  "msan||cmake --preset msan && cmake --build --preset msan --target twinlink conformance damage && ctest --preset msan -R '$whole'"
  "tsan||cmake --preset tsan && cmake --build --preset tsan --target twinlink conformance && ctest --preset tsan -R '^conformance-compatible$'"
  "coverage||./run coverage --floors"
  "voters||./run voters"
  "corpus|nvlink|./run corpus verify"
  "programs|nvlink|./run conformance --seeds fresh:50 --arch sm_75,sm_80,sm_86,sm_89,sm_90,sm_90a --require 99"
  "capsules|nvlink|./run conformance --seeds fresh:30 --arch sm_100,sm_103,sm_110,sm_120,sm_121 --objects capsule --require 50"
  "sass-kind|nvlink|./run conformance --seeds fresh:30 --arch sm_100,sm_103,sm_110,sm_120,sm_121 --objects sass --require 97"
  "mixed|nvlink|./run conformance --seeds fresh:30 --arch sm_100,sm_103,sm_110,sm_120,sm_121 --objects mixed --require 97"
  "steps|nvlink|./run conformance --kind relocatable --seeds fresh:10 --arch sm_75,sm_86,sm_90 --require 90"
  "damage|nvlink|./run damage --count 5000"
  "damage-asan||./run damage --preset asan --count 5000"
  "faults||./run faults --seed $seed --count 20 --others 1000 --require 90"
  "faults-reference||./run faults --in reference --seed $seed --count 20 --others 0 --require 60"
  "libfuzzer||./run fuzz --ci --time 10m"
  "aflplusplus|afl-fuzz|tests/release/afl.sh 300"
  "bench|nvlink|./run bench"
  "shapes||./run shapes"
  "triage||tests/triage/plants.sh build/release"
  "mechanisms||./run seeds check"
)
[[ -z $file ]] || mapfile -t steps <"$file"
if ((list)); then
  for step in "${steps[@]}"; do
    IFS='|' read -r name needs command <<<"$step"
    printf '%-18s %-9s %s\n' "$name" "$needs" "$command"
  done
  exit 0
fi
for name in ${only[@]+"${only[@]}"}; do
  printf '%s\n' "${steps[@]}" | cut -d '|' -f 1 | grep -qxF -- "$name" || die "no step '$name'; --list"
done

state=$root/$(git rev-parse --short=10 HEAD)-$({
  git diff HEAD
  printf '%s\n' "${steps[@]}"
} | git hash-object --stdin | cut -c 1-8)
mkdir -p "$state"
if ((again && ${#only[@]})); then
  rm -f "${only[@]/#/$state/}"
elif ((again)); then
  rm -f "$state"/*
fi

has() { # NEEDS
  case $1 in
  '') return 0 ;;
  nvlink) [[ -z ${TWINLINK_NO_TOOLKIT:-} ]] && command -v nvlink >/dev/null ;;
  *) command -v "$1" >/dev/null ;;
  esac
}

wanted() { ((${#only[@]} == 0)) || [[ " ${only[*]} " == *" $1 "* ]]; }

# "OUTCOME SECONDS" goes to STATE/NAME when the step has ended, and not before: what was stopped is run again.
run_step() { # NAME NEEDS COMMAND
  local begin=$SECONDS outcome=passed
  if [[ -s $state/$1 ]] && ! [[ $(<"$state/$1") == skipped* ]]; then return; fi
  wanted "$1" || return
  ((seconds == 0 || SECONDS < seconds)) || return
  if has "$2"; then
    say "$1: $3"
    bash -c "$3" >"$state/$1.log" 2>&1 </dev/null || outcome=failed
  else
    outcome=skipped
    say "needs $2" >"$state/$1.log"
  fi
  printf '%s %s\n' "$outcome" $((SECONDS - begin)) >"$state/$1"
}

trap 'say "stopped; the next call goes on"; exit 130' INT TERM
for step in "${steps[@]}"; do
  IFS='|' read -r name needs command <<<"$step"
  run_step "$name" "$needs" "$command"
done

# The last line of a log that says something, as one line of plain text.
last_line() { # LOG
  [[ -s $1 ]] && LC_ALL=C tr -c '[:print:]\n' ' ' <"$1" | grep -v '^ *$' | tail -n 1 | cut -c 1-160
}

escape_json() { sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' <<<"$1"; }
escape_xml() { sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/"/\&quot;/g' <<<"$1"; }

declare -A count=([passed]=0 [failed]=0 [skipped]=0 [not run]=0)
rows_json= rows_xml=
printf '%-18s %-8s %8s  %s\n' step outcome seconds "last line"
for step in "${steps[@]}"; do
  IFS='|' read -r name needs command <<<"$step"
  outcome='not run' took=0
  [[ ! -s $state/$name ]] || read -r outcome took <"$state/$name"
  last=$(last_line "$state/$name.log")
  [[ $outcome != 'not run' ]] || last=
  count[$outcome]=$((count[$outcome] + 1))
  printf '%-18s %-8s %8s  %s\n' "$name" "$outcome" "$took" "$last"
  rows_json+="${rows_json:+,
}{\"name\": \"$name\", \"outcome\": \"$outcome\", \"seconds\": $took, \"command\": \"$(escape_json "$command")\", \"last\": \"$(escape_json "$last")\"}"
  rows_xml+="  <testcase name=\"$name\" time=\"$took\">"
  case $outcome in
  failed) rows_xml+="<failure message=\"$(escape_xml "$last")\"/>" ;;
  passed) ;;
  *) rows_xml+="<skipped message=\"$outcome\"/>" ;;
  esac
  rows_xml+=$'</testcase>\n'
done
say "${count[passed]} passed, ${count[failed]} failed, ${count[skipped]} skipped, ${count[not run]} not run; logs: $state"
[[ -z $json ]] || printf '{"steps": [\n%s\n]}\n' "$rows_json" >"$json"
printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="release-check" tests="%s" failures="%s" skipped="%s">\n%s</testsuite>\n' \
  "${#steps[@]}" "${count[failed]}" $((count[skipped] + count[not run])) "$rows_xml" >"${junit:-$root/junit.xml}"
((count[failed] == 0 && count[not run] == 0))
