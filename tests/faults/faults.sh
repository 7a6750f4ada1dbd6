#!/usr/bin/env bash
# Planted faults: `./run faults --seed S`. Draws faults over the lines of a room (fault_draw), builds each as a program of
# its own in one binary, and looks for an input that shows it (hunt.c): linker against reference, and `twin check`.
#
#   --seed S         the draw; the same seed and sources give the same faults
#   --in ROOM        linker (default), reference, check, compare; sources: the linker's .c files that fuzz.sh draws from
#   --count N        faults, default 60
#   --time T         seconds; what was found is recorded, and the next call goes on
#   --programs DIR   generated programs as `twin conformance --keep` leaves them; default build/faults/programs, made here
#                    where the toolkit is installed. --program-count N: default 300
#   --numbers LIST   those draws alone, numbers with commas between; what makes no program among them is left out
#   --others N       inputs on which an equivalent fault has to answer as if it were not there; default 10000
#   --inputs PERCENT generated inputs other than programs, in percent of the usual number; default 100
#   --plants FILE    faults planted by hand instead of drawn ones: lines FILE BEFORE AFTER, tabs between
#   --only TEXT      jobs of the corpus whose names hold it
#   --require N      exit code 1 when fewer than N percent of the real faults are found; default 90
#   --json FILE      the report once more
#   --verdicts FILE  the record once more: lines NUMBER VERDICT BY, tabs between
#   --uncovered FILE instead of faults: the lines of the room that no input of the hunt executes
#
# A fault is a changed copy of one file, compiled with that file's own command. Its object takes the place of the right
# one, and everything is linked into one relocatable object in which only the program's main is visible, under the
# fault's number. So any line can be changed, tables and headers too, and equal object code is seen. The programs that
# are shipped contain nothing of it. In check and compare a fault is found when their tests fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seed='' room=linker count=60 seconds=0 programs='' program_count=300 others=10000 json='' plants='' only='' require=90 inputs=100 uncovered='' numbers='' verdicts=''
root=$PWD
build=$root/build/release
jobs=${TWINLINK_JOBS:-$(nproc 2>/dev/null || echo 2)}

say() { printf '%s\n' "$*"; }
die() {
  printf 'faults: %s\n' "$*" >&2
  exit 2
}

while (($#)); do
  (($# > 1)) || die "$1 needs a value"
  case $1 in
  --seed) seed=$2 ;;
  --in) room=$2 ;;
  --count) count=$2 ;;
  --time) seconds=$2 ;;
  --programs) programs=$2 ;;
  --program-count) program_count=$2 ;;
  --others) others=$2 ;;
  --only) only=$2 ;;
  --numbers) numbers=$2 ;;
  --verdicts) verdicts=$2 ;;
  --require) require=$2 ;;
  --inputs) inputs=$2 ;;
  --plants) plants=$2 seed=0 ;;
  --json) json=$2 ;;
  --uncovered) uncovered=$2 seed=0 ;;
  *) die "no option $1" ;;
  esac
  shift 2
done
[[ $seed =~ ^[0-9]+$ ]] || die "--seed NUMBER is needed"
[[ $count =~ ^[1-9][0-9]*$ && $program_count =~ ^[0-9]+$ && $others =~ ^[0-9]+$ && $seconds =~ ^[0-9]+$ && $inputs =~ ^[0-9]+$ && $numbers =~ ^[0-9,]*$ ]] ||
  die "a number is no number"

# What a room is: where faults are planted, which sources make its program, whose objects have the other vote.
case $room in
sources) # as fuzz.sh plants them
  planted=(linker/*/*.c linker/link.c)
  left_out='^linker/base/' objects='^linker/' voter='^oracle/(reference|cubin)/'
  ;;
linker)
  planted=(linker/*.[ch] linker/*/*.[ch])
  left_out='^linker/(base/|main\.c$)' objects='^linker/' voter='^oracle/(reference|cubin)/'
  ;;
