#include "measure/model_timer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "measure/cancel_on_stop.h"

namespace strata {

namespace {

constexpr int kFewestWarmups = 3;
constexpr int kMostWarmups = 50;
constexpr std::size_t kFewestOfAKind = 10;   // of each kind, if time decides
constexpr std::size_t kFewestOfSession = 2;  // of each kind, if runs are counted
// Plain and recorded runs have a session each, with weights of its own, and the first run after the
// other session's finds none of them in the caches: it takes 5 % longer on MobileNets, the next one
// 1 %. So runs of one kind come in rows, and the first of a row is not counted.
constexpr std::size_t kInARow = 4;
constexpr double kLongRun = 0.05;  // seconds; what such a run reads does not stay in the caches
constexpr std::uint64_t kMostEvents = 400'000;  // the most that an engine is asked to remember
// Opening the model again may take up to this share of the measuring time.
constexpr double kOpeningShare = 1;
constexpr Session::Wanted kNothingMore = {.kernels = false, .blocks = false, .outputs = false};

}  // namespace

// One plain run, timed.
Result<double> ModelTimer::timed_run(Session& session) {
  waits_.before();
  const Stopwatch watch(options_);
  if (auto status = session.run(); !status) return failure(status);
  const double seconds = watch.seconds();
  waits_.after(seconds);
  return seconds;
}

namespace {

// At most a twentieth of the runs that were asked for, since that number limits how long everything
// may take.
int most_warmups(const TimingOptions& options) {
  if (options.warmup >= 0) return options.warmup;
  if (options.runs > 0) return std::clamp(options.runs / 20, kFewestWarmups, kMostWarmups);
  return kMostWarmups;
}

}  // namespace

Status ModelTimer::warm_up(Session& session) {
  const bool first_session = timing_.first_seconds == 0;
  auto first = timed_run(session);
  if (!first) return unless_stopped(first.error());
  if (first_session) timing_.first_seconds = *first;
  // After the first session the processor is warm, but the memory of the next session is not.
  const int most =
      first_session ? most_warmups(options_) : std::min(most_warmups(options_), kFewestWarmups);
  const Stopwatch watch(options_);
  for (int i = 0; i < most && !stopped(); ++i) {
    if (options_.warmup < 0 && i >= kFewestWarmups) {
      const bool long_enough = watch.seconds() > options_.seconds;
      if (has_settled(timing_.warmup) || long_enough) break;
    }
    auto seconds = timed_run(session);
    if (!seconds) return unless_stopped(seconds.error());
    if (!first_session) continue;
    timing_.warmup.push_back(*seconds);
    report("warming up", static_cast<double>(i + 1) / most);
  }
  waits_.finish();
  return {};
}

std::size_t ModelTimer::last_run() const {
  const auto wanted = static_cast<std::size_t>(options_.runs);
  if (done_ + 1 == sessions_) return wanted;
  // All sessions but the last do whole pairs of both kinds.
  const double share = static_cast<double>(done_ + 1) / sessions_;
  return static_cast<std::size_t>(share * static_cast<double>(wanted) / 2) * 2;
}

bool ModelTimer::enough(double seconds) const {
  const std::size_t done = plain_.wall.size() + recorded_.wall.size();
  if (options_.runs > 0) return done >= last_run();
  if (options_.kernels && recorded_.wall.size() < plain_.wall.size()) return false;
  const double share = static_cast<double>(done_ + 1) / sessions_;
  const std::size_t kinds = options_.kernels ? 2 : 1;
  const auto fewest =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(kinds * kFewestOfAKind)));
  return done >= fewest && seconds >= share * options_.seconds;
}

bool ModelTimer::caches_matter() const {
  return (timing_.warmup.empty() ? timing_.first_seconds : timing_.warmup.back()) < kLongRun;
}

std::size_t ModelTimer::plain_in_a_row() const {
  if (!caches_matter()) return 1;
  if (options_.runs <= 0) return kInARow;
  const std::size_t done = plain_.wall.size() + recorded_.wall.size();
  return std::clamp<std::size_t>((last_run() - done + 1) / 2, 1, kInARow);
}

// A run that is not counted.
Status ModelTimer::fill_caches(Session& session, bool traced) const {
  Status status;
  if (!traced)
    status = session.run();
  else if (auto trace = session.run_traced(kNothingMore); !trace)
    status = failure(trace);
  return status ? status : unless_stopped(status.error());
}

