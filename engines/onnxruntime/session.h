// A model opened by ONNX Runtime.
#pragma once

#include <time.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api.h"
#include "kernel_trace.h"
#include "model_source.h"
#include "ports.h"
#include "provider.h"
#include "strata/engine/plugin.h"
#include "watch.h"

namespace strata::ort {

// Options for opening a session, apart from the model.
struct Setup {
  std::string device, provider, precision;
  int threads = 0;
  int optimization = STRATA_OPT_ALL;
  std::uint32_t trace = 0;
  bool spin = true;
  bool keep_types = false;
  ProviderOptions provider_options;
  std::vector<std::pair<std::string, std::string>> config;  // ONNX Runtime's own keys
};

// Throws Failure for options that do not exist. The engine's own are
//   spin=0|1          whether idle threads wait by spinning; ONNX Runtime's default is 1
//   config.KEY=VALUE  a configuration entry of the session
//   provider.KEY=VALUE  an option of the execution provider
Setup read_setup(const StrataOpen& open);

class Session {
 public:
  explicit Session(const StrataOpen& open);
  ~Session();

  std::span<const StrataPort> inputs() const { return ports_.inputs(); }
  std::span<const StrataPort> outputs() const { return ports_.outputs(); }
  void bind(std::span<const StrataTensor> inputs);
  void run();
  void run_traced(StrataTrace& trace);
  void kernels(void* user, StrataOnKernel each);
  void plan(void* user, StrataOnKernel each) const;
  const Fusion& fusion() const { return trace_.fusion(); }
  auto absent() const { return trace_.absent(); }
  std::int64_t weight_bytes() const { return weight_bytes_; }
  void cancel();

 private:
  bool timed() const { return (setup_.trace & STRATA_TRACE_TIME) != 0; }
  bool remembers_blocks() const { return (setup_.trace & STRATA_TRACE_MEMORY) != 0; }
  Ort::SessionOptions options();
  void make();                  // recreates the session
  void read_optimized_model();  // which ONNX Runtime has saved
  void check_precision(bool provider_takes_it);
  void collect();  // reads the profile, which ends it
  void renew();    // makes a session with a profile, if it has none
  void run_once();

  Setup setup_;
  ModelSource source_;
  std::unique_ptr<ScratchFolder> folder_;  // for traced sessions
  std::optional<Watch> watch_;             // if values are watched
  Ort::Session session_{nullptr};
  Ports ports_;
  std::vector<Ort::Value> inputs_;
  std::vector<const char*> input_names_;
  std::vector<Ort::Value> outputs_;
  bool bound_ = false;

  Ort::RunOptions run_options_;
  std::atomic<bool> cancelled_ = false;

  KernelTrace trace_;
  bool profiling_ = false;
  std::int64_t profile_start_ns_ = 0;
  clockid_t profile_clock_ = CLOCK_REALTIME;
  std::vector<TracedRun> runs_;  // in the current profile
  std::uint64_t traced_runs_ = 0;
  std::size_t runs_in_profile_ = 0, events_per_run_ = 1;
  std::int64_t weight_bytes_ = -1;
};

}  // namespace strata::ort
