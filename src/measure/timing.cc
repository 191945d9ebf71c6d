#include "strata/measure/timing.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "measure/cancel_on_stop.h"
#include "measure/stopwatch.h"
#include "strata/measure/memory.h"

namespace strata {

namespace {

constexpr int kFewestWarmups = 3;
constexpr int kMostWarmups = 50;
constexpr std::size_t kFewestRuns = 10;         // of each kind, if time decides
constexpr std::uint64_t kMostEvents = 400'000;  // that an engine is asked to remember

// One plain run, timed.
Result<double> timed_run(Session& session, const TimingOptions& options) {
  const Stopwatch watch(options);
  if (auto status = session.run(); !status) return tl::unexpected(status.error());
  return watch.seconds();
}

class Measuring {
 public:
  Measuring(const TimingOptions& options, Timing& timing) : options_(options), timing_(timing) {}

  Status warm_up(Session& session);
  Status measure(Session& plain, Session* recording);
  Status collect_kernels(Session& recording);
  // Scales what each recorded run tells to the unrecorded ones.
  void scale();

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

 private:
  // A run that fails after the caller wanted to stop was cancelled.
  Status unless_stopped(const Error& error) const {
    return stopped() ? Status{} : tl::unexpected(error);
  }
  void report(std::string_view stage, double done) const {
    if (options_.progress) options_.progress({stage, done});
  }
  bool enough(const Stopwatch& watch) const;