Status ModelTimer::measure(Session& plain, Session* recording) {
  ContentionMeter meter;
  const Stopwatch watch(options_);
  const std::size_t plain_before = plain_.wall.size(), recorded_before = recorded_.wall.size();
  std::vector<bool> is_recorded;
  std::uint64_t pending = 0;
  std::size_t left = 0;  // runs of this row
  bool record = false;
  kernels_.start_session(recorded_before);
  while (!enough(spent_ + watch.seconds())) {
    if (stopped()) {
      timing_.partial = true;
      break;
    }
    if (left == 0 && recording != nullptr) {
      record = recorded_.wall.size() < plain_.wall.size();
      left = record ? plain_.wall.size() - recorded_.wall.size() : plain_in_a_row();
      if (caches_matter()) {
        if (auto status = fill_caches(record ? *recording : plain, record); !status) return status;
        if (stopped()) continue;  // a cancelled session may still run once
        if (record) pending += std::max<std::uint64_t>(options_.nodes, 1);
      }
    }
    if (!record) {
      auto seconds = timed_run(plain);
      if (!seconds) {
        if (stopped()) continue;  // cancelled
        return failure(seconds);
      }
      plain_.wall.push_back(*seconds);
    } else {
      waits_.before();
      auto trace = recording->run_traced(kNothingMore);
      if (!trace) {
        if (stopped()) continue;
        return failure(trace);
      }
      recorded_.wall.push_back(1e-9 * static_cast<double>(trace->end_ns - trace->start_ns));
      waits_.after(recorded_.wall.back());
      kernels_.count_run(trace->run);
      pending += std::max<std::uint64_t>(options_.nodes, 1);
      if (pending > kMostEvents) {
        if (auto status = kernels_.collect(*recording); !status) return status;
        pending = 0;
      }
    }
    if (left > 0) --left;
    is_recorded.push_back(record);
    const double by_runs = static_cast<double>(plain_.wall.size() + recorded_.wall.size()) /
                           std::max(1, options_.runs);
    report("measuring",
           options_.runs > 0 ? by_runs : (spent_ + watch.seconds()) / options_.seconds);
  }
  spent_ += watch.seconds();
  timing_.contention.add(meter.stop());
  const RunContention others = waits_.finish();
  timing_.waits_read = timing_.waits_read && others.waits_read;
  for (std::size_t i = 0; i < is_recorded.size(); ++i) {
    Runs& own = is_recorded[i] ? recorded_ : plain_;
    if (i < others.waits.size()) own.waits.push_back(others.waits[i]);
    if (i < others.pace.size()) own.pace.push_back(others.pace[i]);
  }
  plain_.sessions.push_back(plain_.wall.size() - plain_before);
  recorded_.sessions.push_back(recorded_.wall.size() - recorded_before);
  return recording != nullptr ? kernels_.collect(*recording) : Status{};
}

Timing ModelTimer::finish() {
  combine(timing_, kernels_, plain_, recorded_, options_.session.threads);
  std::stable_sort(timing_.kernels.begin(), timing_.kernels.end(),
                   [](const KernelTimes& a, const KernelTimes& b) {
                     return a.kernel.start_ns < b.kernel.start_ns;
                   });
  return std::move(timing_);
}

// 1 if opening the model takes as long as measuring.
int ModelTimer::sessions_that_fit(double opening) const {
  const std::size_t kinds = options_.kernels ? 2 : 1;
  int most = std::max(1, options_.sessions);
  if (options_.runs > 0)
    most = std::min(most, std::max(1, options_.runs / static_cast<int>(kinds * kFewestOfSession)));
  const double room = kOpeningShare * options_.seconds / std::max(opening, 1e-9);
  return static_cast<int>(std::clamp(1 + room, 1.0, static_cast<double>(most)));
}

Result<Session> ModelTimer::open(bool traced) const {
  SessionOptions how = options_.session;
  how.trace_time = traced;
  how.trace_memory = false;
  auto session =
      model_.path.empty() ? engine_.open(model_.bytes, how) : engine_.open(model_.path, how);
  if (!session) return session;
  if (auto status = session->bind(inputs_); !status) return failure(status);
  return session;
}

Status ModelTimer::run_session() {
  const Stopwatch watch(options_);
  auto plain = open(false);
  if (!plain) return failure(plain);
  const bool first = done_ == 0;
  if (first) timing_.open_seconds = watch.seconds();
  std::optional<Session> recording;
  CancelOnStop cancel(options_.stop);
  cancel.watch(*plain);
  if (auto status = warm_up(*plain); !status) return status;
  if (options_.kernels && !stopped()) {
    auto opened = open(true);
    if (!opened) return failure(opened);
    recording.emplace(std::move(*opened));
    cancel.watch(*recording);
    // A warm-up for this session: its first run allocates memory and packs weights.
    auto run = recording->run_traced(kNothingMore);
    if (!run && !stopped()) return failure(run);
    if (first && !stopped())
      if (auto probe = probe_cost(engine_, options_)) timing_.probe = *probe;
  }
  if (first)
    sessions_ = sessions_that_fit((options_.kernels ? 2 : 1) * timing_.open_seconds +
                                  2 * timing_.first_seconds);
  if (auto status = measure(*plain, recording ? &*recording : nullptr); !status) return status;
  timing_.absent = recording ? recording->absent() : plain->absent();
  timing_.weight_bytes = plain->weight_bytes();
  ++done_;
  return {};
}

}  // namespace strata
