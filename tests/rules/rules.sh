#!/usr/bin/env bash
# The rules of docs/specification against the linker and the tests: `./run rules`.
#
#   rules.sh check            every rule names functions of linker/ and tests, and all of them exist; every page stands in
#                             the index, opens with a paragraph, and names no page that is not there; every rule L... has a
#                             row in reference-functions.md, whose functions and tests exist too
#   rules.sh reference [PAGE] the last of these alone, of that page or another in its place
#   rules.sh print            the table
#   rules.sh mutate [OPTION]  breaks each named function once, in a copy of the tree: a named test must fail.
#                             --seconds=N stops after N seconds; --only=IDS the rules whose ids match it, for example
#                             --only='L4[0-9]+|R12'; --new leaves out what was seen in an earlier state of the file;
#                             --jobs=N tries N pairs at a time; --reference breaks the reference's functions instead;
#                             --corpus tries the rules whose tests are all jobs of the corpus, for which one linker is built.
#                             Resumable: tests/rules/record (reference-record) keeps what was seen of a function in this state of its file,
#                             for these rules and tests; what was not is tried again, since a test may have learned it.
#   rules.sh sum [--reference] how many pairs of function and rule the record says were seen, and each that was not; how
#                             many rules the reference has not
#
# A function is broken by returning at once (nothing, zero, or for a bool that survives as false: true). A test is a
# program, job or directory of the corpus, whose jobs are linked again and compared with nvlink's answers, or a test of
# ctest, with `NAME:case` for one case in its sources; a name that is both stands for both.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

