#!/usr/bin/env bash
# hook.sh OPTION... -- MODEL...: runs `strata check MODEL OPTION...` for each model, and exits with the
# highest of the exit codes. For pre-commit, which appends the names of files.
set -euo pipefail
strata=${STRATA:-strata}
command -v "$strata" > /dev/null || {
  echo "strata check: the program strata is not on the PATH" >&2
  exit 1
}
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  options+=("$1")
  shift
done
[ $# -gt 0 ] || {
  echo "strata check: end args with --, for example args: [--budget, budget.toml, --]" >&2
  exit 2
}
shift
code=0
for model; do
  found=0
  "$strata" check "$model" "${options[@]}" || found=$?
  [ $found -le $code ] || code=$found
done
exit $code