reference)
  planted=(oracle/reference/*.[ch])
  left_out='^oracle/reference/main\.c$' objects='^oracle/(reference|cubin)/' voter='^linker/'
  ;;
check)
  planted=(oracle/check/*.[ch])
  left_out='^$' objects='^oracle/(check|sass|compare|cubin)/' voter=
  tests=(printed check check-map canonical)
  ;;
compare)
  planted=(oracle/compare/*.[ch])
  left_out='^$' objects='^oracle/(check|sass|compare|cubin)/' voter=
  tests=(printed compare_commands compare_mutations check voters-check canonical)
  ;;
*) die "no room '$room': linker, reference, check or compare" ;;
esac
mapfile -t planted < <(printf '%s\n' "${planted[@]}" | grep -vE "$left_out" | LC_ALL=C sort)

# The state of everything that a program with a fault depends on, and of everything that a verdict does: another state is
# another directory, another record. Where only inputs are changed the programs stay.
state_of() { git ls-files -z "$@" | xargs -0 cat | git hash-object --stdin | cut -c 1-12; }
made_of=$(state_of linker oracle tests/support tests/harness tests/faults/{draw,source,tokens}.[ch] tests/faults/guarded_* tests/faults/shadow)
state=$(state_of linker oracle corpus tests fuzz/*.[ch] docs/specification tools/damage_{mutate,fields}.c)
work=$root/build/faults/$room-$seed-$count-$made_of
[[ -z $plants ]] || {
  work=$root/build/faults/$room-planted
  rm -rf "$work"
  count=$(wc -l <"$plants")
}
[[ -z $numbers ]] || {
  work=$root/build/faults/$room-$seed-$(git hash-object --stdin <<<"$numbers" | cut -c 1-8)-$made_of
  IFS=, read -r -a chosen <<<"$numbers"
  count=${#chosen[@]}
}
[[ -z $uncovered ]] || {
  [[ $room == linker || $room == reference ]] || die "--uncovered is for linker and reference"
  work=$root/build/faults/$room-uncovered
}
record=$work/record-$state
mkdir -p "$work"

# "file<TAB>command" of the build, for the sources that match.
commands() { # REGULAR-EXPRESSION
  awk -v root="$root/" -F'": "' '
    /"command":/ { command = $2; sub(/",?$/, "", command); gsub(/\\"/, "\"", command) }
    /"file":/ { file = $2; sub(/",?$/, "", file); sub(root, "", file); print file "\t" command }' \
    "$build/compile_commands.json" | awk -F'\t' '!seen[$1]++' | grep -E "$1"
}

# The command that compiles a source into another object, from another place: errors are only what makes no program.
rewrite() { # COMMAND FROM TO OBJECT
  local command=$1
  command=${command/ -Werror / -I$root -Wno-error -Werror=incompatible-pointer-types -Werror=int-conversion -Werror=implicit-function-declaration }
  command=${command/% -c $root\/$2/ -c $3}
  [[ $command =~ ^(.*)\ -o\ [^\ ]+\ (.*)$ ]] || return 1
  printf '%s -o %s %s' "${BASH_REMATCH[1]}" "$4" "${BASH_REMATCH[2]}"
}

compile() { # SOURCE FROM OBJECT [FLAGS]: compiles SOURCE as the file FROM of the tree is compiled
  local command
  command="$(rewrite "${command_of[$2]}" "$2" "$1" "$3") ${4-}" || return 1
  (cd "$build" && eval "${command/ -c / -iquote "$root/${2%/*}" -c }") 2>"$3.log" </dev/null
}

# The reference's memory tells its sanitizer what nobody may touch; the hunt's header in that one's place looks after it.
shadowed() { # FILE COMMAND
  if [[ $1 == oracle/reference/memory.c ]]; then
    printf '%s' "${2/ -I/ -DREF_HAS_SHADOW -I$root/tests/faults/shadow -I}"
  else
    printf '%s' "$2"
  fi
}

declare -A command_of
read_commands() {
  local file command
  while IFS=$'\t' read -r file command; do command_of[$file]=$(shadowed "$file" "$command"); done < <(commands "$objects")
  ((${#command_of[@]})) || die "nothing is built for $room; ./run build"
}

# The sources that read a header. Paths are absolute, or from the build's directory where a compiler cache wrote them.
readers_of() { # HEADER
  ninja -C "$build" -t deps | awk -v header="$1" -v root="$root/" '
    /^[^ ].*: #deps/ { source = ""; next }
    { path = $1; if (index(path, root) == 1) path = substr(path, length(root) + 1); sub(/^(\.\.\/)+/, "", path) }
    /^ / && source == "" { source = path }
    path == header { print source }' | grep -E "$objects" | sort -u
}

object_of() { printf '%s/whole/%s.o' "$work" "${1//\//@}"; }

# All objects without a fault: those of the build, without what is only for a debugger. The linker's memory is guarded, and
# both tell the codes of their messages.
build_whole() {
  mkdir -p "$work/whole"
  local file
  for file in "${!command_of[@]}"; do take_object "$file" "${command_of[$file]}" "$(object_of "$file")"; done
}

# What stands in for a source in the hunt, or nothing.
guarded_of() { # FILE
  local guarded=
  case $1 in
  linker/base/*) guarded=tests/faults/guarded_${1##*/} ;;
  linker/main.c) guarded=tests/faults/guarded_main.c ;;
  oracle/reference/main.c) guarded=tests/faults/guarded_ref_main.c ;;
  oracle/cubin/ref_cubin.c) guarded=tests/faults/guarded_ref_cubin.c ;;
  esac
  [[ -z $guarded || ! -e $guarded ]] || printf '%s' "$guarded"
}

