#!/usr/bin/env bash
# Planted faults against the fuzzers: `./run faults --fuzz --seed S`. Each fault of the draw is built into the target
# `differential` (libFuzzer, sanitizers), and four ways have to find it, one after the other:
#
#   replay   seeds and regressions of fuzz/, nothing else; what it finds the others need not look for
#   fuzz     EACH seconds from those seeds
#   empty    EACH seconds from nothing
#   blind    EACH seconds from the seeds, with libFuzzer's own changes of bytes alone: what the mutator is worth
#
#   --seed S       the draw; the same seed and sources give the same faults
#   --count N      faults that replay missed and the others look for, default 20
#   --each T       default 2m: processor time of the fuzzer, so that other work on the machine takes nothing from it
#   --time T       begin no way later than T after the start; what was found is recorded, and the next call goes on
#   --record FILE  keep the record there, to go on in another session or on another machine: its first line says which
#                  commit, seed and time it is of. Where the tree is another one by now: git worktree add AT THAT-COMMIT
#   --sum          nothing is tried: the figures of the records named behind it, together; each is of one state and seed
#   --plants FILE  faults written by hand instead: lines FILE BEFORE AFTER, tabs between
#   --json FILE    the report once more
#
# First replay, until it has missed COUNT faults; then a way at a time over those, the blind one last. No way is told where
# the fault lies. Most faults cost a compiler's run of one file and a link of it without sanitizers (release): what those say of
# the inputs of `fuzz/` is nearly always the verdict of replay, and only what they miss is built with sanitizers.
#
# A fault is found by an input on which the program with it and the reference differ, or which ends it, while the program
# without it is content. Faults lie in the .c files of the linker's library; what is the same object code is not counted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD build=$PWD/build/fuzz fast=$PWD/build/release draw=$PWD/build/release/tests/bin/fault_draw
seed='' count=20 each=120 seconds=0 plants='' json='' kept='' summed=()
ways=(replay fuzz empty blind)

say() { printf '%s\n' "$*"; }
die() {
  printf 'faults: %s\n' "$*" >&2
  exit 2
}
# shellcheck source=tests/support/time.sh
. tests/support/time.sh

while (($#)); do
  if [[ $1 == --sum ]]; then
    summed=("${@:2}")
    ((${#summed[@]})) || die "--sum RECORD..."
    break
  fi
  (($# > 1)) || die "$1 needs a value"
  case $1 in
  --seed) seed=$2 ;;
  --count) count=$2 ;;
  --each) each=$(seconds_of "$2") || exit 2 ;;
  --time) seconds=$(seconds_of "$2") || exit 2 ;;
  --plants) plants=$(realpath "$2") seed=0 ;;
  --json) json=$2 ;;
  --record) kept=$2 ;;
  *) die "no option $1" ;;
  esac
  shift 2
done

