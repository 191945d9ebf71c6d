#!/usr/bin/env bash
# deps/install.sh LIST...: installs what deps/LIST.txt name, where it is missing.
set -euo pipefail
cd "$(dirname "$0")"

wanted=$(for list in "$@"; do sed 's/#.*//' "$list.txt"; done | xargs)
if ! command -v dpkg-query >/dev/null; then
  echo "deps: not a Debian system; strata needs what Debian calls: $wanted" >&2
  exit 0
fi

# A package may also be there under another's name: `nodejs` can provide `npm`.
there=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Provides}\n' |
  sed -n 's/^installed //p' | sed 's/([^)]*)//g; s/,/ /g' | tr '\n' ' ')
missing=()
for package in $wanted; do
  [[ " $there " == *" $package "* ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "deps: installing ${missing[*]}"
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq)
[ "$(id -u)" = 0 ] || apt=(sudo "${apt[@]}")
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends "${missing[@]}"
