#!/usr/bin/env bash
# twin reduce on envelopes: what is left still ends the command in the same way, and nothing of it can go. `reduce.sh TWIN
# ENVELOPE`, of which the envelope has two files and the words -r and -g; the last line counts.
set -uo pipefail
twin=$(realpath "$1") envelope=$(realpath "$2") source=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
# shellcheck source=tests/support/is.sh
. "$source/../support/is.sh"

reduce() { # COMMAND: the exit code
  printf '#!/bin/sh\n%s\n' "$1" >command
  chmod +x command
  rm -rf small out
  code=0
  "$twin" reduce "$envelope" small ./command >printed 2>&1 </dev/null || code=$?
  [[ ! -e small ]] || "$twin" unpack small out >/dev/null
}
size() { stat -c %s small; }
has() { grep -cxe "$1" out/args; }

# A mistake that takes the word -g: that word stays, the other one and one of the files go.
reduce 'grep -qa -e "-g" "$1" && echo "FOUND word" >&2 && exit 1; exit 0'
is "a word" 0 "$code"
is "the word stays" 1 "$(has -g)"
is "the other word goes" 0 "$(has -r)"
is "one file" 1 "$(find out -name '*.cubin' | wc -l)"
is "a tenth is left at most" 1 "$(($(size) * 10 < $(stat -c %s "$envelope")))"

# One that takes a section of the second file alone.
reduce 'grep -qa -e "[.]nv_debug_line_sass\|[.]debug_frame\|[.]nv[.]callgraph" "$1" && echo "FOUND section" >&2 && exit 1; exit 0'
is "a section" 0 "$code"
is "still shows" 1 "$(./command small 2>&1 | grep -c 'FOUND section')"
is "no words" 0 "$(has -g)"

# Another message is another finding, though the exit code is the same: nothing may go that changes it.
reduce 'echo "FOUND $(wc -c <"$1")" >&2; exit 1'
is "a finding that says its size" "0 $(stat -c %s "$envelope")" "$code $(size)"

reduce 'exit 0'
is "nothing to keep" 2 "$code"
printf '%s passed, %s failed, 0 skipped\n' "$passed" "$failed"
((failed == 0))
