#!/usr/bin/env bash
# twin coverage, twin record, twin report and the release check on small inputs: what is right passes, and every check is
# seen to fail on what is wrong. `check.sh TWIN`; the last line counts.
set -uo pipefail
twin=$(realpath "$1") source=$(dirname "$(realpath "$0")")/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
passed=0 failed=0

expect() { # CODE TEXT COMMAND...: the command ends with the code and prints the text
  local code=0 text=$2 wanted=$1
  shift 2
  "$@" >out 2>&1 </dev/null || code=$?
  if ((code == wanted)) && { [[ -z $text ]] || grep -qF -- "$text" out; }; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'expected code %s and "%s", got code %s of: %s\n' "$wanted" "$text" "$code" "$*"
    sed 's/^/  /' out
  fi
}

# --- coverage: two files of linker, one of oracle that no program links ---
mkdir -p linker/base oracle/check
printf 'int a(int x) {\n  if (x)\n    return 1;\n  return 0;\n}\n' >linker/base/a.c
printf 'const int table[] = {1};\n' >linker/base/rows.c
printf 'int b(void) {\n  return 1;\n}\n' >oracle/check/b.c
printf '%s\n' linker/base/a.c linker/base/rows.c >sources
cat >trace <<'END'
SF:/somewhere/build/../linker/base/a.c
FN:1,a.c:a
DA:1,2
DA:2,2
DA:3,0
DA:4,2
DA:5,2
BRDA:2,0,0,0
BRDA:2,0,1,2
end_of_record
SF:/usr/include/other.h
DA:1,0
end_of_record
END
printf '{"data": [{"files": [{"filename": "x/linker/base/a.c", "summary": {"mcdc": {"count": 4, "covered": 1}}}]}]}' >conditions
printf 'linker lines 80 95\nlinker branches 50 90\n' >floors
: >unreachable
cover() { "$twin" coverage --sources sources --trace trace --conditions conditions --floors floors --unreachable unreachable --list list --json figures "$@"; }
expect 0 'linker: lines 80.00 % (4 of 5); floor 80.0 %: kept; goal 95 %: not met' cover
expect 0 'no code is counted of linker/base/rows.c' cover
expect 0 '2 lines are not executed or have a branch that is not taken: 0 cannot be reached (a reason each), 2 are gaps' cover
expect 0 'linker/base/a.c:3	a	line	gap	return 1;' cat list
expect 0 'linker/base/a.c:2	a	1 branches	gap	if (x)' cat list
expect 0 '"conditions":	[1, 4]' cat figures
printf 'linker/base/a.c\ta\treturn 1;\tx is never set\n' >unreachable
expect 0 '1 cannot be reached (a reason each), 1 are gaps' cover
printf 'linker/base/a.c\ta\treturn 0;\tit is executed\n' >unreachable
expect 1 "stale: linker/base/a.c, a: 'return 0;' is covered or not there" cover
printf 'linker/...\t...\tif (...)\tx is never set\n' >unreachable # a rule, and the block behind its branch
expect 0 '2 cannot be reached (a reason each), 0 are gaps' cover
printf 'linker/...c\ta\t...turn 1...;\tx is never set\n' >unreachable
expect 0 '1 cannot be reached (a reason each), 1 are gaps' cover
printf 'linker/...\t...\t...turn 2;\tno such line\nlinker/base/a.c\ta\treturn 1;\tx is never set\n' >unreachable
expect 0 "empty: linker/..., ...: '...turn 2;' is covered or not there" cover
printf 'linker/base/a.c\ta\treturn 1;\n' >unreachable
expect 2 'not FILE, FUNCTION' cover
: >unreachable
printf 'linker lines 80.1 95\n' >floors
expect 1 'BROKEN' cover
printf 'linker lines 80 95\nlinkers lines 0 95\n' >floors
expect 1 'linkers: lines 100.00 % (0 of 0); floor 0.0 %: BROKEN' cover
printf 'linker rows 80 95\n' >floors
expect 2 'floors' cover
printf 'linker lines 80 95\n' >floors
printf '%s\n' linker/base/a.c oracle/check/b.c >sources
expect 1 "oracle/check/b.c has functions, but no program's coverage counts them" cover
expect 2 'no such option' "$twin" coverage --sources nothing