# The object of the build, or what stands in for it.
take_object() { # FILE COMMAND TO
  local guarded command
  guarded=$(guarded_of "$1")
  [[ $2 != *-DREF_HAS_SHADOW* ]] || guarded=$1
  if [[ -n $guarded ]]; then
    command=$(rewrite "$2" "$1" "$root/$guarded" "$3") || die "cannot compile $guarded"
    (cd "$build" && eval "${command/ -c / -iquote "$root/${1%/*}" -c }") 2>"$3.log" </dev/null || die "cannot compile $guarded"
    objcopy --strip-debug "$3"
    return
  fi
  [[ $2 =~ \ -o\ ([^\ ]+)\  ]] || die "no object of $1"
  objcopy --strip-debug "$build/${BASH_REMATCH[1]}" "$3"
}

# The other linker as it is.
build_voter() {
  local file command all=()
  mkdir -p "$work/voter"
  while IFS=$'\t' read -r file command; do
    take_object "$file" "$(shadowed "$file" "$command")" "$work/voter/${file//\//@}.o"
    all+=("$work/voter/${file//\//@}.o")
  done < <(commands "$voter")
  join voter "$work/voter.o" "${all[@]}"
}

# The program without a fault that tells which lines it executes (hunt_reach.c), in the files that have faults.
build_traced() {
  local file object all=() traced=()
  if [[ -n $uncovered ]]; then
    traced=("${planted[@]}")
  else
    mapfile -t traced < <(awk -F'\t' '$7 == "built" && $2 ~ /\.c$/ { print $2 }' "$work/faults" | sort -u)
  fi
  mkdir -p "$work/traced"
  for file in "${!command_of[@]}"; do
    object=$(object_of "$file")
    if [[ " ${traced[*]-} " == *" $file "* ]]; then
      object=$work/traced/${file//\//@}.o
      compile "$root/$file" "$file" "$object" '-O0 -g -fsanitize-coverage=trace-pc' || die "cannot compile $file"
    fi
    all+=("$object")
  done
  join traced "$work/traced.o" "${all[@]}"
}

# One relocatable object: main is FAULT_MAIN_<NUMBER>, all other names are its own.
join() { # NUMBER-NAME TO OBJECT...
  local name=$1 to=$2
  shift 2
  ld -r -o "$to.all" "$@"
  [[ $name == traced ]] || objcopy --strip-debug "$to.all"
  objcopy --keep-global-symbol=main "$to.all"
  objcopy --redefine-sym "main=fault_main_$name" "$to.all" "$to"
  rm -f "$to.all"
}

# The faults of the seed, or those of --plants, which are lines FILE BEFORE AFTER with tabs between: the first place in
# the file at which BEFORE stands.
draw_faults() { # FIRST COUNT
  if [[ -z $plants ]]; then
    "$build/tests/bin/fault_draw" rows "$seed" "$1" "$2" "${planted[@]}"
    return
  fi
  local number=-1 file before after line
  while IFS=$'\t' read -r file before after; do
    number=$((number + 1))
    ((number >= $1 && number < $1 + $2)) || continue
    line=$(grep -nF -m 1 -- "$before" "$file") || die "no '$before' in $file"
    printf '%s\t%s\t%s\tplanted by hand\t%s\t%s\n' "$number" "$file" "${line%%:*}" "$before" "$after"
  done <"$plants"
}

write_fault() { # NUMBER FILE TO
  if [[ -z $plants ]]; then
    "$build/tests/bin/fault_draw" write "$seed" "$1" "$3" "${planted[@]}"
    return
  fi
  local before after text
  IFS=$'\t' read -r _ before after < <(sed -n "$(($1 + 1))p" "$plants")
  text=$(<"$2")
  printf '%s\n' "${text/"$before"/"$after"}" >"$3"
}

# A draw: 0 when it makes a program; $work/N.state then says `built` or `same`.
build_fault() { # NUMBER FILE
  local number=$1 file=$2 dir=$work/at-$1 sources source object same=same replaced=() all=()
  rm -rf "$dir"
  mkdir -p "$dir"
  if [[ $file == *.h ]]; then
    cp -rs --no-preserve=mode "$root/${file%%/*}" "$dir/"
    rm -f "$dir/$file"
    mapfile -t sources < <(readers_of "$file")
    ((${#sources[@]})) || return 1
  else
    mkdir -p "$dir/${file%/*}"
    sources=("$file")
  fi
  write_fault "$number" "$file" "$dir/$file"
  for source in "${sources[@]}"; do
    object=$dir/${source//\//@}.o
    if [[ $file == *.h ]]; then
      # The copies of the other files must find the changed header, not the tree's.
      (command_of[$source]=${command_of[$source]//-I$root/-I$dir} && compile_in_copy "$dir" "$source" "$object") || return 1
    else
      compile "$dir/$source" "$source" "$object" || return 1
    fi
    objcopy --strip-debug "$object"
    cmp -s "$object" "$(object_of "$source")" || same=built
    replaced+=("$source")
  done
  if [[ $same == built && -z $voter ]]; then
    mkdir -p "$work/objects-$number"
    for source in "${replaced[@]}"; do
      [[ ${command_of[$source]} =~ \ -o\ ([^\ ]+)\  ]] || return 1
      object=${BASH_REMATCH[1]}
      cp "$dir/${source//\//@}.o" "$work/objects-$number/${object//\//@}"
    done
  elif [[ $same == built ]]; then
    for source in "${!command_of[@]}"; do
      object=$(object_of "$source")
      [[ " ${replaced[*]} " != *" $source "* ]] || object=$dir/${source//\//@}.o
      all+=("$object")
    done
    join "$number" "$work/$number.o" "${all[@]}" || return 1
  fi
  rm -rf "$dir"
  printf '%s\n' "$same" >"$work/$number.state"
}

compile_in_copy() { # DIRECTORY SOURCE OBJECT: as compile, but the source is that of the copy, beside the copy's own headers
  local command guarded source=$1/$2
  guarded=$(guarded_of "$2")
  [[ -z $guarded ]] || source=$root/$guarded
  command=$(rewrite "${command_of[$2]}" "$2" "$source" "$3") || return 1
  command=${command/ -I/ -I$1 -I}
  (cd "$build" && eval "$command") 2>"$3.log" </dev/null
}

# Draws until `count` of them make programs; rows with their state go to $work/faults.
build_faults() {
  local first=0 made=0 batch rows row fields running number
  : >"$work/faults.new"
  while ((made < count)); do
    batch=$((count - made))
    ((batch >= 8)) || [[ -n $plants$numbers ]] || batch=8
    if [[ -n $numbers ]]; then
      mapfile -t rows < <(for number in "${chosen[@]}"; do draw_faults "$number" 1; done)
    else
      mapfile -t rows < <(draw_faults "$first" "$batch")
    fi
    ((${#rows[@]} == batch)) || die "not so many faults can be planted in $room"
    running=0
    for row in "${rows[@]}"; do
      IFS=$'\t' read -r -a fields <<<"$row"
      [[ -e $work/${fields[0]}.state ]] && continue
      { build_fault "${fields[0]}" "${fields[1]}" >"$work/${fields[0]}.log" 2>&1 || printf 'refused\n' >"$work/${fields[0]}.state"; } &
      running=$((running + 1))
      if ((running >= jobs)); then
        wait -n || true
        running=$((running - 1))
      fi
    done
    wait
    for row in "${rows[@]}"; do
      IFS=$'\t' read -r -a fields <<<"$row"
      read -r verdict <"$work/${fields[0]}.state"
      rm -rf "${work:?}/at-${fields[0]}"
      if [[ $verdict != refused ]] && ((made < count)); then
        printf '%s\t%s\n' "$row" "$verdict" >>"$work/faults.new"
        made=$((made + 1))
      fi
    done
    [[ -z $numbers ]] || break
    first=$((first + batch))
  done
  mv "$work/faults.new" "$work/faults"
}

# The table of the programs, and the binary.
build_hunt() {
  local numbers number others=()
  mapfile -t numbers < <(awk -F'\t' -v voter="$voter" '$7 == "built" && voter { print $1 }' "$work/faults")
  if [[ -n $voter ]]; then
    join whole "$work/whole.o" "$work"/whole/*.o
    build_voter
    build_traced
    others=("$work/whole.o" "$work/voter.o" "$work/traced.o")
  fi
  {
    say '#include "tests/faults/hunt.h"'
    for number in whole voter traced ${numbers[@]+"${numbers[@]}"}; do say "int fault_main_$number(int argc, char **argv);"; done
    say 'const hunt_program hunt_programs[] = {'
    [[ -z $voter ]] || say '  {HUNT_OWN, fault_main_whole}, {HUNT_VOTER, fault_main_voter}, {HUNT_TRACED, fault_main_traced},'
    for number in ${numbers[@]+"${numbers[@]}"}; do say "  {$number, fault_main_$number},"; done
    say '  {0, NULL}};'
  } >"$work/programs.c"
  numbers=(${numbers[@]+"${numbers[@]/%/.o}"})
  cc -std=c17 -no-pie -I"$root" -o "$work/hunt" "$work/programs.c" ${others[@]+"${others[@]}"} ${numbers[@]+"${numbers[@]/#/$work/}"} \
    "$build/tests/faults/libhunt.a" "$build/tests/matrix/libmatrix_table.a" "$build/fuzz/libfuzz_mutator.a" "$build/tests/support/libtest_support.a" "$build/tests/harness/libtests_harness.a" "$build/oracle/cubin/libref_cubin.a" -lcjson -lxxhash -lcmocka -lpthread
  [[ -z $voter || -n $uncovered ]] || tests/faults/sites.sh "$work/hunt" "$work/faults" >"$work/sites"
}

# The programs, 300 of them: "KIND OBJECTS SEEDS ARCHITECTURES". Most are what people write; the others have what few of those
# have: steps with -r, preserved relocations, index files, everything that is rare, capsules with link options.
program_rows='mixed capsule 1..12 sm_75,sm_80,sm_86,sm_89,sm_90,sm_90a,sm_100,sm_103,sm_110,sm_120,sm_121
mixed capsule 13 sm_90,sm_100,sm_103,sm_110,sm_120,sm_121
unified capsule 1..6 sm_90,sm_100,sm_103,sm_120
rich capsule 1..5 sm_80,sm_90,sm_100,sm_103,sm_110,sm_120,sm_121
preserved capsule 1..3 sm_75,sm_86,sm_90,sm_100,sm_110,sm_120
relocatable capsule 1..3 sm_75,sm_86,sm_90,sm_100,sm_110,sm_120
options capsule 101..104 sm_100,sm_103,sm_110,sm_120,sm_121
plain mixed 201..202 sm_100,sm_103,sm_120
plain sass 301..302 sm_100,sm_103,sm_120
rich capsule 401..407 sm_100,sm_103,sm_110,sm_120,sm_121'

settle_programs() {
  [[ -z $programs ]] || return 0
  programs=$root/build/faults/programs
  ((program_count > 0)) && command -v nvlink nvcc >/dev/null || return 0
  local stamp=$programs/made kind objects seeds targets
  [[ ! -e $stamp || $(<"$stamp") != "$program_rows" ]] || return 0
  say "Compiling $program_count generated programs into build/faults/programs (once) ..."
  mkdir -p "$programs"
  while read -r kind objects seeds targets; do
    "$build/bin/twin" conformance --kind "$kind" --objects "$objects" --seeds "$seeds" --arch "$targets" --jobs "$jobs" \
      --keep "$programs" >>"$root/build/faults/programs.log" 2>&1 </dev/null || true
  done <<<"$program_rows"
  printf '%s\n' "$program_rows" >"$stamp"
}

# Inputs and outputs lie in memory where there is room for them: a link is some twenty system calls on small files.
settle_scratch() {
  local free
  free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
  [[ -w /dev/shm && ${free:-0} -gt 2000000 ]] || return 0
  scratch=$(mktemp -d /dev/shm/faults-XXXXXX)
  trap 'rm -rf "$scratch"' EXIT
}

# The rooms that are judged by tests: a fault is found when a test ends otherwise than without it. The programs of the
# tests are linked as the build links them, with libraries that hold the fault's objects.

library_of() { # OBJECT-OF-THE-BUILD, as ninja names it
  local place=${1%/CMakeFiles/*} name=${1##*/CMakeFiles/}
  printf '%s/lib%s.a' "$place" "${name%%.dir/*}"
}

link_program() { # PROGRAM TO LIBRARY...: PROGRAM as ninja names it; the libraries lie below $work/faulty
  local program=$1 to=$2 command library
  shift 2
  command=$(ninja -C "$build" -t commands "$program" | tail -n 1)
  command=${command/ -o $program / -o $to }
  for library in "$@"; do command=${command// $library/ $work/faulty/$library}; done
  (cd "$build" && eval "$command")
}

link_faulty() { # NUMBER: fills $work/faulty and `libraries`; without objects, programs are as the build's
  local object name library
  rm -rf "$work/faulty"
  mkdir -p "$work/faulty/bin"
  ln -s "$build/bin/twinlink" "$build/bin/twinlink-ref" "$work/faulty/bin/"
  libraries=()
  for object in "$work/objects-$1"/*.o; do
    [[ -e $object ]] || break
    name=${object##*/} name=${name//@//}
    library=$(library_of "$name")
    if [[ ! -e $work/faulty/$library ]]; then
      mkdir -p "$work/faulty/${library%/*}"
      cp "$build/$library" "$work/faulty/$library"
      libraries+=("$library")
    fi
    cp "$object" "$work/faulty/${name##*/}"
    ar r "$work/faulty/$library" "$work/faulty/${name##*/}"
  done
}

# A program with the fault, linked when it is first needed. Beside it lie the linkers that twin asks.
program_of() { # PROGRAM
  program=$work/faulty/bin/${1##*/}
  [[ -e $program ]] || link_program "$1" "$program" ${libraries[@]+"${libraries[@]}"} >"$work/link.log" 2>&1
}

run_test() { # NAME
  local program
  case $1 in
  check)
    program_of tests/bin/check && "$program" "$root/corpus" "$root/tests/check/expected" ;;
  printed)
    program_of tests/bin/printed && "$program" "$root/corpus" "$root/tests/check/printed" ;;
  canonical)
    program_of tests/bin/canonical && "$program" "$root/corpus" "$root/tests/check/canonical-differences" ;;
  check-map)
    program_of bin/twin && "$root/tests/check/map.sh" "$build/bin/twinlink" "$program" "$root/corpus" ;;
  compare_mutations)
    program_of tests/bin/compare_mutations && "$program" "$root/corpus" ;;
  compare_commands)
    program_of bin/twin && "$build/tests/bin/compare_commands" "$program" "$root/corpus" ;;
  voters-check)
    program_of bin/twin &&
      "$root/tests/voters/check.sh" "$program" "$build/bin/twinlink" "$build/bin/twinlink-ref" "$root/corpus" ;;
  esac
}

