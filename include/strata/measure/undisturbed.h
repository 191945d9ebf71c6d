// How long runs take by themselves on a machine that others use as well.
//
// With one thread, the time that a run waited for a processor is known to the nanosecond and is
// subtracted, so every run counts. With several threads, it is not known how much their waiting
// lengthened the run, so only runs that (almost) did not wait count. In both cases, a run counts
// only if the processor had its full pace around it (strata/machine/pace.h), if that is known.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/statistics.h"
#include "strata/machine/pace.h"

namespace strata {

// A run of several threads is undisturbed if all threads together waited for less than this share
// of its time.
inline constexpr double kUndisturbedWait = 0.01;

// A median has a 95 % interval from six runs on: the extremes of n runs miss it in one of 2^(n-1)
// cases. With fewer runs nothing is claimed from times: no interval, no speedup, no fastest, no
// Pareto front.
inline constexpr std::size_t kRunsForClaim = 6;
// Returns why nothing is claimed from `kept` runs of `measured`, as one sentence; empty if there
// are enough. `name` says which model or variant ran; it may be empty.
std::string too_few_runs(std::size_t kept, std::size_t measured, std::string_view name = "");

// The runs that count, with the time that they really ran. `waits` and `pace` are as in
// RunContention, one per run; if they are empty, nothing is known and all runs count as they are. A
// run counts if its pace test took no longer than `slowest`.
std::vector<double> undisturbed_seconds(std::span<const double> wall, std::span<const double> waits,
                                        int threads, std::span<const double> pace = {},
                                        double slowest = 0);

// The middle of times from several sessions or processes, one list each, and the interval in which
// the middle of the next program's run would lie as well. Sessions differ by themselves (where
// their memory lies), so the statistics (Student's t) count sessions, not runs.
struct SessionCenter {
  double value = 0;
  std::optional<Interval> interval = {};  // 95 %; nullopt: too little to say
  std::string withheld = {};              // why there is no interval, one sentence
};
// `medians` has one entry per session; `within` is how certain each is by itself (relative, one
// standard error). A machine's pace changes from minute to minute, which is longer than a
// measurement, so no interval is narrower than ± `drift`. One or two sessions cannot tell how
// sessions differ, so kUsualSpread is assumed for them.
SessionCenter session_center(std::span<const double> medians, double within, double drift);
inline constexpr double kUsualSpread = 0.015;
// The spread of equal runs' times between programs after everything visible has been subtracted:
// others use caches and memory, too (`waited`: the share of waiting; -1: unknown), and slow the
// processor down in the middle of a run of `run_seconds` (`pace.slowed`).
double pace_drift(double waited, const Pace& pace = {}, double run_seconds = 0);
// Like above, from samples; `sessions` says how many belong to each session, in order.
SessionCenter session_center(std::span<const double> samples, std::span<const std::size_t> sessions,
                             double drift);

// Waiting time of all runs over their wall time; -1: not known.
double waited_share(std::span<const double> wall, std::span<const double> waits);
// A share of at least this means that others use the machine.
inline constexpr double kOthersAreThere = 0.02;

}  // namespace strata
