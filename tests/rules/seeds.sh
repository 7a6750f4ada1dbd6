#!/usr/bin/env bash
# The mechanisms of the five documents (docs/mechanisms.md) against linker, reference and tests: `./run seeds`.
#
#   seeds.sh check            all rows are there, each with a status, a function of the linker, one of the reference and a
#                             test, and all of them exist; no test stands for more than six rows
#   seeds.sh print            the table
#   seeds.sh mutate [OPTION]  breaks the linker's functions of 50 rows that --seed=S draws (default: the commit's id): the
#                             row's test must fail, for nine of ten at least. --count=N; --seconds=N once all is built; --jobs: only
#                             rows whose tests are jobs of the corpus, for which the linker alone is built; resumable
#                             like `./run rules mutate`, whose tree it uses
#   seeds.sh texts DIRECTORY  every string that the documents in DIRECTORY quote stands in docs/specification/seed-texts.md
set -euo pipefail
# shellcheck source=tests/rules/rules.sh
source "$(dirname "${BASH_SOURCE[0]}")/rules.sh"

page=docs/mechanisms.md
texts=docs/specification/seed-texts.md
most=6                                                                # rows that one test may stand for
sizes=("Z000 72" "Z001 51" "Z002 97" "Z003 74" "Z004 127")            # rows of each document
statuses='as-nvlink|as-seed|refuted|internal|unobservable-diag|next' # see the page

# "id TAB status TAB linker TAB reference TAB tests", names without backquotes, `-` for none
read_rows() {
  awk -F' *\\| *' '/^\| Z[0-9]+\.[0-9]+ / { for (i = 5; i <= 7; i++) gsub(/[`,]/, "", $i); print $2 "\t" $4 "\t" $5 "\t" $6 "\t" $7 }' "$page"
}

rows_bad=0
row_fault() {
  say "$page: $*"
  rows_bad=$((rows_bad + 1))
}