# The first test that fails, or nothing; -1: without a fault.
test_fault() { # NUMBER
  local test code
  link_faulty "$1" >"$work/link.log" 2>&1
  for test in "${tests[@]}"; do
    code=0
    (export MALLOC_PERTURB_=165 && ulimit -t 300 -f 200000 && run_test "$test") >"$work/test.log" 2>&1 </dev/null || code=$?
    if ((code != 0)); then
      say "found	$test: exit code $code: $(grep -aE 'FAILED|rror|fail|instead' "$work/test.log" | head -n 1 | tr '\t' ' ' | cut -c 1-160)"
      return
    fi
  done
  say "missed	its tests pass"
}

test_faults() {
  local number file line kind before after state known
  [[ $(test_fault -1) == missed* ]] || die "the tests of $room fail without a fault; see $work/test.log"
  touch "$record"
  while IFS=$'\t' read -r number file line kind before after state; do
    known=$(awk -F'\t' -v number="$number" '$1 == number' "$record")
    [[ $state != same && -z $known ]] || continue
    ((seconds == 0 || SECONDS < seconds)) || break
    printf '%s\t%s\n' "$number" "$(test_fault "$number")" >>"$record"
  done <"$work/faults"
  rm -rf "$work/faulty"
}

mkdir -p "$root/build/faults"
read_commands
build_whole
if [[ -n $uncovered ]]; then
  : >"$work/faults"
