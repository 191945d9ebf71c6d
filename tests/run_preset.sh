#!/usr/bin/env bash
# tests/run_preset.sh PRESET JOBS: runs the tests of a preset. At most three that failed run once
# more, one at a time, with nothing of ours beside them: some tests measure, and a neighbour on the
# machine may take their processor for longer than they wait. What failed is shown again at the end
# either way, so that a test that needs its second run is seen and mended.
set -uo pipefail
preset=$1 jobs=$2 most=3
ctest --preset "$preset" --parallel "$jobs" && exit 0
status=$?
record=build/$preset/Testing/Temporary/LastTestsFailed.log
[[ -f $record ]] || exit "$status"
failed=$(cut -d: -f2- "$record")
(($(wc -l <<<"$failed") <= most)) || exit "$status"
printf '\nThese failed and run once more, one at a time:\n%s\n' "$failed"
ctest --preset "$preset" --parallel 1 --rerun-failed || exit "$status"
printf '\nThese failed at first and passed alone:\n%s\n' "$failed"
