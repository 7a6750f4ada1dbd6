#!/usr/bin/env bash
# Planted faults against the fuzzers: `./run faults --fuzz --seed S`. Each fault of the draw is a change of the linker, and four ways
# have to find it, one after the other:
#
#   replay   seeds and regressions of fuzz/, and the jobs of the corpus (fuzz/corpus.sh), nothing else; what it finds the others need
#            not look for
#   fuzz     EACH seconds from those seeds, directed at the change as `./run fuzz --changed` is (fuzz/directed.c)
#   empty    EACH seconds from nothing, directed too
#   blind    EACH seconds from the seeds, with libFuzzer's own changes of bytes alone: what the mutator is worth
#
#   --seed S       the draw; the same seed and sources give the same faults
#   --count N      faults that replay missed and the others look for, default 20
#   --each T       default 2m: processor time of the fuzzer, so that other work on the machine takes nothing from it
#   --time T       begin no way later than T after the start; what was found is recorded, and the next call goes on
#   --record FILE  keep the record there, to go on in another session or on another machine: its first line says which
#                  commit, seed and time it is of. Where the tree is another one by now: git worktree add AT THAT-COMMIT
#   --sum          nothing is tried: the figures of the records named behind it, together; each is of one state and seed
#   --aimed no     fuzz and empty are not told where the fault lies: libFuzzer and the target `differential`, as blind is
#   --plants FILE  faults written by hand instead: lines FILE BEFORE AFTER, tabs between
#   --json FILE    the report once more
#
# First replay, until it has missed COUNT faults; then a way at a time over those, the blind one last. Replay costs a compiler's run
# of one file and a link without sanitizers (release). A directed way is a process a fault. One that is not directed is one fuzzer for
# all faults (fuzz_board.c), so that twenty faults cost about what two cost alone. With sanitizers every fault is built
# once: for replay, and for the corpus that an undirected way that missed it has gathered.
#
# Files of which the whole link shows nothing have a target of their own (target_of), which then replays its seeds and gets the
# two minutes instead, a fault after the other. Others that no target sees are drawn too, and missed.
#
# What no way finds is judged by the hunt of `./run faults` (faults.sh), on its own inputs: a fault that changes the answer to none
# of them is equivalent, no part of the figures, and another one is drawn in its place. One that a way finds is none.
#
# A fault is found by an input on which the program with it and the reference differ, or which ends it, while the program
# without it is content; a directed way also counts a part of the answer (exit code, a message, a section, its header, 16 of its bytes) in which those two agree and
# the program with it differs. Faults lie in the .c files of the linker's library; what is the same object code is not counted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD build=$PWD/build/fuzz fast=$PWD/build/release draw=$PWD/build/release/tests/bin/fault_draw
seed='' count=20 each=120 seconds=0 plants='' json='' kept='' summed=() judge=yes
ways=(replay fuzz empty blind) jobs=${TWINLINK_JOBS:-1} aimed=yes

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
  --judge) judge=$2 ;;
  --aimed) aimed=$2 ;;
  --ways) IFS=, read -r -a ways <<<"replay,$2" ;;
  *) die "no option $1" ;;
  esac
  shift 2
done

