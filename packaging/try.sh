#!/usr/bin/env bash
# packaging/try.sh FOLDER: installs the tarball, the .deb and the wheel of this machine, which `make dist` and `make wheel` put
# into FOLDER, into bare Debian systems, and asks each for a count and a timed run. As root, because
# it makes those systems (mmdebstrap) and runs in them (chroot). It prints the time of each way.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
portable=$(realpath "$1")
machine=$(uname -m)
suite=${SUITE:-bookworm}
to=$portable/try
remove_own "$to"
make_own "$to"

if [ ! -f "$portable/$suite.tar" ]; then
  echo "packaging: making a bare Debian ($suite)"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" "$portable/$suite.tar.new"
  mv "$portable/$suite.tar.new" "$portable/$suite.tar"
fi

# bare NAME: a fresh system in $to/NAME.
bare() {
  mkdir "$to/$1"
  tar --extract --file "$portable/$suite.tar" --directory "$to/$1"
  cp /etc/resolv.conf "$to/$1/etc/"
}
# inside NAME COMMAND...: runs in that system, which sees processes as every system does, alone.
inside() {
  unshare --pid --fork --mount sh -c 'mount -t proc proc "$1/proc" && shift && exec chroot "$@"' sh \
    "$to/$1" "$to/$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"
}
# expect TEXT COMMAND...: fails unless the command prints TEXT.
expect() {
  local said
  said=$("${@:2}") || { echo "packaging: ${*:2} failed" >&2; exit 1; }
  grep -qF "$1" <<<"$said" || { printf 'packaging: %s does not say "%s":\n%s\n' "${*:2}" "$1" "$said" >&2; exit 1; }
}
# answers NAME PROGRAM: a count that torchvision documents, and a run that is measured.
answers() {
  expect "25.56 M" inside "$1" "$2" stat zoo:resnet50 --report root
  inside "$1" "$2" zoo export squeezenet1_1 -o /tmp/squeezenet.onnx >/dev/null
  expect "Time" inside "$1" "$2" stat /tmp/squeezenet.onnx --time --max-time 1s --report root ${3:-}
}
seconds() { printf '%-28s %5.1f s to the first count, %s\n' "$1" "$2" "$3"; }
now() { date +%s.%N; }
since() { echo "$(now) - $1" | bc; }

# The tarball: unpacked anywhere, with nothing installed but what a bare system has. ONNX Runtime
# needs libstdc++, which a bare system has for apt.
bare tarball
start=$(now)
mkdir "$to/tarball/opt/strata"
tar --extract --gzip --strip-components=1 --directory "$to/tarball/opt/strata" \
  --file "$portable"/dist/strata-*-linux-"$machine".tar.gz
expect "25.56 M" inside tarball /opt/strata/bin/strata stat zoo:resnet50
seconds tarball "$(since "$start")" "unpacking included"
answers tarball /opt/strata/bin/strata
mv "$to/tarball/opt/strata" "$to/tarball/srv/elsewhere"
answers tarball /srv/elsewhere/bin/strata

# The package, by apt, which judges what it depends on.
bare deb
architecture=$(dpkg --print-architecture)
cp "$portable"/dist/strata_*_"$architecture".deb "$to/deb/tmp/strata.deb"
start=$(now)
inside deb apt-get -qq update
inside deb env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends /tmp/strata.deb >/dev/null
expect "25.56 M" inside deb strata stat zoo:resnet50
seconds ".deb" "$(since "$start")" "apt-get update included"
answers deb strata
expect "/usr/share/man/man1/strata.1" inside deb dpkg --listfiles strata
inside deb apt-get -qq remove --yes strata >/dev/null
[ ! -e "$to/deb/usr/bin/strata" ]

# The wheel, in an environment of the system's Python.
if ls "$portable"/wheels/strata-*_"$machine".whl >/dev/null 2>&1; then
  bare wheel
  inside wheel apt-get -qq update
  inside wheel env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends python3-venv >/dev/null
  cp "$portable"/wheels/strata-*_"$machine".whl "$to/wheel/tmp"
  inside wheel python3 -m venv /opt/venv
  start=$(now)
  inside wheel sh -c '/opt/venv/bin/pip --quiet install --no-index /tmp/strata-*.whl'
  expect "25557032" inside wheel /opt/venv/bin/python -c 'import strata; print(strata.stat("resnet50").total.params)'
  seconds wheel "$(since "$start")" "pip install and import included"
  expect "25.56 M" inside wheel /opt/venv/bin/strata stat zoo:resnet50 --report root
fi
(cd "$portable/dist" && sha256sum --quiet --check SHA256SUMS)
echo "packaging: every package answers on a bare Debian ($suite, $machine)"
