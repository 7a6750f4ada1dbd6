#!/usr/bin/env bash
# Fuzzes what a change of the linker touches (docs/fuzzing.md): `./run fuzz --changed BASE`.
#
#   changed.sh RELEASE-DIRECTORY BASE [--time 2m] [--jobs N] [--empty] [--seed N] [--state DIRECTORY]
#
# BASE is a commit; what is fuzzed is the tree as it stands. The linker of BASE is built once a commit, in build/directed. An input counts as
# a finding when the tree's linker answers otherwise than that of BASE and the reference is at one with BASE, as a whole or in a part,
# or when the tree's ends or hangs. A change that is meant and that the reference follows is none.
#
# --time is processor time of each of N processes (--jobs, one for each processor). Findings: STATE/findings/directed-*, with the cause
# beside each. The exit code is 1 when there are some, 2 when nothing could be run.
set -euo pipefail
build=$(realpath "$1") base=$2 source=$(dirname "$(realpath "$0")")
root=$(realpath "$source/..")
shift 2
seconds=120 jobs=$(nproc) seed=1 empty=0 state=$root/build/fuzz-state

say() { printf '%s\n' "$*"; }
die() {
  say "fuzz: $*" >&2
  exit 2
}
# shellcheck source=tests/support/time.sh
. "$root/tests/support/time.sh"
while (($#)); do
  if [[ $1 == --*=* ]]; then set -- "${1%%=*}" "${1#*=}" "${@:2}"; fi
  [[ $1 == --empty ]] && empty=1 && shift && continue
  (($# > 1)) || die "$1 needs a value"
  case $1 in
  --time) seconds=$(seconds_of "$2") || exit 2 ;;
  --jobs) jobs=$2 ;;
  --seed) seed=$2 ;;
  --state) state=$2 ;;
  *) die "no option '$1' beside --changed" ;;
  esac
  shift 2
done
commit=$(git -C "$root" rev-parse --verify --quiet "$base^{commit}") || die "no commit '$base'"

# Files of the linker that differ, and of a header's readers all: each object's list of them is the build's.
mapfile -t differing < <(
  {
    git -C "$root" diff --name-only --diff-filter=AM "$commit" -- linker/
    git -C "$root" ls-files -o --exclude-standard linker/
  } | grep -E '\.[ch]$' | grep -v '^linker/\(main\|command\)\.' | LC_ALL=C sort -u || true
)
((${#differing[@]})) || die "nothing of the linker has changed since $base"
files=()
for file in "${differing[@]}"; do
  files+=("$file")
  [[ $file == *.h ]] || continue
  mapfile -t readers < <(cd "$build" && ninja -t deps 2>/dev/null |
    awk -v header="$root/$file" '/^[^ ]/ { object = $1; sub(/:$/, "", object) } $1 == header { print object }' |
    sed -n 's,^linker/CMakeFiles/twinlink_core.dir/\(.*\)\.o$,linker/\1,p')
  files+=("${readers[@]}")
done
mapfile -t files < <(printf '%s\n' "${files[@]}" | LC_ALL=C sort -u)

# The linker as it was.
tree=$root/build/directed/${commit:0:12}
if [[ ! -e $tree/build/release/linker/libtwinlink.a ]]; then
  say "Building the linker of ${commit:0:12} ..."
  git -C "$root" worktree prune
  [[ -e $tree/CMakeLists.txt ]] || git -C "$root" worktree add --detach --quiet "$tree" "$commit" || die "no worktree $tree"
  (cd "$tree" && cmake --preset release && cmake --build --preset release -j "$jobs" --target twinlink_core twinlink_command) \
    </dev/null >"$tree.log" 2>&1 || die "the linker of $base cannot be built; see $tree.log"
fi

out=$root/build/directed/program
rm -rf "$out"
mkdir -p "$out/found" "$state/findings"
"$source/directed.sh" "$out" "$build" "$tree/build/release" "${files[@]/%/=-}" || die "no directed program; see $out/log"
say "Changed since ${commit:0:12}: ${differing[*]}; $(awk '$2 > 2' "$out/places" | wc -l) blocks in changed lines, $(awk '$2 == 1 || $2 == 2' "$out/places" | wc -l) beside them"
from=()
if ((!empty)); then
  "$source/corpus.sh" "$root/build/directed/corpus" "$build"
  from=("$source/seeds/links" "$source/regressions" "$root/build/directed/corpus/jobs")
fi
for ((job = 0; job < jobs; job++)); do
  "$out/directed" --documents "$root/docs" --documents "$root/README.md" --places "$out/places" --found "$out/found" --time "$seconds" --seed $((seed + job)) ${from[@]+"${from[@]}"} </dev/null &
done
wait
found=0
for cause in "$out"/found/*.cause; do
  [[ -e $cause ]] || continue
  found=1
  cp "${cause%.cause}" "$cause" "$state/findings/"
  say "  $(basename "${cause%.cause}"): $(cut -f 2 "$cause")"
done
exit $found