# --- records and the page ---
commit=0123456789abcdef0123456789abcdef01234567
keep() { # NAME DATE COMMIT DATA-FILE
  "$twin" record --name "$1" --command "./run $1 <x>" --commit "$3" --date "$2" --exit 0 --seconds 1 --dirty 0 --data "$4" --into data
}
page() { "$twin" report --data data --into pages --commit $commit --date 2026-01-02T00:00:00Z --log log --root "$work" --fuzz campaigns; }
printf '%s\n%040d\n' $commit 7 >log
mkdir -p data
expect 0 'not measured: lines, branches, MC/DC; ./run coverage' page
expect 0 '0 records, ' page
expect 0 '<strong>not measured:</strong> large links' cat pages/index.html
printf '{"identical": 3, "different": 1, "refused": 2}' >figures
expect 0 '' keep conformance 2026-01-01T00:00:00Z $commit figures
expect 0 '1 records, ' page
expect 0 '75.00 %' cat pages/index.html
expect 0 './run conformance &lt;x&gt;' cat pages/index.html
expect 0 'this commit' cat pages/index.html
printf '{"identical": 4, "different": 0}' >figures
expect 0 '' keep conformance 2026-01-02T00:00:00Z "$(printf %040d 7)" figures
expect 0 '2 records, ' page
expect 0 '1 commit ago' cat pages/index.html
expect 0 '' keep conformance 2026-01-03T00:00:00Z "$(printf %040d 9)" figures
expect 0 '' page
expect 0 'of a commit that is not on this branch' cat pages/index.html
expect 0 '' keep faults 2026-01-03T00:00:00Z $commit missing-file
expect 0 '' page
expect 0 'exit code 0, no figures' cat pages/index.html
printf '# one\n2026-01-01T00:00:00Z\tabc1234\tafl\tpatch\t7200\t3600\t3700\t1\t2\n2026-01-02T00:00:00Z\tabc1234\tafl\tpatch\t7200\t3600\t3500\t0\t0\n' >campaigns
printf '2026-01-02T00:00:00Z\tabc1234\tlibfuzzer\tpatch\t1000\t-\t1800\t0\t0\n2026-01-02T00:00:00Z\tabc1234\tother\n' >>campaigns
expect 0 'all: 2.00 processor hours, afl 2.00, libfuzzer 0.00; 1.00 since the last finding; 2.50 hours by the clock, 0.50 of them of unknown processor time' "$source/fuzz/records.sh" campaigns
# what a state holds goes into the records once
mkdir -p kept/fuzz state && cp "$source/fuzz/records.sh" kept/fuzz && cp campaigns kept/fuzz/records
printf '2026-01-03T00:00:00Z\tabc1234\tafl\tpatch\t10\t7200\t7200\t0\t0\n' >state/records
expect 0 'all: 4.00 processor hours, afl 4.00, libfuzzer 0.00; 3.00 since the last finding' kept/fuzz/records.sh --keep state
expect 1 '' kept/fuzz/records.sh --keep state
expect 0 '2026-01-03T00:00:00Z	abc1234	afl	patch	7210	10800	10700	0	0' cat kept/fuzz/records
expect 0 '2026-01-02T00:00:00Z	abc1234	libfuzzer	patch	1000	-	1800	0	0' cat kept/fuzz/records
expect 0 '# one' cat kept/fuzz/records
mkdir -p docs/specification corpus/vendor-defects/one/sm_80/job
printf '| `D7` | R | right | wrong | `vendor-defects/one/sm_80/job` |\n' >docs/specification/defects.md
printf '{"results": [
  {"name": "cuda/p/sm_90/j", "mode": "compatible", "outcome": "alone", "voted": ["linker", "reference", "nvlink"], "alone": ["reference"], "rows": ""},
  {"name": "cuda/p/sm_90/j", "mode": "default", "outcome": "abstained", "voted": ["linker", "reference", "nvlink"], "alone": [], "rows": "D7"}]}' >figures
