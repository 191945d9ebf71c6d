// Times one model, session by session.
#pragma once

#include <optional>
#include <vector>

#include "measure/kernel_times.h"
#include "measure/runs.h"
#include "measure/stopwatch.h"
#include "strata/measure/timing.h"

namespace strata {

// The time that others took from each run.
class RunWaits {
 public:
  explicit RunWaits(const TimingOptions& options) : options_(options) {
    if (!options.now_ns && !options.waited) meter_.emplace(options.session.threads);
  }
  void before() {
    if (meter_) meter_->before();
    if (options_.waited) start_ = options_.waited();
  }
  void after(double wall) {
    if (meter_) meter_->after(wall);
    if (options_.waited) told_.push_back(options_.waited() - start_);
  }
  // For all runs since the last call; lists are empty if nothing is known.
  RunContention finish() {
    if (meter_) return meter_->finish();
    RunContention out;
    out.waits = std::exchange(told_, {});
    return out;
  }

 private:
  const TimingOptions& options_;
  std::optional<RunMeter> meter_;
  double start_ = 0;
  std::vector<double> told_;
};

class ModelTimer {
 public:
  // All arguments must outlive it.
  ModelTimer(const Engine& engine, const ModelSource& model, const std::vector<HostTensor>& inputs,
             const TimingOptions& options)
      : engine_(engine),
        model_(model),
        inputs_(inputs),
        options_(options),
        kernels_(timing_),
        waits_(options) {}
  ModelTimer(const ModelTimer&) = delete;
  ModelTimer& operator=(const ModelTimer&) = delete;

  bool wants_more() const { return done_ < sessions_ && (done_ == 0 || !stopped()); }
  Status run_session();
  Timing finish();  // once

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  Result<Session> open(bool traced) const;
  Status warm_up(Session& session);
  Status fill_caches(Session& session, bool traced) const;
  Status measure(Session& plain, Session* recording);
  int sessions_that_fit(double opening) const;
  // A run that fails after the caller asked to stop was cancelled.
  Status unless_stopped(const Error& error) const {
    return stopped() ? Status{} : tl::unexpected(error);
  }
  void report(std::string_view stage, double done) const {
    if (options_.progress) options_.progress({stage, done});
  }
  Result<double> timed_run(Session& session);
  bool enough(double seconds) const;
  std::size_t last_run() const;  // how many runs there are after this session, if runs are counted
  std::size_t plain_in_a_row() const;  // how many come before the next recorded ones
  bool caches_matter() const;

  const Engine& engine_;
  const ModelSource& model_;
  const std::vector<HostTensor>& inputs_;
  const TimingOptions& options_;
  Timing timing_;
  KernelCollector kernels_;
  RunWaits waits_;
  int done_ = 0, sessions_ = 1;  // the number of sessions is known after the first
  Runs plain_, recorded_;
  double spent_ = 0;  // seconds of measuring in earlier sessions
};

}  // namespace strata