# --- the figures of a record, or of several --------------------------------------------------------------------------
figure() { awk -F'\t' -v way="$1" -v what="$2" '$2 == way && $3 == what' "${records[@]}" | wc -l; }
share() { # WAY: found of all that it looked for
  local found missed
  found=$(figure "$1" found) missed=$(figure "$1" missed)
  printf '%s of %s%s' "$found" $((found + missed)) "$( ((found + missed)) && printf ', %s %%' $((100 * found / (found + missed))))"
}
say_figures() {
  say "  refused by the compiler $(figure replay refused), the same object code $(figure replay same)"
  say "  found by replay of seeds and regressions: $(share replay)"
  say "  of those that replay missed, found by fuzzing from the seeds: $(share fuzz)"
  say "  found from an empty corpus: $(share empty)"
  say "  found by blind libFuzzer from the seeds: $(share blind)"
}
if ((${#summed[@]})); then
  records=("${summed[@]}")
  say "planted faults against the fuzzers, ${#records[@]} records:"
  for record in "${records[@]}"; do head -n 1 "$record"; done
  say_figures
  exit
fi

[[ $seed =~ ^[0-9]+$ && $count =~ ^[1-9][0-9]*$ ]] || die "--seed NUMBER is needed, --count is a number"

# The record is of one state of everything that decides: no scripts, and no records of campaigns.
state=$({
  git ls-files -z 'linker/*' 'oracle/*' 'fuzz/*.[ch]' fuzz/seeds fuzz/regressions 'tests/support/*.[ch]' | xargs -0 cat
  say "$seed $each"
  cat ${plants:+"$plants"} </dev/null
} | git hash-object --stdin | cut -c 1-12)
work=$root/build/faults/fuzz-$state
record=${kept:-$work/record}
mkdir -p "$work"
if [[ -s $record ]]; then
  [[ $(head -n 1 "$record") == *" state $state "* ]] || die "$record is of another state: $(head -n 1 "$record")"
else
  say "# commit $(git rev-parse --short=10 HEAD 2>/dev/null || say none) state $state seed $seed each $each" >"$record"
fi
mapfile -t planted < <(printf '%s\n' linker/*/*.c linker/link.c | grep -v '^linker/base/' | LC_ALL=C sort)

command_of() { ninja -C "$build" -t commands -s "$1" | tail -n 1; }
object_of() { printf 'linker/CMakeFiles/twinlink_core.dir/%s.o' "${1#linker/}"; }

# "NUMBER FILE LINE KIND BEFORE AFTER", tabs between.
row_of() { # NUMBER
  if [[ -z $plants ]]; then
    "$draw" rows "$seed" "$1" 1 "${planted[@]}"
    return
  fi
  local file before after line
  IFS=$'\t' read -r file before after < <(sed -n "$(($1 + 1))p" "$plants")
  [[ -n $file ]] || return 0
  line=$(grep -nF -m 1 -- "$before" "$file") || die "no '$before' in $file"
  printf '%s\t%s\t%s\tplanted by hand\t%s\t%s\n' "$1" "$file" "${line%%:*}" "$before" "$after"
}

write_fault() { # NUMBER FILE BEFORE AFTER TO
  local text
  if [[ -z $plants ]]; then
    "$draw" write "$seed" "$1" "$5" "${planted[@]}"
  else
    text=$(<"$2")
    printf '%s\n' "${text/"$3"/"$4"}" >"$5"
  fi
}

# The file with the fault, compiled as a preset's build compiles it: $work/at/PRESET.o. 1: it makes no program; 3: the same one.
compile_fault() { # BUILD NUMBER FILE BEFORE AFTER
  local build=$1 dir=$work/at name=${1##*/} object command
  mkdir -p "$dir"
  write_fault "$2" "$3" "$4" "$5" "$dir/source.c"
  object=$(object_of "$3")
  [[ -e $build/$object ]] || return 1
  command=$(command_of "$object")
  command=${command/ -Werror / -Wno-error -Werror=incompatible-pointer-types -Werror=int-conversion -Werror=implicit-function-declaration -iquote $root/${3%/*} }
  command=${command/ -c $root\/$3/ -c $dir/source.c}
  command=$(sed -E "s| -M[FT] [^ ]+||g; s| -MD||; s| -o $object | -o $dir/$name.o |" <<<"$command")
  (cd "$build" && eval "$command") >>"$dir/log" 2>&1 || return 1
  objcopy --strip-debug "$dir/$name.o" "$dir/faulty"
  objcopy --strip-debug "$build/$object" "$dir/right"
  ! cmp -s "$dir/faulty" "$dir/right" || return 3
}

# The differential target with that object, which stands before the library: the library's own is not asked for any more.
link_fault() { # BUILD NAME [LEFT-OUT]
  local build=$1 dir=$work/at link
  link=$(command_of fuzz/fuzz_differential)
  link=${link/linker\/libtwinlink.a/$dir\/${1##*/}.o linker\/libtwinlink.a}
  [[ -z ${3-} ]] || link=${link/"$3"/}
  (cd "$build" && eval "${link/ -o fuzz\/fuzz_differential/ -o $dir\/$2}") >>"$dir/log" 2>&1
}

# The program without sanitizers, for replay; those with them, as it is and blind.
build_fast() { # NUMBER FILE BEFORE AFTER
  compile_fault "$fast" "$@" || return
  link_fault "$fast" fast || return 1
}
build_fault() { # NUMBER FILE BEFORE AFTER
  [[ -x $build/fuzz/fuzz_differential ]] || die "no $build/fuzz/fuzz_differential"
  [[ ! -e $work/at/differential ]] || return 0
  compile_fault "$build" "$@" || return
  link_fault "$build" differential && link_fault "$build" blind fuzz/CMakeFiles/fuzz_differential.dir/engine_libfuzzer.c.o || return 1
}

# An input that the right program is content with, and the one with the fault is not, each by itself; and not a limit of time
# on a busy machine. What is not shown again is kept in `unsteady`: an input's answer is not to depend on those before it.
is_shown() { # FINDING
  [[ $1 != *-slow-unit-* && $1 != *-timeout-* && $1 != *.cause ]] || return 1
  # without sanitizers first: most of what is found on damaged files the right program differs on too
  env -u TWIN_FUZZ_FINDINGS build/release/fuzz/fuzz_differential "$1" >/dev/null 2>&1 </dev/null || return 1
  env -u TWIN_FUZZ_FINDINGS "$build/fuzz/fuzz_differential" -timeout=60 "$1" >/dev/null 2>&1 </dev/null || return 1
  ! env -u TWIN_FUZZ_FINDINGS "$work/at/differential" -timeout=60 "$1" >/dev/null 2>&1 </dev/null && return 0
  mkdir -p "$work/unsteady"
  cp -n "$1" "$1.cause" "$work/unsteady" 2>/dev/null || true
  return 1
}

# Seconds of processor time that a process has had, user and system; nothing when it has ended.
processor_of() { awk '{ sub(/.*\) /, ""); print int(($12 + $13) / 100) }' "/proc/$1/stat" 2>/dev/null || true; }

# The first finding that shows the fault. Those that do not are taken away, so that another input of their cause is kept.
shown_of() { # DIRECTORY
  local finding
  for finding in "$1"/*; do
    [[ -f $finding && $finding != *.cause ]] || continue
    if is_shown "$finding"; then
      printf '%s' "$finding"
      return
    fi
    rm -f "$finding" "$finding.cause"
  done
}

# One process of a way: it ends by itself, when it has had its processor time, or when something shows the fault. Sets `shown`
# and `spent`. 1: the clock ended it, on a machine that does not give it the processor.
run_way() { # SECONDS PROGRAM OPTION...
  local limit=$1 begin=$SECONDS alive=1 running now code=0
  TWIN_FUZZ_FINDINGS=$work/found "${@:2}" >>"$work/log" 2>&1 </dev/null &
  running=$!
  while [[ -z $shown ]] && ((alive)); do
    sleep 1
    now=$(processor_of "$running")
    spent=${now:-$spent}
    # the last look is at a program that makes no more of them
    if ((SECONDS - begin >= 20 * limit + 60)); then code=1; fi
    if ((spent >= limit || code)); then kill -KILL "$running" 2>/dev/null || true; fi
    kill -0 "$running" 2>/dev/null || alive=0
    shown=$(shown_of "$work/found")
  done
  kill -KILL "$running" 2>/dev/null || true
  wait "$running" 2>/dev/null || true
  return "$code"
}

# "found SECONDS WHAT", "missed SECONDS -" or "late SECONDS -", in processor time. What ends the process without showing the
# fault (a limit, an input that ends the right program too) ends no way but `replay`.
try_way() { # WAY
  local way=$1 dir=$work/at program=$work/at/differential shown='' seeds=() spent=0 all=0 outcome=missed runs=0
  rm -rf "$work/found" "$work/corpus"
  mkdir -p "$work/found" "$work/corpus"
  : >"$work/log"
  [[ $way == empty ]] || seeds=("$root/fuzz/seeds/links" "$root/fuzz/regressions")
  [[ $way != blind ]] || program=$dir/blind
  local options=(-timeout=60 -rss_limit_mb=4096 -max_len=65536 -entropic=0 "-artifact_prefix=$work/found/")
  if [[ $way == replay ]]; then
    run_way 1800 "$program" "${options[@]}" -runs=0 "${seeds[@]}" || outcome=late
    all=$spent
  fi
  while [[ $way != replay && $outcome == missed && -z $shown ]] && ((all < each)); do
    runs=$((runs + 1)) spent=0
    run_way $((each - all)) "$program" "${options[@]}" "-seed=$((seed + runs))" "$work/corpus" ${seeds[@]+"${seeds[@]}"} || outcome=late
    all=$((all + (spent ? spent : 1)))
  done
  [[ -z $shown ]] || outcome=found
  printf '%s\t%s\t%s\n' "$outcome" "$all" "$( ([[ -n $shown ]] && head -c 160 "$shown.cause" 2>/dev/null | tr '\t\n' '  ') || printf -- -)"
}

known() { awk -F'\t' -v number="$1" -v way="$2" '$1 == number && $2 == way { print $3 }' "$record"; }
note() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$record"; }
time_is_up() { ((seconds && SECONDS >= seconds)); }

# What the program without sanitizers says of seeds and regressions, which the right one is content with, as try_way does.
replay_fast() {
  local begin=$SECONDS code=0 what
  (ulimit -v 8000000 && env -u TWIN_FUZZ_FINDINGS timeout 300 "$work/at/fast" "$root/fuzz/seeds/links" "$root/fuzz/regressions") \
    >"$work/log" 2>&1 </dev/null || code=$?
  if ((code == 0 || code == 124)); then
    printf 'missed\t%s\t-\n' $((SECONDS - begin))
    return
  fi
  what=$(grep -a -m 1 '^FOUND' "$work/log" | cut -c 7-166 | tr '\t' ' ' || true)
  printf 'found\t%s\t%s\n' $((SECONDS - begin)) "${what:-exit code $code}"
}

# One way of one fault. `fast` is replay by the program without sanitizers, whose verdict is that of replay but for `missed`.
try_fault() { # NUMBER WAY
  local row file before after way=$2 result='' code=0
  row=$(row_of "$1")
  [[ -n $row ]] || return 1
  IFS=$'\t' read -r _ file _ _ before after <<<"$row"
  if [[ $way == fast ]] || ((at != $1)); then rm -rf "$work/at"; fi
  at=$1
  if [[ $way == fast ]]; then
    build_fast "$1" "$file" "$before" "$after" || code=$?
    if ((!code)); then result=$(replay_fast); fi
    [[ $result == missed* ]] || way=replay
  else
    build_fault "$1" "$file" "$before" "$after" || code=$?
    if ((!code)); then result=$(try_way "$way"); fi
  fi
  if ((code)); then result=$( ((code == 3)) && printf same || printf refused); fi
  if [[ $result == late* ]]; then
    say "fault $1, ${file}: $way had no processor; it is tried again by the next call"
    seconds=1
    return 0
  fi
  note "$1" "$way" "$result"
  say "fault $1, ${file}: $way $result"
}

missed_by() { awk -F'\t' -v way="$1" '$2 == way && $3 == "missed" { print $1 }' "$record" | sort -n; }
still_open() { comm -23 <(missed_by fast | sort) <(awk -F'\t' '$2 == "replay" { print $1 }' "$record" | sort) | sort -n; }

# Replay until enough is missed, then the other ways over what it missed.
number=0 at=-1 drawn=1
while ! time_is_up && ((drawn && $(missed_by replay | wc -l) < count)); do
  while ! time_is_up && (($(missed_by replay | wc -l) + $(still_open | wc -l) < count)); do
    if [[ -z $(known "$number" replay)$(known "$number" fast) ]]; then
      try_fault "$number" fast || { drawn=0 && break; }
    fi
    number=$((number + 1))
  done
  for open in $(still_open); do
    time_is_up || try_fault "$open" replay
  done
done
for way in fuzz empty blind; do
  for number in $(missed_by replay | head -n "$count"); do
    if ! time_is_up && [[ -z $(known "$number" "$way") ]]; then try_fault "$number" "$way"; fi
  done
done
rm -rf "$work/at" "$work/found" "$work/corpus"

# --- the report ------------------------------------------------------------------------------------------------------
records=("$record")
say "planted faults against the fuzzers, seed $seed, $each s each, record $record"
say_figures
while IFS=$'\t' read -r number way outcome took what; do
  [[ $outcome == found || $outcome == missed ]] || continue
  IFS=$'\t' read -r _ file line kind before after < <(row_of "$number")
  printf '%6s %-7s %-7s %5s s  %s:%s %s: %s -> %s; %s\n' "$number" "$way" "$outcome" "$took" "$file" "$line" "$kind" "$before" "$after" "$what"
done <"$record"
if [[ -n $json ]]; then
  {
    printf '{"seed": %s, "each": %s' "$seed" "$each"
    for way in "${ways[@]}"; do
      printf ', "%s": {"found": %s, "missed": %s}' "$way" "$(figure "$way" found)" "$(figure "$way" missed)"
    done
    printf '}\n'
  } >"$json"
fi