expect 0 '' keep voters 2026-01-03T00:00:00Z $commit figures
expect 0 '' page
expect 0 '<td class="">patch</td><td class="n">14400</td><td class="n">2.00</td><td class="n">2.00</td><td class="n">1</td><td class="n">2</td>' cat pages/index.html
expect 0 '<td class="">all</td><td class="n">15400</td><td class="n">2.00</td><td class="n">1</td><td class="n">2</td>' cat pages/index.html
expect 0 '<td class="">since the last finding</td><td class="n"></td><td class="n good">1.00</td>' cat pages/index.html
expect 0 '<a href="../corpus/vendor-defects/one/sm_80/job">' cat pages/index.html
expect 0 '<td class="">sm_90</td><td class="n">1</td><td class="n good">1</td><td class="n open">0</td><td class="n">0</td>' cat pages/index.html
printf '{"rooms": [], "floors": [{"room": "linker", "what": "lines", "percent": 92.5, "floor": 92.7, "goal": 90}]}' >figures # a goal hides no floor
expect 0 '' keep coverage 2026-01-03T00:00:00Z $commit figures
expect 0 '' page
expect 0 '<td class="bad">FLOOR BROKEN</td>' cat pages/index.html
expect 1 '' grep -nE '(src|href)="https?:|<script' pages/index.html
# no row of many is lost, whatever its name's length; a class is what descriptions say; a long table is folded, and says what is in it
mkdir -p corpus/cuda/p99 && printf '{"features": ["relinking"]}' >corpus/cuda/p99/program.json
mkdir -p corpus/steps/q && printf '{"features": ["relinking", "other"]}' >corpus/steps/q/program.json
{
  printf '{"results": ['
  for i in {1..99}; do
    printf '{"name": "p%d/sm_90/j", "mode": "compatible", "outcome": "alike", "voted": ["linker", "reference", "nvlink"], "alone": []},' "$i"
  done
  for name in q a_name_of_a_program_that_is_longer_than_the_other_names; do
    printf '{"name": "%s/sm_90/j", "mode": "compatible", "outcome": "alone", "voted": ["linker", "reference", "nvlink"], "alone": ["linker"]},' $name
  done
  printf '{}]}'
} >figures
expect 0 '' keep voters 2026-01-04T00:00:00Z $commit figures
expect 0 '' page
of_jobs() { printf '<td class="">%s</td><td class="n">%d</td><td class="n %s">%d</td><td class="n good">%d</td>' "$1" "$2" "$4" "$3" "$2"; }
expect 0 "$(of_jobs all 101 99 bad)" cat pages/index.html
expect 0 "$(of_jobs p99 1 1 good)" cat pages/index.html
expect 0 "$(of_jobs a_name_of_a_program_that_is_longer_than_the_other_names 1 0 bad)" cat pages/index.html
expect 0 "$(of_jobs relinking 2 1 bad)" cat pages/index.html
expect 0 "$(of_jobs other 1 0 bad)" cat pages/index.html
expect 0 '<summary>102 rows, <span class="bad">2 with something wrong</span></summary>' cat pages/index.html
# what stays: the newest of every command, seeds aside; what lies in both is one record; a changed tree's are left out
measured() { # DATE DIRTY COMMAND
  "$twin" record --name faults --command "$3" --commit $commit --date "$1" --exit 0 --seconds 1 --dirty "$2" --data figures --into fresh
}
keep_measured() {
  "$twin" report --data fresh --kept held --into pages --commit $commit --date 2026-01-02T00:00:00Z --log log --root "$work" "$@"
}
mkdir -p fresh && echo '{}' >figures
measured 2026-01-01T00:00:00Z 0 './run faults --seed 1 --count 2'
expect 0 '1 records, ' keep_measured --keep yes
expect 0 'faults@2026-01-01T000000Z-0123456789.json' ls held
expect 0 '1 records, ' keep_measured
measured 2026-01-02T00:00:00Z 0 './run faults --count 2 --seed=7'
measured 2026-01-03T00:00:00Z 1 './run faults --seed 9 --count 2'
measured 2026-01-04T00:00:00Z 0 './run faults --seed 9 --count 20'
expect 0 '4 records, ' keep_measured --keep yes
expect 0 '' test -e held/faults@2026-01-02T000000Z-0123456789.json
expect 0 '' test -e held/faults@2026-01-04T000000Z-0123456789.json
expect 0 '2' eval 'ls held | wc -l'
rm fresh/*
expect 0 '2 records, ' keep_measured
expect 2 '' "$twin" report --data fresh --into pages --commit $commit --date x --keep yes
expect 2 'cannot keep' "$twin" report --data held --kept held/faults@2026-01-04T000000Z-0123456789.json/x --keep yes --into pages --commit $commit --date x
echo 'no JSON' >data/torn.json
expect 1 'no record: torn.json' page
expect 0 '<strong>no record:</strong> <code>torn.json</code>' cat pages/index.html
expect 2 'usage' "$twin" record --name a/b --command x

# --- asking what a subcommand does begins nothing ---
expect 0 'fuzz all targets: --time 10m' "$source/run" fuzz --help
expect 0 './run release-check [--time 3h]' "$source/run" release-check -h
expect 0 './run fuzz ARGS...' "$source/run" --help
expect 2 "no subcommand 'other'" "$source/run" other --help

# --- the release check ---
printf 'slow||sleep 4\ngood||echo fine\nbad||echo broken; false\naway|no_such_program_here|true\nlate||echo "is late"\n' >steps
release() { "$source/tests/release/release-check.sh" --steps "$work/steps" --json "$work/release" --junit "$work/junit" --state "$work/state" "$@"; }
if git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
  expect 1 '1 passed, 0 failed, 0 skipped, 4 not run' release --again --time 3
  expect 1 '2 passed, 1 failed, 0 skipped, 2 not run' release --only good --only bad
  expect 1 'late: echo' release
  expect 1 '3 passed, 1 failed, 1 skipped, 0 not run' release
  expect 1 'good: echo fine' release --again --only good
  # A step's seconds hang on the machine: only that the slow one has its four is asserted.
  timeless() { sed -E 's/"seconds": ([4-9]|[0-9]{2,}),/"seconds": LONG,/; s/"seconds": [0-9]+,/"seconds": SHORT,/' release | grep -E "$1"; }
  expect 0 '"name": "slow", "outcome": "passed", "seconds": LONG, "command": "sleep 4"' timeless slow
  expect 0 '"outcome": "failed", "seconds": ' timeless '"name": "bad"'
  expect 0 '"command": "echo broken; false", "last": "broken"' timeless '"name": "bad"'
  expect 0 'failures="1" skipped="1"' cat junit
  expect 2 "no step 'other'" release --only other
fi
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
