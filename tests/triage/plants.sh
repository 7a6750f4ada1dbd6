#!/usr/bin/env bash
# Each check of twin triage (check.sh) can fail: `plants.sh BUILD-DIRECTORY` plants a fault in tools/cmd_triage.c for each of
# them, links twin with it, and wants that check among those that fail. The last line counts.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
root=$PWD build=$(realpath "${1:-build/release}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# CHECK, what stands in the source, what stands there instead; tabs between.
plants=(
  "one place is one cause	strcmp(known->function, end->function) == 0 &&	known == end &&"
  "its place	strncmp(path, \"fuzz/engine\", strlen(\"fuzz/engine\")) == 0	strncmp(path, \"linker\", 6) == 0"
  "its rules, by the whole name	word == wanted && strncmp	word > wanted && strncmp"
  "no rule of a longer name	word == wanted && strncmp(names + at, function, wanted) == 0	strncmp(names + at, function, wanted) == 0"
  "its targets	if (!string_list_holds(&entry->targets, target->name))	if (!entry->targets.count)"
  "the smallest	(size_t)status.st_size < entry->size	entry->size == SIZE_MAX"
  "causes, the most frequent first	? -1 : 1;	? 1 : -1;"
  "the signal of nobody's	result->signal ? \"signal %d\"	result->signal > 64 ? \"signal %d\""
  "what the target says	found[] = \"FOUND \"	found[] = \"LOST \""
  "undefined behaviour	error[] = \"runtime error: \"	error[] = \"no such error: \""
  "an assertion	if (!found)	if (found)"
  "a hang	if (result->timed_out) {	if (result->timed_out && result->signal == 64) {"
  "the count	end.verdict == TRIAGE_NOTHING)	end.verdict == TRIAGE_CAUSE)"
  "the causes for programs	cJSON_AddItemToArray(to, object);	cJSON_Delete(object), (void)to;"
  "what does not start is no cause	!target->starts || !triage_run	!triage_run"
  "and is named	\"not judged: %s	\"judged: %s"
  "exit code	t.not_started.count ? TWIN_TROUBLE : 	"
  "usage	t->seconds >= 1 &&	t->seconds >= 0 &&"
)

command_of() { ninja -C "$build" -t commands -s "$1" | tail -n 1; }
object=tools/CMakeFiles/twin.dir/cmd_triage.c.o
compile=$(command_of "$object") link=$(command_of bin/twin)
compile=${compile/ -Werror / -Wno-error -iquote $root/tools }
compile=${compile/ -c $root\/tools\/cmd_triage.c/ -c $work/cmd_triage.c}
compile=$(sed -E "s| -M[FT] [^ ]+||g; s| -MD||; s| -o $object| -o $work/faulty.o|" <<<"$compile")
link=${link/ $object/ $work/faulty.o}
link=${link/ -o bin\/twin/ -o $work/twin}
source=$(<tools/cmd_triage.c)

for plant in "${plants[@]}"; do
  IFS=$'\t' read -r check before after <<<"$plant"
  if [[ $source != *"$before"* ]]; then
    printf '%s: there is no "%s" in the source\n' "$check" "$before"
    failed=$((failed + 1))
    continue
  fi
  printf '%s\n' "${source/"$before"/"$after"}" >"$work/cmd_triage.c"
  if ! (cd "$build" && eval "$compile" && eval "$link") >"$work/log" 2>&1; then
    printf '%s: the fault does not compile\n' "$check"
    sed 's/^/  /' "$work/log" | head -n 5
    failed=$((failed + 1))
    continue
  fi
  tests/triage/check.sh "$work/twin" >"$work/said" 2>&1 </dev/null
  if grep -qF -- "$check: expected " "$work/said"; then
    passed=$((passed + 1))
  else
    printf '%s: the fault is not seen\n' "$check"
    sed 's/^/  /' "$work/said" | tail -n 3
    failed=$((failed + 1))
  fi
done
# What is checked and has no fault above would be a check that nobody has seen fail.
while IFS= read -r check; do
  printf '%s\n' "${plants[@]}" | cut -f 1 | grep -qxF -- "$check" || {
    printf '%s: no fault is planted for it\n' "$check"
    failed=$((failed + 1))
  }
done < <(grep -oE '^ *is "[^"$]*"' tests/triage/check.sh | sed -E 's/^ *is "//; s/"$//' | sort -u)
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
