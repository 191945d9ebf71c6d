// How long runs take by themselves, on a machine where others run, too.
//
// One thread: what a run waited for a processor is known to the nanosecond, and is taken off;
// every run counts. Several threads: how much of their waiting made the run longer is not
// known, so only runs that (almost) did not wait count. And of either, only runs count around
// which the processor had its full pace (strata/measure/pace.h), where that is known.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/measure/pace.h"
#include "strata/measure/statistics.h"

namespace strata {

// A run of several threads that waited for less than this part of its time, all threads
// together, is undisturbed.
inline constexpr double kUndisturbedWait = 0.01;

// The runs that count, with the time that they really ran. `waits` and `pace` as in
// RunContention: one for each run; empty: not known, and all count as they are. A run counts
// whose pace test took no longer than `slowest`.
std::vector<double> undisturbed_seconds(std::span<const double> wall, std::span<const double> waits,
                                        int threads, std::span<const double> pace = {},
                                        double slowest = 0);

// Of times that several sessions or processes gave, one list each: the middle, and where the
// middle of the next program's run would lie as well. Sessions differ by themselves (where
// their memory lies), so it is they that are counted, by Student, and not their runs.
struct SessionCenter {
  double value = 0;
  std::optional<Interval> interval = {};  // 95 %; nullopt: too little to say
  std::string withheld = {};              // why there is none, one sentence
};
// `medians`: one for each session, and how sure each is by itself (relative, one standard
// error). A machine's pace changes from minute to minute, which is longer than a measurement:
// no interval is narrower than ± `drift`. One or two sessions cannot tell how sessions differ:
// there kUsualSpread is assumed.
SessionCenter session_center(std::span<const double> medians, double within, double drift);
inline constexpr double kUsualSpread = 0.015;
// By which times of equal runs differ between programs, after all that can be seen is taken
// off: others use caches and memory, too (`waited`: the share of waiting; -1: not known), and
// slow the processor down in the middle of a run of `run_seconds` (`pace.slowed`).
double pace_drift(double waited, const Pace& pace = {}, double run_seconds = 0);
// The same of samples, of which `sessions` says how many are of each session, in order.
SessionCenter session_center(std::span<const double> samples, std::span<const std::size_t> sessions,
                             double drift);

// Waiting over wall time of all runs; -1: not known.
double waited_share(std::span<const double> wall, std::span<const double> waits);
// From this share on, others are there.
inline constexpr double kOthersAreThere = 0.02;

}  // namespace strata
