#!/usr/bin/env bash
# deps/install.sh LIST...: installs what deps/LIST.txt name, where it is missing.
set -euo pipefail
cd "$(dirname "$0")"

wanted=$(for list in "$@"; do sed 's/#.*//' "$list.txt"; done | xargs)
if ! command -v dpkg-query >/dev/null; then
  echo "deps: not a Debian system; strata needs what Debian calls: $wanted" >&2
  exit 0
fi

missing=()
for package in $wanted; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || echo missing)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "deps: installing ${missing[*]}"
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq)
[ "$(id -u)" = 0 ] || apt=(sudo "${apt[@]}")
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends "${missing[@]}"
