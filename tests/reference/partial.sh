#!/usr/bin/env bash
# L832: what a relocatable output says of kernels of -ewp objects is read again, so that a link in steps is the direct one: it is refused
# in the same words, and a section without bytes stays.
#
#   partial.sh TWINLINK-REF CORPUS
set -euo pipefail
linker=$(realpath "$1") objects=$(realpath "$2")/vendor-defects/partial_kernel/sm_80
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$objects/k.cubin" "$objects/f.cubin" "$objects/own.cubin" "$scratch"
cd "$scratch"
failed=0
fail() { echo "failed: $*" && failed=$((failed + 1)); }
link() { "$linker" -arch=sm_80 --identity=nvlink "$@"; }
number() { od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; } # FILE OFFSET BYTES
shared_header() { # FILE: where the header of a kernel's shared memory is
  local at=0 i first count
  first=$(number "$1" 40 8) count=$(number "$1" 60 2)
  for ((i = 0; i < count; i++)); do
    [[ $(number "$1" $((first + 64 * i + 4)) 4) != "$2" ]] || at=$((first + 64 * i))
  done
  echo "$at"
}

# A kernel that reaches a shared object of another file.
link k.cubin f.cubin -o direct.cubin 2>direct && fail "the direct link is not refused"
link -r k.cubin f.cubin -o step.cubin 2>/dev/null
link step.cubin -o steps.cubin 2>steps && fail "the link in steps is not refused"
grep -q "^nvlink error   : Cannot link shared object 's' with partially linked kernel 'k'$" direct || fail "other words"
diff <(grep -v -- '-ewp compiled' direct) steps || fail "the link in steps has other words"

# A kernel with extern shared memory alone has a section of size 0 and alignment 16 (L603).
shared=1879048202 nobits=8 # 0x7000000a
at=$(shared_header own.cubin $shared)
printf '\0\0\0\0' | dd of=own.cubin bs=1 seek=$((at + 32)) conv=notrunc status=none
printf '\20' | dd of=own.cubin bs=1 seek=$((at + 48)) conv=notrunc status=none
link -r own.cubin -o step.cubin
link step.cubin -o steps.cubin
at=$(shared_header steps.cubin $nobits)
if ((at == 0)) || [[ $(number steps.cubin $((at + 32)) 8) != 0 ]]; then fail "the section is not there, or has a size"; fi

echo "$failed failed"
((failed == 0))
