#!/usr/bin/env bash
# A campaign: targets side by side for a given time, on corpora that stay, with what they found and what they cost at the
# end (docs/fuzzing.md). ./run fuzz builds and calls it.
#
#   campaign.sh BUILD-DIRECTORY RELEASE-DIRECTORY [--time 10m] [--target NAME]... [--jobs N] [--state DIRECTORY] [--strict]
#               [--empty] [--ci [--seed N]] [--engine libfuzzer|afl]
#
# --empty begins with nothing: no seeds, no regressions (what the generator and the mutator are worth alone).
# --engine afl: BUILD-DIRECTORY is one of the preset afl, whose targets AFL++ runs; it keeps its queue in afl/TARGET.
#
# The state directory keeps corpus/TARGET, findings/ and records: a line a run and target (fuzz/records.sh says what is in it),
# of --ci too, which keeps nothing else, and of a run that was stopped. The exit code is 1 when a target
# ended by a signal, a sanitizer or a limit, with --strict also when linker and nvlink differ; 2 when nothing could be run.
#
# --ci is a campaign that anybody can run again: the content of the commit gives the seed, fuzz/runs the number of inputs a
# target, seeds and regressions the corpus, and nothing is carried over. The time only cuts the sequence short: a slow
# machine runs the beginning of what a fast one runs, and who runs all of it before a push has run what CI will run.
set -euo pipefail
build=$(realpath "$1") release=$(realpath "$2") source=$(dirname "$(realpath "$0")")
shift 2
seconds= jobs=$(nproc) state= strict=0 targets=() ci=0 seed= empty=0 engine=libfuzzer

say() { printf '%s\n' "$*"; }
die() {
  say "fuzz: $*" >&2
  exit 2
}

# shellcheck source=tests/support/time.sh
. "$source"/../tests/support/time.sh

while (($#)); do
  word=$1
  if [[ $word == --*=* ]]; then set -- "${word%%=*}" "${word#*=}" "${@:2}"; fi
  case $1 in
  --strict) strict=1 && shift && continue ;;
  --ci) ci=1 && shift && continue ;;
  --empty) empty=1 && shift && continue ;;
  --time | --target | --jobs | --state | --seed | --engine) (($# > 1)) || die "$1 needs a value" ;;
  *) die "no option '$1'" ;;
  esac
  case $1 in
  --time) seconds=$(seconds_of "$2") || exit 2 ;;
  --target) targets+=("$2") ;;
  --jobs) jobs=$2 ;;
  --state) state=$2 ;;
  --seed) seed=$2 ;;
  --engine) engine=$2 ;;
  esac
  shift 2