  const TimingOptions& options_;
  Timing& timing_;
  std::map<std::uint64_t, std::size_t> places_;  // of kernels, by Kernel::index
  std::uint64_t first_run_ = 0;                  // of the recorded ones that count
  std::vector<std::size_t> events_;              // kernels in each recorded run
};

// A twentieth of the runs that were asked for at most: they say how long it may all take.
int most_warmups(const TimingOptions& options) {
  if (options.warmup >= 0) return options.warmup;
  if (options.runs > 0) return std::clamp(options.runs / 20, kFewestWarmups, kMostWarmups);
  return kMostWarmups;
}

Status Measuring::warm_up(Session& session) {
  auto first = timed_run(session, options_);
  if (!first) return unless_stopped(first.error());
  timing_.first_seconds = *first;
  const int most = most_warmups(options_);
  const Stopwatch watch(options_);
  for (int i = 0; i < most && !stopped(); ++i) {
    if (options_.warmup < 0 && i >= kFewestWarmups) {
      const bool long_enough = watch.seconds() > options_.seconds;
      if (has_settled(timing_.warmup) || long_enough) break;
    }
    auto seconds = timed_run(session, options_);
    if (!seconds) return unless_stopped(seconds.error());
    timing_.warmup.push_back(*seconds);
    report("warming up", static_cast<double>(i + 1) / most);
  }
  return {};
}

bool Measuring::enough(const Stopwatch& watch) const {
  const std::size_t done = timing_.runs.size() + timing_.recorded.size();
  if (options_.runs > 0) return done >= static_cast<std::size_t>(options_.runs);
  const std::size_t kinds = options_.kernels ? 2 : 1;
  return done >= kinds * kFewestRuns && watch.seconds() >= options_.seconds;
}

Status Measuring::measure(Session& plain, Session* recording) {
  const ContentionMeter meter;
  const Stopwatch watch(options_);
  std::uint64_t pending = 0;
  while (!enough(watch)) {
    if (stopped()) {
      timing_.partial = true;
      break;
    }
    const bool record = recording != nullptr && timing_.recorded.size() < timing_.runs.size();
    if (!record) {
      auto seconds = timed_run(plain, options_);
      if (!seconds) {
        if (stopped()) continue;  // cancelled
        return tl::unexpected(seconds.error());
      }
      timing_.runs.push_back(*seconds);
    } else {
      auto trace = recording->run_traced({.kernels = false, .blocks = false, .outputs = false});
      if (!trace) {
        if (stopped()) continue;
        return tl::unexpected(trace.error());
      }
      if (timing_.recorded.empty()) first_run_ = trace->run;
      timing_.recorded.push_back(1e-9 * static_cast<double>(trace->end_ns - trace->start_ns));
      pending += std::max<std::uint64_t>(options_.nodes, 1);
      if (pending > kMostEvents) {
        if (auto status = collect_kernels(*recording); !status) return status;
        pending = 0;
      }
    }
    const double by_runs = static_cast<double>(timing_.runs.size() + timing_.recorded.size()) /
                           std::max(1, options_.runs);
    report("measuring", options_.runs > 0 ? by_runs : watch.seconds() / options_.seconds);
  }
  timing_.contention = meter.stop();
  return recording != nullptr ? collect_kernels(*recording) : Status{};
}

// A kernel that runs a body lasts as long as the kernels of the body: theirs is taken off.
void keep_own_time(std::span<Kernel> run) {
  std::stable_sort(run.begin(), run.end(), [](const Kernel& a, const Kernel& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.duration_ns > b.duration_ns;
  });
  struct Open {
    Kernel* kernel;
    std::int64_t end_ns;
  };
  std::vector<Open> around;
  for (Kernel& kernel : run) {
    const std::int64_t end_ns = kernel.start_ns + kernel.duration_ns;
    while (!around.empty() && around.back().end_ns < end_ns) around.pop_back();
    while (!around.empty() && around.back().end_ns <= kernel.start_ns) around.pop_back();
    if (!around.empty()) around.back().kernel->duration_ns -= kernel.duration_ns;
    around.push_back({&kernel, end_ns});
  }
}

Status Measuring::collect_kernels(Session& recording) {
  auto kernels = recording.kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  for (std::size_t begin = 0; begin < kernels->size();) {
    std::size_t end = begin;
    while (end < kernels->size() && (*kernels)[end].run == (*kernels)[begin].run) ++end;
    keep_own_time(std::span(*kernels).subspan(begin, end - begin));
    begin = end;
  }
  for (Kernel& kernel : *kernels) {
    if (kernel.run < first_run_) continue;
    const auto [place, is_new] = places_.try_emplace(kernel.index, timing_.kernels.size());
    const double seconds = 1e-9 * static_cast<double>(kernel.duration_ns) - timing_.probe.inside;
    const std::size_t run = kernel.run - first_run_;
    events_.resize(std::max(events_.size(), run + 1), 0);
    ++events_[run];
    if (is_new) timing_.kernels.push_back({std::move(kernel), {}});
    std::vector<double>& samples = timing_.kernels[place->second].seconds;
    samples.resize(std::max(samples.size(), run + 1), 0.0);
    samples[run] += std::max(0.0, seconds);  // a kernel of a body may run several times
  }
  return {};
}

void Measuring::scale() {
  std::vector<KernelTimes>& kernels = timing_.kernels;
  for (KernelTimes& kernel : kernels) kernel.seconds.resize(timing_.recorded.size(), 0.0);
  events_.resize(timing_.recorded.size(), 0);
  if (timing_.runs.empty() || timing_.recorded.empty()) return;
  const double whole = summarize(timing_.runs).median;
  std::vector<double> in_kernels;
  for (std::size_t run = 0; run < timing_.recorded.size(); ++run) {
    const double recorded = timing_.recorded[run];
    const double probes = timing_.probe.total * static_cast<double>(events_[run]);
    const double factor = whole / std::max(recorded - probes, 0.5 * recorded);
    in_kernels.push_back(0);
    for (KernelTimes& kernel : kernels) in_kernels.back() += kernel.seconds[run] *= factor;
  }
  // Where other processes cut in, each run has kernels that were hit and no kernel was hit in
  // most runs: medians of kernels add up to less than the median of their sum.
  double medians = 0;
  for (const KernelTimes& kernel : kernels) medians += summarize(kernel.seconds).median;
  if (medians <= 0) return;
  const double factor = summarize(in_kernels).median / medians;
  for (KernelTimes& kernel : kernels)
    for (double& seconds : kernel.seconds) seconds *= factor;
}

Result<Timing> measure_model(const Engine& engine, const ModelSource& model,
                             const std::vector<HostTensor>& inputs, const TimingOptions& options) {
  const auto open = [&](const SessionOptions& how) {
    return model.path.empty() ? engine.open(model.bytes, how) : engine.open(model.path, how);
  };
  Timing timing;
  if (options.progress) options.progress({"opening", 0});
  const Stopwatch watch(options);
  SessionOptions bare = options.session;
  bare.trace_time = bare.trace_memory = false;
  auto plain = open(bare);
  if (!plain) return tl::unexpected(plain.error());
  timing.open_seconds = watch.seconds();
  if (auto status = plain->bind(inputs); !status) return tl::unexpected(status.error());

  std::optional<Session> recording;
  CancelOnStop cancel(options.stop);
  cancel.watch(*plain);
  Measuring measuring(options, timing);
  if (auto status = measuring.warm_up(*plain); !status) return tl::unexpected(status.error());
  if (options.kernels && !measuring.stopped()) {
    SessionOptions traced = bare;
    traced.trace_time = true;
    auto opened = open(traced);
    if (!opened) return tl::unexpected(opened.error());
    if (auto status = opened->bind(inputs); !status) return tl::unexpected(status.error());
    recording.emplace(std::move(*opened));
    cancel.watch(*recording);
    // Its own warm-up: the first run of a session takes memory and packs weights.
    auto first = recording->run_traced({.kernels = false, .blocks = false, .outputs = false});
    if (!first && !measuring.stopped()) return tl::unexpected(first.error());
    if (!measuring.stopped())
      if (auto probe = probe_cost(engine, options)) timing.probe = *probe;
  }
  if (auto status = measuring.measure(*plain, recording ? &*recording : nullptr); !status)
    return tl::unexpected(status.error());

  measuring.scale();
  std::stable_sort(timing.kernels.begin(), timing.kernels.end(),
                   [](const KernelTimes& a, const KernelTimes& b) {
                     return a.kernel.start_ns < b.kernel.start_ns;
                   });
  timing.absent = plain->absent();
  if (recording) timing.absent = recording->absent();
  timing.weight_bytes = plain->weight_bytes();
  return timing;
}

}  // namespace

Result<Timing> time_model(const Engine& engine, const ModelSource& model,
                          const std::vector<HostTensor>& inputs, const TimingOptions& options) {
  auto timing = measure_model(engine, model, inputs, options);
  give_back_free_memory();  // of the sessions: up to a gigabyte, scattered
  return timing;
}

}  // namespace strata
