#!/usr/bin/env bash
# packaging/smoke_wheel.sh MACHINE FOLDER: imports the wheel of FOLDER/wheels for another machine in Debian's Python for that
# machine, under qemu, and counts networks through the C interface. apt checks Python's packages
# against Debian's signatures, and nothing is installed. The expected numbers are torchvision's.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
machine=$1 to=$(realpath "$2")
declare -A architectures=([aarch64]=arm64 [x86_64]=amd64)
system=$to/$machine/system

if [ ! -f "$system/usr/bin/python3.11" ]; then
  remove_own "$system"
  make_own "$system"
  apt=$system/apt
  mkdir -p "$apt/lists/partial" "$apt/parts" "$apt/archives/partial" "$system/download"
  for list in /etc/apt/sources.list.d/*.sources; do
    [ -f "$list" ] && grep -q debian-archive-keyring "$list" || continue
    cp "$list" "$apt/parts"
  done
  grep -hsE '^deb .*debian' /etc/apt/sources.list >"$apt/parts/all.list" || true
  : >"$apt/status"
  cat >"$apt/apt.conf" <<END
APT::Architecture "${architectures[$machine]}";
APT::Architectures { "${architectures[$machine]}"; };
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/parts";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
APT::Sandbox::User "root";
END
  APT_CONFIG=$apt/apt.conf apt-get -qq update
  (cd "$system/download" && APT_CONFIG=$apt/apt.conf apt-get -qq download libc6 libgcc-s1 zlib1g libexpat1 libssl3 \
    libffi8 libbz2-1.0 liblzma5 libpython3.11-minimal libpython3.11-stdlib python3.11-minimal)
  for package in "$system"/download/*.deb; do dpkg-deb --extract "$package" "$system"; done
  rm -rf "$system/download" "$apt"
fi

installed=$to/$machine/installed
remove_own "$installed"
make_own "$installed"
/usr/bin/python3 -m zipfile -e "$to"/wheels/strata-*_"$machine".whl "$installed"
said=$(PYTHONPATH=$installed "qemu-$machine-static" -L "$system" "$system/usr/bin/python3.11" - <<'END'
import platform
import strata

print(platform.machine(), strata.stat("resnet50").total.params, strata.stat("mobilenet_v2").total.macs)
print(strata.diff("resnet18", "resnet50").kind, len(strata.devices().rows) > 100)
END
)
echo "$said"
[ "$said" = "$machine 25557032 300774272
diff True" ] || { echo "packaging: the wheel for $machine does not answer as it should" >&2; exit 1; }