# What the linker alone does (trace lines, words of the command line) has no function in the reference.
check_row() { # ID STATUS LINKER REFERENCE TESTS
  local name
  [[ $2 =~ ^($statuses)$ ]] || row_fault "$1: no status '$2'"
  [[ $2 != next ]] || return 0
  [[ $3 != - ]] || row_fault "$1 names no function of the linker"
  [[ $5 != - ]] || row_fault "$1 names no test"
  [[ $4 != - || $5 == command-line:* || $5 == corpus/cuda/err_command_line/* ]] ||
    row_fault "$1 names no function of the reference"
  for name in ${3#-}; do
    grep -qx "$name" <<<"$in_linker" || row_fault "$1: no function $name in the linker"
  done
  for name in ${4#-}; do
    grep -qx "$name" <<<"$in_reference" || row_fault "$1: no function $name in the reference"
  done
  for name in ${5#-}; do
    find_test "$name" || row_fault "$1: no test $name"
  done
}

functions_of() { # DIRECTORY: the names of all that are defined there
  grep -rhE '^[a-z][A-Za-z0-9_ *]*[ *][a-z0-9_]+\(' --include='*.[ch]' "$1" | grep -v ';$' | sed -E 's/\(.*//; s/.*[ *]//' | sort -u
}

check_rows() {
  local in_linker in_reference
  in_linker=$(functions_of linker)
  in_reference=$(functions_of oracle/reference)
  local id status linker reference tests entry count
  while IFS=$'\t' read -r id status linker reference tests; do
    check_row "$id" "$status" "$linker" "$reference" "$tests"
  done < <(read_rows)
  for entry in "${sizes[@]}"; do
    count=$(read_rows | cut -f1 | sort -u | grep -c "^${entry% *}\.")
    ((count == ${entry#* })) || row_fault "${entry% *} has $count rows, not ${entry#* }"
  done
  while read -r count tests; do
    ((count <= most)) || row_fault "$tests stands for $count rows"
  done < <(read_rows | cut -f5 | tr ' ' '\n' | grep -v '^-$' | sort | uniq -c)
  say "$(read_rows | wc -l) rows, $(read_rows | cut -f2 | grep -c '^next$') of them for later; $rows_bad faults"
  ((rows_bad == 0))
}

# The rows that a seed draws, in its order.
draw_rows() { # SEED COUNT TESTS: a pattern that each test of a row begins with
  read_rows | awk -F'\t' -v tests="^($3[^ ]* ?)+$" '$2 != "next" && $3 != "-" && $5 ~ tests' |
    while IFS= read -r row; do printf '%s\t%s\n' "$(printf '%s %s' "$1" "${row%%$'\t'*}" | sha256sum | cut -c 1-16)" "$row"; done |
    sort | head -n "$2" | cut -f 2-
}

# Of rows, the linker's functions, as prepare_tree wants them.
list_functions() {
  local id status linker rest name found
  while IFS=$'\t' read -r id status linker rest; do
    for name in $linker; do
      found=${definitions[$name]}
      printf '%s\t%s\t%s\n' "${found%%:*}" "$name" "${found#*:*:}"
    done
  done | sort -u
}

# Sets verdict to "seen" when a test of the row fails with one of its functions broken.
try_row() { # LINKER TESTS
  local name found
  for name in $1; do
    found=${definitions[$name]}
    try_pair "$name" "${found%%:*}" "$2"
    [[ $verdict != seen ]] || break
  done
}

run_seeds_mutate() {
  local seed count=50 seconds=0 pattern='' target=all option
  local id status linker reference tests key verdict seen=0 tried=0 start
  seed=$(git rev-parse --short=12 HEAD)
  for option in "$@"; do
    case $option in
    --seed=*) seed=${option#*=} ;;
    --count=*) count=${option#*=} ;;
    --seconds=*) seconds=${option#*=} ;;
    --jobs) pattern=corpus/ target=twinlink ;;
    *) say "seeds: no option $option" && return 2 ;;
    esac
  done
  mkdir -p "$work"
  touch "$work/record"
  prepare_tree "$target" < <(draw_rows "$seed" "$count" "$pattern" | list_functions)
  start=$SECONDS
  while IFS=$'\t' read -r id status linker reference tests; do
    ((seconds == 0 || SECONDS - start < seconds)) || break
    tried=$((tried + 1))
    key="$(git hash-object linker/*/*.c | git hash-object --stdin) $id $linker: $tests"
    verdict=$(awk -F'\t' -v key="$key" '$1 == key { print $2 }' "$work/record" | tail -n 1)
    if [[ -z $verdict ]]; then
      try_row "$linker" "$tests"
      printf '%s\t%s\n' "$key" "$verdict" >>"$work/record"
    fi
    if [[ $verdict == seen ]]; then seen=$((seen + 1)); else say "$id: $linker broken is $verdict by: $tests"; fi
  done < <(draw_rows "$seed" "$count" "$pattern")
  say "seed $seed: $seen of $tried rows seen (goal: nine of ten)"
  ((tried > 0 && seen * 10 >= tried * 9))
}

# The documents stand beside the project, not in it, so that only who has them can ask.
run_texts() { # DIRECTORY
  local quoted missing
  quoted=$(grep -ohE '"[^"]+"' "${1:?a directory}"/*.txt | sed -E 's/^"//; s/"$//; s/\\n$//' | sort -u)
  missing=$(grep -vxFf <(grep -oE '`[^`]+`' "$texts" | tr -d '`') <<<"$quoted" || true)
  [[ -z $missing ]] || say "$missing"
  say "$(wc -l <<<"$quoted") quoted strings, $(grep -c . <<<"$missing" || true) of them not in $texts"
  [[ -n $quoted && -z $missing ]]
}

case ${1:-check} in
check) check_rows ;;
print) read_rows | awk -F'\t' '{ printf "%-9s %-17s %-50s %-50s %s\n", $1, $2, $3, $4, $5 }' ;;
mutate | --mutate) shift && run_seeds_mutate "$@" ;;
texts) shift && run_texts "$@" ;;
*) say "seeds.sh check|print|mutate|texts" && exit 2 ;;
esac