pages=(docs/specification/*.md)
work=build/rules
record=tests/rules/record
reference_page=docs/specification/reference-functions.md
reference_gaps=tests/rules/reference-gaps
say() { printf '%s\n' "$*"; }

read_rules() { awk -f tests/rules/read.awk "${pages[@]}"; }

# The rows of reference-functions.md as read_rules has the rules, with what the second column says behind them.
read_reference_rows() {
  awk -F' *[|] *' '
    function names(text,   list) {
      for (list = ""; match(text, /`[^`]+`/); text = substr(text, RSTART + RLENGTH))
        list = list (list == "" ? "" : " ") substr(text, RSTART + 1, RLENGTH - 2)
      return list == "" ? "-" : list
    }
    /^[|] L[0-9]/ { print "reference-functions.md:" FNR "\t" $2 "\t" names($3) "\t" names($4) "\t" $3 }' "$reference_page"
}
read_pairs=read_rules # or read_reference_pairs: what `mutate` and `sum` are about
read_reference_pairs() { read_reference_rows | cut -f 1-4; }

# "file:line:text" of each function's definition, by name: the first one in a source, else in a header. A declaration over
# several lines in a header looks like one.
declare -A definitions
read_definitions() { # DIRECTORY...
  local kind name at
  for kind in c h; do
    while IFS=$'\t' read -r name at; do
      : "${definitions[$name]:=$at}"
    done < <(grep -rHnE '^[a-z][A-Za-z0-9_ *]*[ *][A-Za-z0-9_]+\(' "$@" --include="*.$kind" |
      grep -v ';$' | sed -E 's/^([^(]*[ *])([A-Za-z0-9_]+)(\(.*)$/\2\t\1\2\3/')
  done
}
read_definitions linker oracle tools tests

# From here on the functions are the reference's: it, and the reader of cubins that it stands on.
take_reference() {
  read_pairs=read_reference_pairs
  record=tests/rules/reference-record
  definitions=()
  read_definitions oracle/reference oracle/cubin
}

find_cases() { # CTEST[:CASE]: true if the test is there
  local name=${1%%:*} case=
  [[ $1 == *:* ]] && case=${1#*:}
  grep -qE "(twinlink_add_cmocka_test\($name\b|NAME $name\b)" -r tests --include=CMakeLists.txt ||
    { [[ $name == fuzz_* ]] && grep -qE "twinlink_add_fuzz_target\(${name#fuzz_}\b" fuzz/CMakeLists.txt; } ||
    { grep -qE "foreach\(set .*\b${name%-*}\b" -r tests --include=CMakeLists.txt &&
      grep -qE "NAME \\$\{set\}-${name##*-}\b" -r tests --include=CMakeLists.txt; } || return 1
  [[ -z $case ]] || grep -qF "$case" -r "tests/${name%%_*}" "tests/${name//-/_}" 2>/dev/null
}

# A path below corpus/, or the name of a program or of a job; '*' as in a path.
find_jobs() { # NAME: the jobs below it
  local pattern
  for pattern in "$1" "corpus/*/$1" "corpus/*/*/*/$1"; do
    [[ $pattern == corpus/* ]] || continue
    compgen -G "$pattern" >/dev/null || continue
    # shellcheck disable=SC2086 # a pattern
    find $pattern -name args | sort
    return
  done
}

find_test() { [[ -n $(find_jobs "$1") ]] || find_cases "$1"; }

# What is wrong with the pages as a whole, one a line.
page_faults() {
  local page name other
  for page in "${pages[@]}"; do
    name=${page##*/}
    [[ $name == README.md ]] || grep -qF "| [$name]($name) |" docs/specification/README.md ||
      say "$name: not in the index, docs/specification/README.md"
    [[ $(sed -n 1p "$page") == '# '* && $(sed -n 3p "$page") == [A-Z\`*]* ]] || say "$name: no title with a paragraph behind it"
    while read -r other; do
      [[ -e docs/specification/$other || -e docs/$other ]] || say "$name: there is no page $other"
    done < <(grep -oE '[a-z][a-z-]*\.md' "$page" | sort -u)
  done
  while read -r other; do
    [[ -e $other ]] || say "there is no page $other, which other files name"
  done < <(grep -rohE 'docs/specification/[a-zA-Z-]+\.md' --include='*.[ch]' --include='*.md' --include='*.txt' \
    linker oracle tools tests corpus ./*.md | sort -u)
}

# --- check -----------------------------------------------------------------------------------------------------------
run_check() {
  local where ids functions tests name rules=0 bad=0
  local -A known
  while IFS=$'\t' read -r where ids functions tests; do
    rules=$((rules + 1))
    [[ $functions != - ]] || { say "$where: rule $ids names no function"; bad=$((bad + 1)); }
    [[ $tests != - ]] || { say "$where: rule $ids names no test"; bad=$((bad + 1)); }
    for name in ${functions#-}; do
      [[ -n ${definitions[$name]:-} ]] || { say "$where: rule $ids: no function $name"; bad=$((bad + 1)); }
    done
    for name in ${tests#-}; do
      [[ -z ${known[$name]:-} ]] || continue
      known[$name]=1
      find_test "$name" || { say "$where: rule $ids: no test $name"; bad=$((bad + 1)); }
    done
  done < <(read_rules)
  local twice
  twice=$(read_rules | cut -f2 | tr ' ' '\n' | sort | uniq -d | tr '\n' ' ')
  [[ -z $twice ]] || { say "rules that stand twice: $twice"; bad=$((bad + 1)); }
  ((rules)) || { say "no rule was read"; bad=1; }
  while read -r name; do
    say "$name"
    bad=$((bad + 1))
  done < <(page_faults)
  while read -r name; do
    say "$name"
    bad=$((bad + 1))
  done < <(reference_faults)
  say "$rules rules, $bad faults"
  ((bad == 0))
}

# What a row says that names no function.
reference_words="^(the doubters alone|linker alone: .+|default mode's own option of the linker|not yet( looked up|: .+)?)\$"

reference_row_faults() { # WHERE ID FUNCTIONS TESTS TEXT
  local name
  for name in ${3#-}; do
    [[ -n ${definitions[$name]:-} ]] || say "$1: rule $2: no function $name in the reference"
  done
  for name in ${4#-}; do
    if [[ -z ${known[$name]:-} ]]; then
      known[$name]=there
      find_test "$name" || known[$name]=missing
    fi
    [[ ${known[$name]} == there ]] || say "$1: rule $2: no test $name"
  done
  if [[ $3 == - ]]; then
    [[ $5 =~ $reference_words ]] || say "$1: rule $2 names no function of the reference and does not say why"
  elif [[ $4 == - ]]; then
    say "$1: rule $2 names no test that would see its function"
  fi
}

# "number TAB what", as tests/rules/reference-gaps has it.
count_gaps() {
  local rows
  rows=$(read_reference_rows | cut -f 5)
  printf '%s\tnot yet\n' "$(grep 'not yet' <<<"$rows" | grep -vc 'not yet looked up' || true)"
  printf '%s\tnot yet looked up\n' "$(grep -c 'not yet looked up' <<<"$rows" || true)"
}

# What is wrong with the rows of the reference's functions, one a line. In a shell of its own.
reference_faults() {
  local where id functions tests text rules rows
  local -A known
  take_reference
  rules=$(read_rules | cut -f2 | tr ' ' '\n' | grep '^L[0-9]' | sort -u)
  rows=$(read_reference_rows | cut -f2 | sort)
  comm -23 <(say "$rules") <(sort -u <<<"$rows") | sed "s|^|$reference_page: no row for rule |"
  comm -13 <(say "$rules") <(sort -u <<<"$rows") | sed "s|^|$reference_page: a row for a rule that there is not: |"
  uniq -d <<<"$rows" | sed "s|^|$reference_page: two rows for rule |"
  while IFS=$'\t' read -r where id functions tests text; do
    reference_row_faults "$where" "$id" "$functions" "$tests" "$text"
  done < <(read_reference_rows)
  diff <(count_gaps) "$reference_gaps" >/dev/null ||
    say "$reference_gaps is not what the rows say, which may not rise: $(count_gaps | tr '\t\n' ' ,')"
}

run_reference() { # [PAGE]
  local faults
  reference_page=${1:-$reference_page}
  faults=$(reference_faults)
  [[ -z $faults ]] || say "$faults"
  say "$(read_reference_rows | wc -l) rows of the reference's functions, $(grep -c . <<<"$faults" || true) faults"
  [[ -z $faults ]]
}

# --- mutate ----------------------------------------------------------------------------------------------------------
# One build holds every function broken: what breaks it asks for its number, which the environment gives, so that a pair
# costs what its tests cost. A test, or what it starts, must hand the environment on.
declare -A numbers # by "FILE NAME": the numbers of the statements that break the function
statement_count=0

statements_of() { # DEFINITION-LINE NAME: what breaks it, one a line; what must not return ends the process
  local type=${1%%"$2("*}
  if grep -rqE "_Noreturn .*[ *]$2\(" linker oracle tools --include='*.[ch]'; then
    say "__builtin_trap();"
    return
  fi
  type=${type//static /}
  type=${type//inline /}
  type=${type%"${type##*[! ]}"}
  case $type in
  void) say "return;" ;;
  bool) say "return 0;" && say "return 1;" ;;
  *\*) say "return 0;" ;;
  *) say "return ($type){0};" ;;
  esac
}

# The head of a file with broken functions: the number, read before main.
print_reader() {
  say "#ifndef RULES_BROKEN"
  say "#define RULES_BROKEN"
  say "char *getenv(const char *);"
  say "int atoi(const char *);"
  say "static int rules_broken;"
  say "__attribute__((constructor)) static void rules_read_broken(void) {"
  say "  const char *const number = getenv(\"RULES_BROKEN\");"
  say "  rules_broken = number ? atoi(number) : 0;"
  say "}"
  say "#endif"
}

break_function() { # FILE NAME STATEMENTS: into the first line of the function's body
  awk -v name="$2" -v statements="$3" '
    { print }
    !done && !inside && $0 ~ ("^[a-z][A-Za-z0-9_ *]*[ *]" name "\\(") && $0 !~ /;$/ { inside = 1 }
    inside && !done && /\{ *(\/\*.*\*\/)?$/ { print "  " statements; done = 1 }' "$1"
}

# Into the copy of its file; a function that has its numbers already keeps them. What does not compile stops the build.
plant_function() { # FILE NAME DEFINITION
  local statement text='' list='' copy=$work/tree/$1
  [[ -z ${numbers[$1 $2]+known} ]] || return 0
  while read -r statement; do
    statement_count=$((statement_count + 1))
    list+=" $statement_count"
    text+=" if (rules_broken == $statement_count) $statement"
  done < <(statements_of "$3" "$2")
  break_function "$copy" "$2" "$text" >"$work/broken.c"
  if cmp -s "$copy" "$work/broken.c"; then list=; fi
  numbers[$1 $2]=$list
  if ! grep -q '^#define RULES_BROKEN$' "$copy"; then { print_reader && cat "$work/broken.c"; } >"$copy"; else
    cp "$work/broken.c" "$copy"
  fi
}

rules_linker=twinlink # or twinlink-ref, for a broken function of the reference
job_fails() { # ARGS-FILE: the broken linker's answer is another
  local job=${1%/args} out=$PWD/$work/out.$BASHPID code=0 arguments i
  mapfile -t arguments <"$1"
  rm -rf "$out"
  mkdir -p "$out"
  for i in "${!arguments[@]}"; do
    [[ ${arguments[i]} == out.cubin ]] && arguments[i]=$out/out.cubin
  done
  (cd "$job/.." && ulimit -v 4000000 && timeout 10 "$OLDPWD/$work/tree/build/broken/bin/$rules_linker" --identity=nvlink \
    --bug-compatible "${arguments[@]}") </dev/null >/dev/null 2>"$out/stderr" || code=$?
  sed -i "s|$out/||g" "$out/stderr"
  local refused words=
  if refused=$(grep "^${job#corpus/vendor-defects/} " tests/conformance/vendor-defects-refused); then
    [[ $refused != *'"'*'"'* ]] || words=${refused#*'"'} words=${words%%'"'*}
    [[ $code == 1 && ! -e $out/out.cubin ]] && grep -qF -- "$words" "$out/stderr" && return 1
    return 0
  fi
  [[ $code == "$(<"$job/expect.rc")" ]] && cmp -s "$out/stderr" "$job/expect.stderr" || return 0
  [[ ! -e $job/expect.cubin ]] || ! cmp -s "$out/out.cubin" "$job/expect.cubin" || return 1
  [[ -e $job/expect.cubin ]]
}

corpus_alone= # or yes: only jobs of the corpus are tried, for which a linker is built and nothing else
test_fails() { # NAME
  local jobs args
  jobs=$(find_jobs "$1")
  if [[ -n $jobs ]]; then
    while read -r args; do
      job_fails "$args" && return 0
    done <<<"$jobs"
    [[ -z $corpus_alone ]] && find_cases "$1" || return 1
  fi
  ! (cd "$work/tree/build/broken" && timeout 600 ctest -R "^${1%%:*}\$" >/dev/null 2>&1)
}

# Lines "FILE TAB NAME TAB DEFINITION": the functions to break.
prepare_tree() { # [TARGET]: what is built, everything without it
  local file name definition
  mkdir -p "$work/tree"
  exec 9>"$work/lock" # what is at work holds it, also when what started it is gone
  flock -n 9 || { say "another run is at work in $work" && exit 2; }
  while IFS= read -r file; do # by content, so that only what has changed is compiled again
    cmp -s "$file" "$work/tree/$file" || cp --parents "$file" "$work/tree"
  done < <(git ls-files | grep -vE '^corpus/')
  ln -sfn "$PWD/corpus" "$work/tree/corpus"
  while IFS=$'\t' read -r file name definition; do
    plant_function "$file" "$name" "$definition"
  done
  # No proofs (tests/patch_proof): they cut functions out of their sources, away from what is planted in front of them.
  # Nothing is put in line: a broken function's null pointer would be known not to occur where it is followed, and the
  # function would be whole again.
  cmake -S "$work/tree" -B "$work/tree/build/broken" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLANG_19=OFF \
    -DCMAKE_C_FLAGS="-w -Wno-error" -DCMAKE_C_FLAGS_RELEASE="-O1 -fno-inline -fno-ipa-cp -fno-delete-null-pointer-checks" >"$work/configure.log" 2>&1 ||
    { say "the broken tree is not configured: $work/configure.log" && exit 2; }
  cmake --build "$work/tree/build/broken" --target "${1:-all}" >"$work/build.log" 2>&1 ||
    { say "the broken tree does not build: $work/build.log" && exit 2; }
}

# What the record says of a pair: seen; before: seen in an earlier state of the function's file; what else it was the last
# time; or nothing.
recorded_verdict() { # KEY
  awk -F'\t' -v key="$1" '
    $1 == key { last = $2; seen = seen || $2 == "seen" }
    substr($1, index($1, " ")) == substr(key, index(key, " ")) && $2 == "seen" { before = 1 }
    END { print seen ? "seen" : before && !last ? "before" : last }' "$record"
}

# Every pair, and what the record says of it.
run_sum() {
  local where ids functions tests name found verdict
  local -A count=([seen]=0 [before]=0 [not]=0 [untried]=0)
  while IFS=$'\t' read -r where ids functions tests; do
    for name in ${functions#-}; do
      found=${definitions[$name]:-}
      [[ -n $found && $tests != - ]] || continue
      verdict=$(recorded_verdict "$(git hash-object "${found%%:*}") $name $ids: $tests")
      case $verdict in
      seen | before) ;;
      '') verdict=untried ;;
      *) verdict=not ;;
      esac
      count[$verdict]=$((${count[$verdict]} + 1))
      [[ $verdict != not ]] || say "$where: $ids: $name is not seen by: $tests"
      [[ $verdict != untried ]] || say "$where: $ids: $name was not tried with: $tests"
    done
  done < <("$read_pairs")
  say "$((count[seen] + count[before] + count[not] + count[untried])) pairs of function and rule: $((count[seen] +
    count[before])) broken functions seen (${count[before]} of them in an earlier state of their file), ${count[not]} not" \
    "seen, ${count[untried]} not tried"
  say "rules that the reference has not: $(count_gaps | awk -F'\t' '{ printf "%s%s %s", sep, $1, $2; sep = ", " }')"
}

declare -A whole # by test: yes if it passes with the linker as it is
passes_whole() { # TEST
  if [[ -z ${whole[$1]:-} ]]; then
    whole[$1]=yes
    if test_fails "$1"; then whole[$1]=no; fi
  fi
  [[ ${whole[$1]} == yes ]]
}

# A pair of function and rule: whether a named test of the rule, which passes otherwise, sees the broken function.
try_pair() { # FUNCTION FILE TESTS: sets verdict
  local number test rules_linker=twinlink
  [[ $2 != oracle/reference/* && $2 != oracle/cubin/* ]] || rules_linker=twinlink-ref
  verdict="not broken"
  for number in ${numbers[$2 $1]}; do
    [[ $verdict != "not broken" ]] || verdict="not seen"
    for test in $3; do
      RULES_BROKEN=$number test_fails "$test" || continue
      if passes_whole "$test"; then
        verdict=seen
        return
      fi
      verdict="not tried: a test fails already"
    done
  done
}

are_jobs() { # TESTS
  local name
  for name in $1; do
    [[ -n $(find_jobs "$name") ]] || return 1
  done
}

# The pairs to try, "FILE TAB FUNCTION TAB DEFINITION TAB KEY TAB TESTS"; those that were seen are counted.
list_untried() { # ONLY NEW
  local where ids functions tests name found file key verdict
  while IFS=$'\t' read -r where ids functions tests; do
    [[ -z $1 || " $ids " =~ " "($1)" " ]] || continue
    for name in ${functions#-}; do
      found=${definitions[$name]:-}
      [[ -n $found && $tests != - ]] || continue
      [[ -z $corpus_alone ]] || are_jobs "$tests" || continue
      file=${found%%:*}
      key="$(git hash-object "$file") $name $ids: $tests"
      verdict=$(recorded_verdict "$key")
      [[ $verdict != before || -z $2 ]] || verdict=seen
      [[ $verdict != seen ]] || continue
      printf '%s\t%s\t%s\t%s\t%s\n' "$file" "$name" "${found#*:*:}" "$key" "$tests"
    done
  done < <("$read_pairs")
}

# Every `jobs`-th of the pairs from number `first` on, until `until`; a line for each that is not seen.
try_pairs() { # FIRST JOBS UNTIL PAIR...
  local i=$1 jobs=$2 until=$3 file name definition key tests verdict
  shift 3
  local pairs=("$@")
  for (( ; i < ${#pairs[@]}; i += jobs)); do
    ((until == 0 || SECONDS < until)) || break
    IFS=$'\t' read -r file name definition key tests <<<"${pairs[i]}"
    try_pair "$name" "$file" "$tests"
    printf '%s\t%s\n' "$key" "$verdict" >>"$record"
    [[ $verdict == seen ]] || say "${key#* }: $name broken is $verdict"
  done
}

run_mutate() {
  local seconds=0 only='' new='' jobs=1 target=all option pairs=() i before tried seen start=$SECONDS
  for option in "$@"; do
    case $option in
    --seconds=*) seconds=${option#*=} ;;
    --only=*) only=${option#*=} ;;
    --new) new=yes ;;
    --jobs=*) jobs=${option#*=} ;;
    --reference) take_reference ;;
    --corpus) corpus_alone=yes ;;
    *) say "rules: no option $option" && return 2 ;;
    esac
  done
  if [[ -n $corpus_alone ]]; then
    target=$([[ $read_pairs == read_rules ]] && say twinlink || say twinlink-ref)
  fi
  mkdir -p "$work"
  touch "$record"
  mapfile -t pairs < <(list_untried "$only" "$new")
  ((${#pairs[@]})) || { say "every pair was seen" && return 0; }
  prepare_tree "$target" < <(printf '%s\n' "${pairs[@]}" | cut -f 1-3)
  before=$(wc -l <"$record")
  for ((i = 0; i < jobs; i++)); do
    try_pairs "$i" "$jobs" $((seconds ? start + seconds : 0)) "${pairs[@]}" &
  done
  wait
  tried=$(($(wc -l <"$record") - before))
  seen=$(tail -n +$((before + 1)) "$record" | grep -c $'\tseen$' || true)
  say "$tried of ${#pairs[@]} pairs tried in $((SECONDS - start)) s: $seen broken functions seen, $((tried - seen)) not"
  ((seen == ${#pairs[@]}))
}

[[ ${BASH_SOURCE[0]} == "$0" ]] || return 0 # seeds.sh takes the functions above

case ${1:-check} in
check) run_check ;;
print) read_rules | sort -t$'\t' -k2,2V | awk -F'\t' '{ printf "%-14s %-60s %s\n", $2, $3, $4 }' ;;
mutate) shift && run_mutate "$@" ;;
sum)
  [[ ${2:-} != --reference ]] || take_reference
  run_sum
  ;;
reference) shift && run_reference "$@" ;;
*) say "rules.sh check|reference|print|mutate|sum" && exit 2 ;;
esac
