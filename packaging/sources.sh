#!/usr/bin/env bash
# packaging/sources.sh FOLDER: unpacks Debian's sources of the libraries that strata opens at run time into
# FOLDER/<package>, if they are not there. apt checks them against Debian's signatures, whether or not
# the machine has source packages switched on: it reads the same lists as for programs, as sources.
set -euo pipefail
. "$(cd "$(dirname "$0")" && pwd)/../deps/own_folder.sh"
to=$1
packages="zlib libpng1.6 libjpeg-turbo libzip libseccomp"
if [ -f "$to/versions.txt" ]; then exit 0; fi
remove_own "$to"
make_own "$to"
to=$(realpath "$to")
chmod 755 "$to"

mkdir -p "$to/apt/lists/partial" "$to/apt/parts" "$to/download"
cat /etc/apt/sources.list 2>/dev/null | grep -E '^deb .*debian' | sed 's/^deb /deb-src /' \
  >"$to/apt/parts/all.list" || true
for list in /etc/apt/sources.list.d/*.sources; do
  [ -f "$list" ] && grep -q debian-archive-keyring "$list" || continue
  sed 's/^Types:.*/Types: deb-src/' "$list" >"$to/apt/parts/$(basename "$list")"
done
cat >"$to/apt/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$to/apt/parts";
Dir::State::lists "$to/apt/lists";
APT::Sandbox::User "root";
END
export APT_CONFIG=$to/apt/apt.conf
apt-get -qq update
cd "$to/download"
for package in $packages; do
  # The newest version may have left the mirror, which still has the one before it.
  found=
  for version in $(apt-cache showsrc --only-source "$package" | sed -n 's/^Version: //p' | sort -Vru); do
    if apt-get -qq source --only-source "$package=$version" >"$to/apt/log" 2>&1; then
      found=$version
      break
    fi
  done
  if [ -z "$found" ]; then
    cat "$to/apt/log" >&2
    echo "portable: no source of $package" >&2
    exit 1
  fi
  mv "$(find . -maxdepth 1 -type d -name "${package%1.6}*" | head -1)" "$to/$package"
  echo "$package $found" >>"$to/versions.new"
done
mv "$to/versions.new" "$to/versions.txt"
