# shellcheck shell=bash
# Sourced by tests that count what they compare, in `passed` and `failed`; a difference shows the file `out`, where there is one.
passed=0 failed=0
is() { # WHAT, EXPECTED, FOUND
  if [[ $2 == "$3" ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: expected "%s", found "%s"\n' "$1" "$2" "$3"
    [[ ! -f out ]] || sed 's/^/  /' out
  fi
}
