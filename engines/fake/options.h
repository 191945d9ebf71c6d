// Options of the fake engine (key=value), with defaults in parentheses:
//   seed=N        seed of the noise (0)
//   noise=R       durations vary uniformly by ± this share of themselves (0)
//   warmup=N      the first N runs are slower; the very first takes twice as long (0)
//   outside=NS    time of a run that is in no kernel (20000)
//   probe=NS      what recording adds to every kernel of a traced session (0)
//   cut=NS        additional time of one kernel in every run, a different one each time (0)
//   spin=NS       real time that every run spends busy, besides its simulated time (0)
//   burn=N        steps of a dependent integer loop in every run, which touches no memory: two
//                 sessions take times in the ratio of their N (0)
//   walk=BYTES    memory that every run reads, a cache line at a time, over and over the same
//                 768 KiB: its time depends on what others leave in the caches (0)
//   answer=wrong  outputs are drawn from another hash
//   clock=ADDRESS address of an std::int64_t in this process, a test's fake clock, which runs
//                 advance instead of their own clock
//   fail=WAY      error, oom, eat (takes memory until there is none), crash (abort), exit (with
//                 code 3), kill (SIGKILL, as the system does when memory ends), hang (until
//                 cancelled), stuck (for ever), unsupported (to open); what a confined process
//                 must not do: write (a file in the current folder), connect (open a socket), fork,
//                 start (a program)
//   at=N          the run that fails, counted from 0 (0)
//   after=N       the same, counted over all sessions of the process
#pragma once

#include <cstdint>
#include <string>

#include "strata/engine/plugin.h"

namespace strata::fake {

struct Options {
  std::uint64_t seed = 0;
  double noise = 0;
  std::int64_t warmup = 0, outside_ns = 20000, probe_ns = 0, fail_at = 0, cut_ns = 0, spin_ns = 0;
  std::int64_t burn = 0, walk_bytes = 0;
  std::int64_t fail_after = -1;  // -1: fail_at counts
  std::string fail, answer;
  std::int64_t* clock = nullptr;
};

// The mistake in them, or "".
std::string parse_options(const StrataOpen& open, Options& out);

}  // namespace strata::fake
