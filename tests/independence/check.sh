#!/usr/bin/env bash
# The two linkers share nothing: no file that the compiler read for an object of oracle/ lies in linker/, or the other way
# round, and no object of one refers to a symbol of the other (tl_ against ref_). What was read comes from ninja's own
# record of the build, what is referred to from the objects.
#
#   check.sh SOURCE-DIRECTORY BUILD-DIRECTORY
set -euo pipefail
source=$(realpath "$1") build=$2
passed=0 failed=0

check() { # NAME, and what was found on standard input: nothing is good
  local found
  found=$(cat)
  if [[ -z $found ]]; then
    passed=$((passed + 1))
  else
    printf '%s:\n%s\n' "$1" "$(head -n 5 <<<"$found")"
    failed=$((failed + 1))
  fi
}

# "object<TAB>file" for everything that was read for one room's objects, files relative to the source directory. A compiler
# cache can make the compiler's own names relative to the build's.
files_read() {
  ninja -C "$build" -t deps | awk -v room="^$1/" -v whole="$source/" \
    -v relative="$(realpath --relative-to="$build" "$source")/" '
    /^[^ ].*: #deps/ { object = $1 }
    /^ / && object ~ room { for (i = 0; i < 2; i++) {
      source = i ? whole : relative
      if (index($1, source) == 1) print object "\t" substr($1, length(source) + 1)
    } }'
}

symbols() { find "$build/$1" -name '*.o' -exec nm -A {} + 2>/dev/null; }

for room in linker oracle; do
  check "nothing is known of $room/" < <([[ $(files_read "$room" | wc -l) -gt 20 ]] || echo "fewer than 20 files read")
done
check "linker/ reads files of other rooms" < <(files_read linker | grep -vP '\tlinker/')
check "oracle/ reads files of other rooms" < <(files_read oracle | grep -vP '\toracle/')
check "linker/ has symbols of oracle/" < <(symbols linker | grep -E ' [A-Za-z] ref_')
check "oracle/ has symbols of linker/" < <(symbols oracle | grep -E ' [A-Za-z] tl_')
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