done
[[ $engine == libfuzzer || ($engine == afl && $ci == 0 && $empty == 0) ]] || die "no engine '$engine', or none for --ci and --empty"
if ((${#targets[@]} == 0)); then
  for program in "$build"/fuzz/fuzz_*; do
    [[ -x $program && -e $source/targets/${program##*/fuzz_}.c ]] && targets+=("${program##*/fuzz_}")
  done
fi
((${#targets[@]})) || die "no targets in $build/fuzz"
for target in "${targets[@]}"; do [[ -x $build/fuzz/fuzz_$target ]] || die "no target '$target'"; done
: "${seconds:=$((ci ? 3600 : 600))}"
if ((ci)); then
  state=${state:-build/fuzz-ci}
  mkdir -p "$state"
  find "$state" -mindepth 1 -maxdepth 1 ! -name records -exec rm -rf {} + # what was run before stays on record
  : "${seed:=$((16#$(git -C "$source" rev-parse 'HEAD^{tree}' | cut -c 1-7)))}"
else
  [[ -z $seed ]] || die "--seed belongs to --ci"
  state=${state:-build/fuzz-state}
fi
mkdir -p "$state/findings" "$state/logs" "$state/rules.d"
state=$(realpath "$state")
export TWIN_FUZZ_FINDINGS=$state/findings TWIN_FUZZ_CELLS=$state/cells
before=$(find "$state/findings" -type f | sort)
commit=$(git -C "$source" rev-parse --short HEAD 2>/dev/null || echo none)
share=$((seconds * jobs / ${#targets[@]}))
((share > 0)) || share=1

# Counts of counters (fuzz/rules.c) belong to one build of a target.
for target in "${targets[@]}"; do
  [[ $build/fuzz/fuzz_$target -nt $state/rules.d/$target ]] && rm -f "$state/rules.d/$target"
done

stat_of() { awk -v name="stat::$1:" '$1 == name { sum += $2 } END { print sum + 0 }' "$2"; }

# How long an input may get: links, or the plain bytes of a few instructions or fields.
longest_of() { case $1 in decoder | patch | options | files | foreign) echo 512 ;; *) echo 65536 ;; esac }
runs_of() { awk -v name="$1" '$1 == name { print $2 }' "$source/runs"; }
# Its part of the time, in seconds (--ci).
time_of() { # NAME
  printf '%s\n' "${targets[@]}" | awk -v name="$1" -v all=$((seconds * jobs)) '
    NR == FNR { part[$1] = $3; next }
    { sum += part[$1] }
    END { print 1 + int(all * part[name] / sum) }' "$source/runs" -
}

# -entropic=0: the engine's schedule by rare features looks at each of a hundred of them for each feature of an input, and links
# have tens of thousands. It cost three quarters of a campaign's time. -use_counters=0: how often an edge was taken is no feature, which
# made every fifth input a new one; with the same processor time there were more inputs and more edges without (docs/fuzzing.md).

# A target runs in a subshell, which waits for one program after the other, so that it can end what it waits for: a campaign
# that is stopped stops its programs, and what they did until then is on record.
stopped=0 waited=
end_waited() {
  stopped=1
  [[ -z $waited ]] || kill "$waited" 2>/dev/null || true
}
wait_for() { # COMMAND...
  local code=0
  ((!stopped)) || return 1
  "$@" </dev/null &
  waited=$!
  wait "$waited" || code=$?
  while kill -0 "$waited" 2>/dev/null; do wait "$waited" || code=$?; done # the signal ended the first wait alone
  waited=
  return "$code"
}

# One target, in a sequence of inputs that the seed alone decides: the files come in a sorted list, the corpus is in memory,
# and what depends on addresses (the values that comparisons saw) is left out.
run_target_again() { # NAME
  local name=$1 log=$state/logs/$1 list=$state/logs/$1.seeds runs
  runs=$(runs_of "$name")
  mkdir -p "$state/corpus/$name"
  find "$source/seeds/links" "$source/seeds/$name" "$source/regressions" "$source/open" -type f 2>/dev/null |
    LC_ALL=C sort | paste -sd , | tr -d '\n' >"$list" || true
  TWIN_FUZZ_RULES=$state/rules.d/$name wait_for "$build/fuzz/fuzz_$name" -seed="$seed" -runs="$runs" \
    -max_total_time="$(time_of "$name")" -max_len="$(longest_of "$name")" -entropic=0 -use_counters=0 -timeout=60 \
    -rss_limit_mb=8192 -use_cmp=0 -reload=0 -print_final_stats=1 -artifact_prefix="$state/findings/$name-" \
    -seed_inputs="@$list" >"$log" 2>&1 || true
}

# The directories of what a target begins with, a line each.
seeds_of() { # NAME
  local place
  for place in "$source/seeds/links" "$source/seeds/$1" "$source/regressions" "$source/open"; do
    if [[ -d $place && $empty == 0 ]]; then say "$place"; fi
  done
}

# The words of a command line, which chance does not come to.
dictionary_of() { # NAME
  [[ $1 == options && -x $release/fuzz/fuzz_dictionary ]] || return 0
  "$release/fuzz/fuzz_dictionary" options >"$state/options.dict"
  say "$state/options.dict"
}

# One target for its share of the time; nobody else writes to its corpus (-reload=0). A finding that ends the process is kept by the engine, and it starts again.
run_target() { # NAME
  local name=$1 log=$state/logs/$1 begin=$SECONDS left seeds dictionary
  local corpus=$state/corpus/$name
  mkdir -p "$corpus"
  dictionary=$(dictionary_of "$name")
  mapfile -t seeds < <(seeds_of "$name")
  : >"$log"
  while left=$((share - (SECONDS - begin))) && ((left > 0 && !stopped)); do
    TWIN_FUZZ_RULES=$state/rules.d/$name wait_for "$build/fuzz/fuzz_$name" -max_total_time="$left" \
      -max_len="$(longest_of "$name")" -entropic=0 -use_counters=0 -reload=0 -timeout=30 -rss_limit_mb=4096 -print_final_stats=1 ${dictionary:+"-dict=$dictionary"} \
      -artifact_prefix="$state/findings/$name-" "$corpus" ${seeds[@]+"${seeds[@]}"} >>"$log" 2>&1 || sleep 1
  done
}

# The same by AFL++, which goes on with its queue of the run before. What it kept becomes findings with the names of the others.
run_target_afl() { # NAME
  local name=$1 log=$state/logs/$1 queue=$state/afl/$1 place seeds=$state/afl/$1.seeds kind file dictionary
  dictionary=$(dictionary_of "$name")
  mkdir -p "$queue" "$seeds" "$state/corpus/$name"
  while read -r place; do find "$place" -type f -exec cp -n -t "$seeds" {} +; done < <(seeds_of "$name")
  # the four targets of plain bytes have no use for a mutator of envelopes
  case $name in
  decoder | patch | options | files | foreign) unset AFL_CUSTOM_MUTATOR_LIBRARY ;;
  *) export AFL_CUSTOM_MUTATOR_LIBRARY=$release/fuzz/libtwinmutator.so ;;
  esac
  # a processor that does other work makes no hang of a slow input; a process that ends by itself after 2,000 inputs is
  # waited for, so that its time is counted
  wait_for afl-fuzz -V "$share" -t 30000 -m none -G "$(longest_of "$name")" -i "$seeds" -o "$queue" ${dictionary:+-x "$dictionary"} \
    "$build/fuzz/fuzz_$name" -2000 >"$log" 2>&1 || true
  for kind in crashes hangs; do
    for file in "$queue/default/$kind"/id*; do
      [[ -f $file ]] || continue
      mv "$file" "$state/findings/$name-$([[ $kind == hangs ]] && echo timeout || echo crash)-$(sha1sum <"$file" | cut -c 1-40)"
    done
  done
  sed -n -E 's/^execs_done +: /stat::number_of_executed_units: /p' "$queue/default/fuzzer_stats" >>"$log" 2>/dev/null || true
  # how much of it this run did: the queue counts on
  awk -v before="$(cat "$queue.executions" 2>/dev/null || echo 0)" -v name=stat::number_of_executed_units: \
    '$1 == name { $2 = $2 >= before ? $2 - before : $2 } { print }' "$log" >"$log.own" && mv "$log.own" "$log"
  sed -n -E 's/^execs_done +: //p' "$queue/default/fuzzer_stats" >"$queue.executions" 2>/dev/null || true
}
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 AFL_AUTORESUME=1

# Inputs that ended a target, or that it holds for wrong whatever nvlink does; the differences that nvlink has to judge.
new_of() { comm -13 <(printf '%s\n' "$before") <(find "$state/findings" -name "$1-*" "${@:2}" -type f | sort); }
found_of() { # NAME
  case $1 in
  differential | invariants | canonical) new_of "$1" ! -name '*.cause' | grep -cE '/[a-z_]+-(crash|timeout|leak|oom)-' || true ;;
  *) new_of "$1" ! -name '*.cause' ! -name "$1-slow-unit-*" | grep -c . || true ;;
  esac
}
differences_of() { # NAME
  case $1 in
  differential | invariants | canonical) new_of "$1" -name '*.cause' | grep -c . || true ;;
  *) say 0 ;;
  esac
}

# A target and its line of the records: processor time of what it waited for, user and system, in whole seconds.
run_recorded() { # RUN NAME
  local begin=$SECONDS name=$2 spent
  trap end_waited INT TERM
  "$1" "$name"
  times >"$state/logs/$name.times"
  spent=$(awk 'NR == 2 { for (i = 1; i <= NF; i++) { split($i, part, "[ms]"); sum += 60 * part[1] + part[2] } printf "%.0f", sum }' \
    "$state/logs/$name.times")
  say "$((SECONDS - begin))" >"$state/logs/$name.seconds"
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$(date -u +%FT%TZ)" "$commit" "$engine" "$name" \
    "$(stat_of number_of_executed_units "$state/logs/$name")" "$spent" $((SECONDS - begin)) "$(found_of "$name")" \
    "$(differences_of "$name")" >>"$state/records"
}

# A line a target: what it has done so far.
show_target() { # NAME
  local log=$state/logs/$1 last
  last=$(grep -aE '^#[0-9]+' "$log" 2>/dev/null | tail -n 1 | sed -E 's/L: .*(exec)/\1/; s/MS: .*//') || true
  printf '  %-14s %s\n' "$1" "${last:-begins}"
}

running=()
stop() {
  mapfile -t running < <(jobs -rp)
  ((${#running[@]} == 0)) || kill "${running[@]}" 2>/dev/null || true
}
trap 'stop; wait; exit 130' INT TERM
run=run_target
if [[ $engine == afl ]]; then run=run_target_afl; fi
if ((ci)); then
  run=run_target_again
  for target in "${targets[@]}"; do [[ $(runs_of "$target") =~ ^[0-9]+$ ]] || die "no row for '$target' in fuzz/runs"; done
  say "again: ./run fuzz --ci --seed $seed"
  say "${#targets[@]} targets, $jobs at a time, $seconds s at most in all; state in $state"
else
  say "${#targets[@]} targets, $jobs at a time, $share s each; state in $state"
fi
begin=$SECONDS
for target in "${targets[@]}"; do
  while mapfile -t running < <(jobs -rp) && ((${#running[@]} >= jobs)); do
    sleep 1
    if [[ -t 1 ]] && (((SECONDS - begin) % 10 == 0)); then
      say "$((SECONDS - begin)) s"
      for shown in "${targets[@]}"; do [[ -e $state/logs/$shown ]] && show_target "$shown"; done
    fi
  done
  run_recorded "$run" "$target" &
done
wait
running=()

# --- the summary -----------------------------------------------------------------------------------------------------
printf '%-14s %8s %12s %8s %8s %8s %8s\n' target seconds executions exec/s cov corpus findings
for target in "${targets[@]}"; do
  log=$state/logs/$target
  executions=$(stat_of number_of_executed_units "$log")
  coverage=$(grep -aoE 'cov: [0-9]+' "$log" | tail -n 1 | cut -d ' ' -f 2) || true
  spent=$(<"$log.seconds")
  printf '%-14s %8s %12s %8s %8s %8s %8s\n' "$target" "$spent" "$executions" "$((executions / (spent ? spent : 1)))" "${coverage:-0}" \
    "$(find "$state/corpus/$target" -type f | wc -l)" "$(($(found_of "$target") + $(differences_of "$target")))"
done
"$source/records.sh" "$state/records" | tail -n 1

code=0
# Cells of the specification and messages that all runs on this state reached; the rest by name is in a file.
if [[ -x $release/fuzz/fuzz_cells && -s $state/cells ]]; then
  "$release/fuzz/fuzz_cells" "$state/cells" || code=1 # a rule of what cannot be reached is wrong
  "$release/fuzz/fuzz_cells" "$state/cells" --list >"$state/cells.unreached" || true
  say "cells that no input reached: $state/cells.unreached"
fi

# Rules of the specification, by their functions.
"$source/rules.sh" "$build" "$state" || true

new=$(comm -13 <(printf '%s\n' "$before") <(find "$state/findings" -type f | sort))
broken=$(grep -E '/[a-z_]+-(crash|timeout|leak|oom|slow-unit)-' <<<"$new" | grep -v slow-unit) || true
causes=$(grep '\.cause$' <<<"$new") || true

# What ended a target, with what the sanitizer says of it and the input itself, since a log is often all there is.
show_broken() { # FINDING
  local log
  log=$state/logs/$(basename "$1" | sed -E 's/-(crash|timeout|leak|oom)-.*//')
  say "  $1"
  grep -aE '(runtime error|SUMMARY|^==[0-9]+==ERROR|^ +#[0-9]+ )' "$log" | grep -avE 'fuzzer::|libc' | head -n 20 || true
  if (($(stat -c %s "$1") <= 8192)); then
    say "  the input, by base64 -d:"
    base64 "$1"
  fi
}
if [[ -n $broken ]]; then
  say "ended by a signal, a sanitizer or a limit, an entry a cause:"
  (cd "$source/.." && awk -f tests/rules/read.awk docs/specification/*.md) >"$state/rules"
  mapfile -t files <<<"$broken"
  "$release/bin/twin" triage --programs "$build/fuzz" --rules "$state/rules" --json "$state/causes.json" "${files[@]}" || true
  for finding in $broken; do show_broken "$finding"; done
  code=1
fi
# Who is wrong, where nvlink is installed: "NAME linker|reference|both|nobody" a line. With --bug-compatible nvlink's answer is
# the one to be given; the default mode is looked at where that says nothing, since there rows of defects differ by design.
# Nobody: nvlink abstains by such a row, or has the answer of both in the other mode.
judge() { # CAUSE-FILE...
  local work cause
  command -v nvlink >/dev/null || return 0
  work=$(mktemp -d)
  mkdir "$work/jobs"
  for cause in "$@"; do
    "$release/bin/twin" unpack "${cause%.cause}" "$work/jobs/$(basename "$cause" .cause)" || true
  done
  (cd "$work" && "$release/bin/twin" diff --json verdicts jobs >/dev/null 2>&1) || true
  awk -F '"' '
    $2 == "name" { name = $4; sub(/.*\//, "", name) }
    $2 == "mode" { mode = $4 }
    $2 == "alone" { alone = $0 }
    $2 == "rows" && name != "" {
      linker = alone ~ /linker/ && $4 == ""; reference = alone ~ /reference/ && $4 == ""
      who = linker && reference ? "both" : linker ? "linker" : reference ? "reference" : "nobody"
      if (wrong[name] == "" || wrong[name] == "nobody" || (mode == "compatible" && who != "nobody")) wrong[name] = who
    }
    END { for (name in wrong) print name, wrong[name] }' "$work/verdicts" 2>/dev/null || true
  rm -rf "$work"
}

if [[ -n $causes ]]; then
  say "$(wc -l <<<"$causes") causes without a name in fuzz/known.c; who is wrong, says nvlink where it is installed:"
  verdicts=$(judge $(grep -E '/(differential|invariants|canonical)-' <<<"$causes" || true))
  for cause in $causes; do
    name=$(basename "$cause" .cause)
    who=$(awk -v name="$name" '$1 == name { print $2 }' <<<"$verdicts")
    printf '  %-10s %s %s\n' "${who:--}" "$name" "$(<"$cause")"
  done | sort
  # what the other targets find is wrong whatever nvlink does
  if grep -qvE '/(differential|invariants|canonical)-' <<<"$causes"; then code=1; fi
  if ((strict)) && grep -qE ' (linker|both)$' <<<"$verdicts"; then code=1; fi
fi
exit "$code"