# --- the figures of a record, or of several --------------------------------------------------------------------------
# What replay finds with sanitizers is nothing for the other ways; what they gather is theirs with sanitizers, too.
figure() { # WAY OUTCOME; replay unasked: by the program without sanitizers alone
  awk -F'\t' -v way="$1" -v what="$2" '
    { fault = FILENAME ":" $1 }
    $2 == "judge" && $3 == "equivalent" { equivalent[fault] = 1 }
    $3 == "found" { shown[fault] = 1 }
    $2 == "replay" && $3 != "missed" { other[fault] = 1 }
    $2 == "fast" { fast[fault] = 1 }
    $2 == "replay" { asked[fault] = 1 }
    $2 == way && $3 == what { counted[fault] = 1 }
    $2 == way "-sanitized" { sanitized[fault] = 1 }
    way != "replay" && $2 == way && $3 == "missed" { missed[fault] = 1 }
    END {
      for (fault in equivalent) if (!(fault in shown)) { delete missed[fault]; delete fast[fault]; delete counted[fault]; count += what == "equivalent" }
      for (fault in missed) if (fault in sanitized) { if (what == "found") counted[fault] = 1; else delete counted[fault] }
      if (way == "replay" && what == "missed") for (fault in fast) if (!(fault in asked)) counted[fault] = 1
      if (what == "equivalent") { print count + 0; exit }
      if (what == "unasked") for (fault in fast) count += !(fault in asked)
      for (fault in counted) count += way == "replay" || !(fault in other)
      print count + 0
    }' "${records[@]}"
}
share() { # WAY: found of all that it looked for
  local found missed
  found=$(figure "$1" found) missed=$(figure "$1" missed)
  printf '%s of %s%s' "$found" $((found + missed)) "$( ((found + missed)) && printf ', %s %%' $((100 * found / (found + missed))))"
}
say_figures() {
  say "  refused by the compiler $(figure replay refused), the same object code $(figure replay same), equivalent by the hunt $(figure judge equivalent)"
  say "  found by replay of seeds, regressions and the corpus: $(share replay); $(figure replay unasked) not asked with sanitizers yet"
  if ((${#summed[@]})); then
    :
  elif [[ $aimed == yes ]]; then
    say "  fuzz and empty are directed at the lines that differ, as ./run fuzz --changed is; blind is not told of them"
  else
    say "  no way is told where a fault lies"
  fi
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
  git ls-files -z 'linker/*' 'oracle/*' 'fuzz/*.[ch]' fuzz/seeds fuzz/regressions fuzz/corpus.sh corpus 'tests/support/*.[ch]' | xargs -0 cat
  say "$seed $each $aimed"
  cat ${plants:+"$plants"} </dev/null
} | git hash-object --stdin | cut -c 1-12)
work=$root/build/faults/fuzz-$state
record=${kept:-$work/record}
here=$work # where a fault is built and tried; a way that runs beside another one has a place of its own
mkdir -p "$work"
if [[ -s $record ]]; then
  [[ $(head -n 1 "$record") == *" state $state "* ]] || die "$record is of another state: $(head -n 1 "$record")"
else
  say "# commit $(git rev-parse --short=10 HEAD 2>/dev/null || say none) state $state seed $seed each $each aimed $aimed" >"$record"
fi
mapfile -t planted < <(printf '%s\n' linker/*/*.c linker/link.c | grep -v '^linker/base/' | LC_ALL=C sort)

# Which target a fault's two minutes go to, by its file: the one that a campaign has for what no whole link shows.
target_of() { # FILE
  case $1 in
  linker/write/reproduce.c) say tells ;;
  linker/write/file.c | linker/input/file.c) say files ;;
  linker/input/words.c | linker/catalog/option.c | linker/catalog/usage.c) say options ;;
  linker/input/library.c | linker/input/content.c) say foreign ;;
  *) say differential ;;
  esac
}
at_target=differential # of the fault in $work/at
seeds_of() { # TARGET
  if [[ -d $root/fuzz/seeds/$1 ]]; then say "$root/fuzz/seeds/$1"; else say "$root/fuzz/seeds/links"; fi
  say "$root/fuzz/regressions"
  [[ $1 == options ]] || say "$work/corpus/jobs"
}

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

# The file with the fault, compiled as a preset's build compiles it: $here/at/PRESET.o. 1: it makes no program; 3: the same one.
compile_fault() { # BUILD NUMBER FILE BEFORE AFTER
  local build=$1 dir=$here/at name=${1##*/} object command
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

# The fault's target with that object, which stands before the library: the library's own is not asked for any more.
link_fault() { # BUILD NAME
  local build=$1 dir=$here/at link
  link=$(command_of "fuzz/fuzz_$at_target")
  link=${link/linker\/libtwinlink.a/$dir\/${1##*/}.o linker\/libtwinlink.a}
  (cd "$build" && eval "${link/ -o fuzz\/fuzz_$at_target/ -o $dir\/$2}") >>"$dir/log" 2>&1
}

# The program without sanitizers, and that with them, for replay.
build_fast() { # NUMBER FILE BEFORE AFTER
  compile_fault "$fast" "$@" || return
  link_fault "$fast" fast || return 1
}
build_fault() { # NUMBER FILE BEFORE AFTER
  [[ -x $build/fuzz/fuzz_$at_target ]] || die "no $build/fuzz/fuzz_$at_target"
  [[ ! -e $here/at/sanitized ]] || return 0
  compile_fault "$build" "$@" || return
  link_fault "$build" sanitized || return 1
}

# The fault's directed program, $work/directed-NUMBER. What its build shows of the seeds is replay's.
directed_at() { say "$work/directed-$1"; }
build_directed() { # NUMBER
  local dir row result
  dir=$(directed_at "$1")
  [[ ! -e $dir/places ]] || return 0
  IFS=$'\t' read -r -a row < <(row_of "$1")
  mkdir -p "$dir"
  write_fault "$1" "${row[1]}" "${row[4]}" "${row[5]}" "$dir/fault.c"
  [[ ! -e $work/voter-before.o ]] || cp "$work/voter-before.o" "$dir"
  fuzz/directed.sh "$dir" "$fast" "$fast" "${row[1]}=$dir/fault.c" || die "fault $1 makes no directed program; see $dir/log"
  mv "$dir/voter-before.o" "$work"
  rm -rf "$dir/before.o" "$dir/changed.o" "$dir/source" "$dir/before"
  result=$("$dir/directed" --documents docs --documents README.md --places "$dir/places" --found "$dir" --only --first "${seeds[@]}" || true)
  [[ $result != *" 1 findings"* ]] || note_result "$1" replay "found"$'\t0\t'"directed: $(cut -f 2 "$dir"/*.cause | head -n 1)"
}

# A directed way over one fault: it has EACH seconds, and its finding is shown by a process of its own, too. Where that shows
# nothing, as with a read of what another process has elsewhere, the way goes on with what is left of its time.
try_directed() { # WAY NUMBER
  local dir found from=() within=() outcome=missed finding report what=- spent=0 runs=0
  dir=$(directed_at "$2") found=$work/$1-found-$2
  rm -rf "$found"
  [[ $1 == empty ]] || from=("${seeds[@]}")
  while [[ $outcome == missed ]] && awk -v spent="$spent" -v each="$each" 'BEGIN { exit !(spent < each) }'; do
    within=()
    ((!seconds)) || within=(timeout -s KILL $((seconds > SECONDS ? seconds - SECONDS + 1 : 1)))
    mkdir -p "$found/$runs"
    report=$(${within[@]+"${within[@]}"} "$dir/directed" --documents docs --documents README.md --places "$dir/places" --found "$found/$runs" \
      --time "$(awk -v spent="$spent" -v each="$each" 'BEGIN { print each - spent }')" --first --seed $((seed + $2 + runs)) ${from[@]+"${from[@]}"} || true)
    if [[ -z $report ]]; then
      ! time_is_up || return 0
      report="$each s, it ended"
    fi
    for finding in "$found/$runs"/*.cause; do
      [[ -e $finding ]] || continue
      what=$("$dir/directed" --documents docs --documents README.md --places "$dir/places" --replay "${finding%.cause}" || true)
      if [[ $what != *answer ]]; then outcome=found; fi
    done
    spent=$(awk -v spent="$spent" -v more="${report%% s,*}" 'BEGIN { printf "%.1f", spent + (more > 0.1 ? more : 0.1) }')
    runs=$((runs + 1))
  done
  note_result "$2" "$1" "$outcome"$'\t'"$spent"$'\t'"$what"
  say "    ${report#* s, }"
}

# The voter of the faulty linkers, whose memory is the board's.
build_voter() {
  local object=fuzz/CMakeFiles/fuzz_voter_linker.dir/voter_linker.c.o command build=$fast
  [[ ! -e $work/voter.o ]] || return 0
  command=$(command_of "$object")
  command=${command/ -D_POSIX/ -Dmalloc=board_malloc -Dfree=board_free -Dfuzz_memory=board_memory -D_POSIX}
  (cd "$fast" && eval "$(sed -E "s| -M[FT] [^ ]+||g; s| -MD||; s| -o $object | -o $work/voter.o |" <<<"$command")")
}

# A linker with its fault as one function, board_link_NUMBER: $work/members/NUMBER.o.
build_member() { # NUMBER
  local to=$work/members/$1.o row
  mkdir -p "$work/members"
  build_voter
  if [[ ! -e $here/at/release.o ]]; then # of a record that came without them
    IFS=$'\t' read -r -a row < <(row_of "$1")
    compile_fault "$fast" "$1" "${row[1]}" "${row[4]}" "${row[5]}" || die "fault $1 makes no program any more"
  fi
  ld -r -o "$to.all" -u fuzz_link_linker "$here/at/release.o" "$work/voter.o" --start-group "$fast/linker/libtwinlink_command.a" \
    "$fast/linker/libtwinlink.a" --end-group
  objcopy --strip-debug --keep-global-symbol=fuzz_link_linker "$to.all"
  objcopy --redefine-sym "fuzz_link_linker=board_link_$1" "$to.all" "$to"
  rm -f "$to.all"
}

# All of them in one fuzzer, $work/board-HASH/differential, and blind.
board_of() { printf '%s' "$(say "$*" | git hash-object --stdin | cut -c 1-8)"; } # NUMBER...
build_board() { # NUMBER...
  local dir target=fuzz/CMakeFiles/fuzz_differential.dir/targets/differential.c.o number command link members=
  dir=$work/board-$(board_of "$@")
  [[ ! -e $dir/of ]] || return 0
  rm -rf "$dir"
  mkdir -p "$dir"
  {
    say '#include "tests/faults/fuzz_board.h"'
    for number in "$@"; do say "void board_link_$number(const fuzz_envelope *envelope, fuzz_answer *answer);"; done
    say 'const board_program board_programs[] = {'
    for number in "$@"; do say "  {$number, board_link_$number},"; done
    say '};'
    say 'const size_t board_program_count = sizeof board_programs / sizeof *board_programs;'
  } >"$dir/programs.c"
  command=$(command_of "$target" | sed -E 's| -M[FT] [^ ]+||g; s| -MD||')
  command=${command/ -c $root\/fuzz\/targets\/differential.c/}
  for number in "$@"; do
    if [[ ! -e $work/members/$number.o ]]; then
      rm -rf "$here/at"
      build_member "$number"
    fi
    members+=" $work/members/$number.o"
  done
  [[ -x $build/fuzz/fuzz_differential ]] || die "no $build/fuzz/fuzz_differential"
  (cd "$build" && eval "${command/ -o $target/ -o $dir\/board.o -c $root\/tests\/faults\/fuzz_board.c}") || die "no board"
  (cd "$build" && eval "${command/ -o $target/ -o $dir\/programs.o -c $dir\/programs.c}") || die "no board"
  link=$(command_of fuzz/fuzz_differential)
  link=${link/$target/$dir\/board.o $dir\/programs.o$members}
  (cd "$build" && eval "${link/ -o fuzz\/fuzz_differential/ -o $dir\/differential}") || die "no board"
  link=${link/fuzz\/CMakeFiles\/fuzz_differential.dir\/engine_libfuzzer.c.o/}
  (cd "$build" && eval "${link/ -o fuzz\/fuzz_differential/ -o $dir\/blind}") || die "no board"
  say "$*" >"$dir/of"
}

# An input that the right program is content with, and the one with the fault is not, each by itself; and not a limit of time
# on a busy machine. What is not shown again is kept in `unsteady`: an input's answer is not to depend on those before it.
is_shown() { # FINDING
  [[ $1 != *-slow-unit-* && $1 != *-timeout-* && $1 != *.cause ]] || return 1
  # without sanitizers first: most of what is found on damaged files the right program differs on too
  env -u TWIN_FUZZ_FINDINGS "build/release/fuzz/fuzz_$at_target" "$1" >/dev/null 2>&1 </dev/null || return 1
  env -u TWIN_FUZZ_FINDINGS "$build/fuzz/fuzz_$at_target" -timeout=60 "$1" >/dev/null 2>&1 </dev/null || return 1
  ! env -u TWIN_FUZZ_FINDINGS "$here/at/sanitized" -timeout=60 "$1" >/dev/null 2>&1 </dev/null && return 0
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
  TWIN_FUZZ_FINDINGS=$here/found "${@:2}" >>"$here/log" 2>&1 </dev/null &
  running=$!
  while [[ -z $shown ]] && ((alive)); do
    sleep 1
    now=$(processor_of "$running")
    spent=${now:-$spent}
    # the last look is at a program that makes no more of them
    if ((SECONDS - begin >= 20 * limit + 60)); then code=1; fi
    if ((spent >= limit || code)); then kill -KILL "$running" 2>/dev/null || true; fi
    kill -0 "$running" 2>/dev/null || alive=0
    shown=$(shown_of "$here/found")
  done
  kill -KILL "$running" 2>/dev/null || true
  wait "$running" 2>/dev/null || true
  return "$code"
}

options=(-timeout=60 -rss_limit_mb=4096 -max_len=65536 -entropic=0 -use_counters=0 -detect_leaks=0)
mapfile -t seeds < <(seeds_of differential)

# With sanitizers: "found SECONDS WHAT", "missed SECONDS -" or "late SECONDS -", in processor time.
replay_inputs() { # DIRECTORY...
  local shown='' spent=0 outcome=missed
  rm -rf "$here/found"
  mkdir -p "$here/found"
  : >"$here/log"
  run_way 600 "$here/at/sanitized" "${options[@]}" "-artifact_prefix=$here/found/" -runs=0 "$@" || outcome=late
  [[ -z $shown ]] || outcome=found
  printf '%s\t%s\t%s\n' "$outcome" "$spent" "$( ([[ -n $shown ]] && head -c 160 "$shown.cause" 2>/dev/null | tr '\t\n' '  ') || printf -- -)"
}

known() { awk -F'\t' -v number="$1" -v way="$2" '$1 == number && $2 == way { print $3 }' "$record"; }
note() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$record"; }
time_is_up() { ((seconds && SECONDS >= seconds)); }

# What the program without sanitizers says of seeds and regressions, which the right one is content with, as try_way does.
replay_fast() {
  local begin=$SECONDS code=0 what
  # the right program takes less than a second
  # and nobody has changed the seeds, so that no row of known differences is about them
  (
    ulimit -v 8000000
    ulimit -t 5
    unset TWIN_FUZZ_FINDINGS
    mapfile -t from < <(seeds_of "$at_target")
    TWIN_FUZZ_UNDAMAGED=1 "$here/at/fast" "${from[0]}" && "$here/at/fast" "${from[@]:1}"
  ) >"$here/log" 2>&1 </dev/null || code=$?
  if ((!code)); then
    printf 'missed\t%s\t-\n' $((SECONDS - begin))
    return
  fi
  what=$(grep -a -m 1 '^FOUND' "$here/log" | cut -c 7-166 | tr '\t' ' ' || true)
  printf 'found\t%s\t%s\n' $((SECONDS - begin)) "${what:-exit code $code}"
}

note_result() { # NUMBER WAY RESULT
  if [[ $3 == late* ]]; then
    say "fault $1: $2 had no processor; it is tried again by the next call"
    seconds=1
    return 0
  fi
  note "$1" "$2" "$3"
  say "fault $1: $2 $3"
}

# Replay without sanitizers, whose verdict is that of replay but for `missed`. 1: there is no such fault.
try_fast() { # NUMBER
  local row file before after way=fast result='' code=0
  row=$(row_of "$1")
  [[ -n $row ]] || return 1
  IFS=$'\t' read -r _ file _ _ before after <<<"$row"
  rm -rf "$here/at"
  at_target=$(target_of "$file")
  build_fast "$1" "$file" "$before" "$after" || code=$?
  if ((code)); then
    result=$( ((code == 3)) && printf same || printf refused)
  else
    result=$(replay_fast)
  fi
  if [[ $result != missed* ]]; then way=replay; elif [[ $at_target == differential ]]; then build_member "$1"; fi
  note_result "$1" "$way" "$result"
}

# A way over one fault of a target of its own.
try_own() { # WAY NUMBER
  local way=$1 number=$2 row file before after shown='' spent=0 outcome=missed code=0 from=() dir=$work/$1-own-$2 program longest=
  IFS=$'\t' read -r _ file _ _ before after < <(row_of "$number")
  rm -rf "$here/at" "$here/found" "$dir"
  at_target=$(target_of "$file")
  mkdir -p "$dir" "$here/found"
  : >"$here/log"
  build_fault "$number" "$file" "$before" "$after" || code=$?
  if ((code)); then
    note_result "$number" replay same
    return
  fi
  [[ $way == empty ]] || mapfile -t from < <(seeds_of "$at_target")
  program=$here/at/sanitized
  [[ $at_target == tells ]] || longest=-max_len=512
  run_way "$each" "$program" "${options[@]}" ${longest:+"$longest"} "-artifact_prefix=$here/found/" "-seed=$((seed % 1000000 + number))" "$dir" \
    ${from[@]+"${from[@]}"} || outcome=late
  [[ -z $shown ]] || outcome=found
  note_result "$number" "$way" "$outcome"$'\t'"$spent"$'\t'"$( ([[ -n $shown ]] && head -c 160 "$shown.cause" 2>/dev/null | tr '\t\n' '  ') || printf -- -)"
}
own_of() { # NUMBER: its target is not that of whole links
  local file
  IFS=$'\t' read -r _ file _ < <(row_of "$1")
  [[ $(target_of "$file") != differential ]]
}

# With sanitizers: seeds and regressions, then, if those do not show it, what the ways that missed it have gathered.
try_sanitized() { # NUMBER
  local row file before after way result from
  IFS=$'\t' read -r _ file _ _ before after < <(row_of "$1")
  rm -rf "$here/at"
  at_target=$(target_of "$file")
  if ! build_fault "$1" "$file" "$before" "$after"; then
    note_result "$1" replay same
    return
  fi
  mapfile -t from < <(seeds_of "$at_target")
  result=$(replay_inputs "${from[@]}")
  if [[ $result == missed* && $at_target != differential ]]; then
    result=$'missed\t0\t-'
  elif [[ $result == missed* ]]; then
    for way in fuzz empty; do
      [[ $(known "$1" "$way") == missed ]] || continue
      from=()
      for row in "$work/$way"-*/corpus "$work/$way-found-$1"; do [[ ! -d $row ]] || from+=("$row"); done
      ((${#from[@]})) || continue
      result=$(replay_inputs "${from[@]}")
      [[ $result != found* ]] || note_result "$1" "$way-sanitized" "$result"
    done
    result=$'missed\t0\t-'
  fi
  note_result "$1" replay "$result"
}

# A way over all faults that have no verdict of it. It goes on where a call before left it.
try_board() { # WAY NUMBER...
  local way=$1 dir board program begin runs=0 from=() number limit=()
  shift
  board=$work/board-$(board_of "$@") dir=$work/$way-$(board_of "$@")
  program=$board/differential
  mkdir -p "$dir/corpus" "$dir/ended"
  [[ -e $dir/clock ]] || say "0 0" >"$dir/clock"
  [[ $way == empty ]] || from=("${seeds[@]}")
  [[ $way != blind ]] || program=$board/blind
  while ! time_is_up && awk -v each="$each" '{ code = $1 >= each } END { exit code }' "$dir/clock"; do
    [[ $(find "$dir" -maxdepth 1 -name '*.cause' | wc -l) -lt $# ]] || break
    runs=$((runs + 1))
    ((!seconds)) || limit=(timeout -s KILL $((seconds > SECONDS ? seconds - SECONDS + 1 : 1)))
    begin=$SECONDS
    TWIN_BOARD=$dir TWIN_BOARD_EACH=$each ${limit[@]+"${limit[@]}"} "$program" "${options[@]}" "-artifact_prefix=$dir/ended/" \
      "-seed=$((seed + runs + SECONDS))" "$dir/corpus" ${from[@]+"${from[@]}"} >"$dir/log" 2>&1 </dev/null || true
    # what ends the right program at once, again and again, ends no way: its time is up some day
    if ((SECONDS == begin)); then awk '{ print $1 + 1, $2 }' "$dir/clock" >"$dir/clock.new" && mv "$dir/clock.new" "$dir/clock"; fi
  done
  ! time_is_up || return 0
  for number in "$@"; do
    if [[ -e $dir/$number.cause ]] && is_steady "$board" "$dir" "$number"; then
      note_result "$number" "$way" "found"$'\t'"$(head -c 160 "$dir/$number.cause" | head -n 1)"
    else
      note_result "$number" "$way" "missed"$'\t'"$each"$'\t-'
    fi
  done
  say "$way: $(<"$dir/clock") (seconds, inputs), corpus $(find "$dir/corpus" -type f | wc -l)"
}

# The input shows the fault in a process of its own, too.
is_steady() { # BOARD DIRECTORY NUMBER
  local again=$2/again
  rm -rf "$again"
  mkdir -p "$again"
  TWIN_BOARD=$again TWIN_BOARD_EACH=1000 "$1/differential" "${options[@]}" "$2/$3" >"$2/log" 2>&1 </dev/null || true
  [[ -e $again/$3.cause ]]
}

missed_by() { awk -F'\t' -v way="$1" '$2 == way && $3 == "missed" { print $1 }' "$record" | sort -n; }
found_by_any() { awk -F'\t' '$3 == "found" && $2 != "judge" { print $1 }' "$record" | sort -u; }
equivalent() { comm -23 <(awk -F'\t' '$2 == "judge" && $3 == "equivalent" { print $1 }' "$record" | sort -u) <(found_by_any); }
# Those that replay did not find, with or without sanitizers; and those of them that a way was not tried on.
open_faults() {
  comm -23 <(missed_by fast | sort) <(awk -F'\t' '$2 == "replay" && $3 != "missed" { print $1 }' "$record" | sort) |
    comm -23 - <(equivalent) | sort -n
}
real_faults() { comm -23 <(missed_by replay | sort) <(equivalent); }
open_for() { # WAY
  local open
  for open in $(open_faults); do [[ -n $(known "$open" "$1") ]] || say "$open"; done
}
is_asked() { [[ " ${ways[*]} " == *" $1 "* ]]; }

# The hunt's verdicts on what no way found, "found", "missed" or "equivalent". Its programs are those of the corpus and made ones,
# not the generated ones, which take an hour to compile.
judge_faults() {
  local numbers number verdict by limit=()
  numbers=$(comm -23 <(open_for judge | sort) <(found_by_any) | sort -n | paste -sd,)
  [[ $judge == yes && -z $plants && -n $numbers ]] || return 0
  ((!seconds)) || limit=(--time $((seconds > SECONDS ? seconds - SECONDS : 1)))
  rm -f "$work/verdicts"
  tests/faults/faults.sh --in sources --seed "$seed" --numbers "$numbers" --program-count 0 --require 0 \
    --verdicts "$work/verdicts" ${limit[@]+"${limit[@]}"} >"$work/judge.log" 2>&1 || true
  [[ -e $work/verdicts ]] || die "the hunt gave no verdict; see $work/judge.log"
  while IFS=$'\t' read -r number verdict by; do
    [[ -n $(known "$number" judge) ]] || note_result "$number" judge "$verdict"$'\t0\t'"$by"
  done <"$work/verdicts"
}

# The faults of a way's board, those that it was not tried on, and the board.
is_directed() { [[ $aimed == yes && $1 != blind ]]; } # WAY
board_for() {                                         # WAY
  local number
  ! is_directed "$1" || return 0
  for number in $(open_for "$1"); do own_of "$number" || say "$number"; done
}
build_boards() { # WAY
  mapfile -t open < <(board_for "$1")
  if ! time_is_up && ((${#open[@]})); then build_board "${open[@]}"; fi
}
try_way() { # WAY: the board first, then those with a target of their own
  local way=$1 number
  here=$work/at-$way
  mkdir -p "$here"
  mapfile -t open < <(board_for "$way")
  if ! time_is_up && ((${#open[@]})); then try_board "$way" "${open[@]}"; fi
  for number in $(open_for "$way"); do
    if time_is_up; then
      break
    elif own_of "$number"; then
      try_own "$way" "$number"
    elif is_directed "$way"; then
      try_directed "$way" "$number"
    fi
  done
  here=$work
}

# Replay until enough is missed that is not equivalent, then the ways over what it missed, and with sanitizers; again where those
# find what replay is to find. The blind way, which is no part of the goal, comes last.
fuzz/corpus.sh "$work/corpus" "$fast"
number=0 drawn=1
while ! time_is_up && ((drawn && $(real_faults | wc -l) < count)); do
  while ! time_is_up && (($(open_faults | wc -l) < count)); do
    [[ -n $(known "$number" replay)$(known "$number" fast) ]] || try_fast "$number" || { drawn=0 && break; }
    number=$((number + 1))
  done
  for number in $(open_faults); do
    if ! time_is_up && is_directed fuzz && ! own_of "$number"; then build_directed "$number"; fi
  done
  for way in fuzz empty; do
    ! is_asked "$way" || build_boards "$way"
  done
  for way in fuzz empty; do
    is_asked "$way" || continue
    if ((jobs > 1)); then try_way "$way" & else try_way "$way"; fi
  done
  wait
  for number in $(open_for replay); do
    time_is_up || try_sanitized "$number"
  done
  time_is_up || judge_faults
  number=0
done
# the targets of plain bytes have no mutator, and `tells` shows little that bytes do not
mapfile -t open < <(for number in $(open_for blind); do own_of "$number" || say "$number"; done)
if is_asked blind && ! time_is_up && ((${#open[@]})); then
  build_board "${open[@]}"
  try_board blind "${open[@]}"
fi
rm -rf "$here/at" "$here/found"

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