elif [[ ! -e $work/faults || (-z $numbers && $(wc -l <"$work/faults") != "$count") ]]; then
  build_faults
fi
build_hunt
scratch=$work
options=("--corpus=$root/corpus" "--title=$room, seed $seed" "--others=$others" "--seconds=$seconds" "--only=$only" "--require=$require" "--inputs=$inputs")
[[ -z $json ]] || options+=("--json=$json")
if [[ -z $voter ]]; then
  test_faults
  options+=(--report)
else
  settle_programs
  settle_scratch
  options+=("--programs=$programs" "--program-limit=$program_count")
  [[ -n $uncovered ]] || options+=("--sites=$work/sites")
  [[ $room != linker && $room != sources ]] || options+=("--check=$build/bin/twin" "--linker=$build/bin/twinlink")
fi
if [[ -n $uncovered ]]; then
  "$work/hunt" "--scratch=$scratch" "${options[@]}" "--blocks=$work/executed" "$work/faults" "$record"
  tests/faults/sites.sh --lines "$work/hunt" "$work/executed" >"$uncovered"
  say "$(wc -l <"$uncovered") lines with a block that no link executes: $uncovered"
  exit
fi
code=0
"$work/hunt" "--scratch=$scratch" "--kept=$work/ended" "${options[@]}" "$work/faults" "$record" || code=$?
[[ -z $verdicts || ! -e $record ]] || cp "$record" "$verdicts"
[[ $scratch == "$work" || ! -e $scratch/disagreements ]] || cp "$scratch/disagreements" "$work/"
exit "$code"
