#!/usr/bin/env bash
# install.sh: installs the one file that $WHEEL names, which may be a pattern, into an environment of
# its own, and puts that on the PATH of the next steps. Nothing is downloaded.
set -euo pipefail
fail() {
  echo "::error title=strata check::$1"
  exit 1
}
mapfile -t wheels < <(compgen -G "$WHEEL")
[ ${#wheels[@]} = 1 ] || fail "wheel: $WHEEL names ${#wheels[@]} files, and has to name one"
to=$RUNNER_TEMP/strata-environment
python3 -m venv "$to"
"$to/bin/pip" --quiet --disable-pip-version-check install --no-index --force-reinstall "${wheels[0]}"
echo "$to/bin" >> "$GITHUB_PATH"
