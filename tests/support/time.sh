# shellcheck shell=bash
# Sourced by scripts that take a time: 90, 90s, 10m, 2h. Who sources it has a `die`.
seconds_of() {
  [[ $1 =~ ^([0-9]+)([smh]?)$ ]] || die "no time '$1'"
  local -A unit=([m]=60 [h]=3600)
  printf '%s' $((10#${BASH_REMATCH[1]} * ${unit[${BASH_REMATCH[2]:-s}]:-1}))
}
