#!/usr/bin/env bash
# tests/python/run.sh ENVIRONMENT FOLDER PACKAGES TORCH [OPTION...]: installs the wheel of FOLDER/dist into
# a fresh virtual environment and runs python/tests there, with options for pytest. ENVIRONMENT is `new`,
# which sees the packages of TORCH, an environment with the newest torch, or `debian`, which sees those
# of Debian's python3; both see PACKAGES.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/deps/own_folder.sh"
environment=$1 to=$2 packages=$3 torch=$4
venv=$to/venv_$environment
remove_own "$venv"
make_own "$venv"
case $environment in
new) /usr/bin/python3 -m venv --without-pip "$venv" ;;
debian) /usr/bin/python3 -m venv --without-pip --system-site-packages "$venv" ;;
esac
site=$(echo "$venv"/lib/python3.*/site-packages)
echo "$packages" >"$site/tests.pth"
# One engine that strata.optimize uses is in a folder of its own (engines/openvino/install.sh).
echo "$(dirname "$packages")/../openvino/packages" >>"$site/tests.pth"
if [ "$environment" = new ]; then echo "$torch"/lib/python3.*/site-packages >>"$site/tests.pth"; fi
/usr/bin/python3 -m pip --quiet --disable-pip-version-check --python "$venv/bin/python" install \
  --no-deps --no-index "$to"/dist/strata-*.whl
# From another folder, so that `import strata` finds what was installed.
mkdir -p "$to/run_$environment"
cd "$to/run_$environment"
unset STRATA_NATIVE STRATA_ENGINE_PATH STRATA_ONNXRUNTIME
export STRATA_TEST_ENVIRONMENT=$environment STRATA_SOURCE_DIR=$source PATH=$venv/bin:$PATH
exec "$venv/bin/python" -B -m pytest -q -p no:cacheprovider --rootdir "$source/python" \
  "$source/python/tests" "${@:5}"
