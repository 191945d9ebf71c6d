#!/usr/bin/env bash
# tests/run_sanitized.sh PROGRAM ARGUMENT...: runs a test program that was built with sanitizers.
# LeakSanitizer looks for leaks at the end of a program with a tracer of its own, which crashes now
# and then beside threads that are about to end. It then says that it has no verdict, and fails the
# program whatever its tests said. Only then the program runs again; a third time, with everything
# looked for but leaks, because the tracer of clang 14 crashes every time on some programs that
# open a library with variables of each thread.
set -u
others=$(dirname "${BASH_SOURCE[0]}")/leaks_of_others.txt
export LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}suppressions=$others:print_suppressions=0"
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
for attempt in 1 2 3; do
  ((attempt < 3)) || export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
  { "$@" 2>&1 >&3 | tee "$errors" >&2; status=${PIPESTATUS[0]}; } 3>&1
  grep -q 'LeakSanitizer has encountered a fatal error' "$errors" || break
done
exit "$status"
