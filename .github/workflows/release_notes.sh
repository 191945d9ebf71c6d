#!/usr/bin/env bash
# release_notes.sh TAG: prints the section of CHANGELOG.md about the version of the tag. Fails if the
# sources have another version, or if the section is missing, empty or still marked as unreleased.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${1#v}

fail() {
  echo "::error title=release::$1" >&2
  exit 1
}
grep -Fq "project(strata VERSION $version " CMakeLists.txt ||
  fail "CMakeLists.txt does not have the version $version of the tag $1"
heading=$(grep -m 1 -E "^## ${version//./\\.}(,|\$)" CHANGELOG.md) ||
  fail "CHANGELOG.md has no section $version"
[[ $heading != *unreleased* ]] || fail "CHANGELOG.md says: ${heading#\#\# }"
notes=$(awk -v heading="$heading" '$0 == heading { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md)
[[ $notes == *[![:space:]]* ]] || fail "CHANGELOG.md says nothing about $version"
printf '%s\n' "$notes"
