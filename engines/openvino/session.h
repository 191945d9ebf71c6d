// A model opened by OpenVINO.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/infer_request.hpp>

#include "kernel_times.h"
#include "ports.h"
#include "running_graph.h"
#include "settings.h"
#include "strata/engine/plugin.h"

namespace strata::openvino {

class Session {
 public:
  explicit Session(const StrataOpen& open);

  std::span<const StrataPort> inputs() const { return ports_.inputs(); }
  std::span<const StrataPort> outputs() const { return ports_.outputs(); }
  void bind(std::span<const StrataTensor> inputs);
  void run();
  void run_traced(StrataTrace& trace);
  void kernels(void* user, StrataOnKernel each);
  void plan(void* user, StrataOnKernel each) const;
  const RunningGraph& graph() const { return graph_; }
  std::vector<std::pair<std::string, std::string>> absent() const;
  std::int64_t weight_bytes() const { return graph_.weight_bytes; }
  void cancel();

 private:
  struct TracedRun {
    std::uint64_t number;
    std::int64_t start_ns, end_ns;
    std::vector<double> times;  // by kernel, in nanoseconds; -1: it did not run
  };
  void add_outputs(const StrataOpen& open, const Model& source);
  void compile();
  void find_what_runs();
  void note_what_ran(const Counters& counters);
  void renew();  // compiles again, so that counters start at 0
  void run_once();
  Counters counters();
  bool give(const TracedRun& run, void* user, StrataOnKernel each) const;

  Settings settings_;
  std::shared_ptr<ov::Model> model_;
  ov::AnyMap properties_;
  ov::CompiledModel compiled_;
  ov::InferRequest request_;
  Ports ports_;
  std::vector<std::size_t> output_numbers_;  // of the compiled model, by port
  std::vector<std::pair<std::size_t, ov::Tensor>> inputs_;
  bool bound_ = false;
  std::atomic<bool> cancelled_ = false;

  RunningGraph graph_;
  std::vector<std::string> keys_;  // of the kernels, in the model that is compiled now
  Counters counted_;               // when they were read last
  std::vector<TracedRun> traced_;  // since kernels() was called
  std::uint64_t traced_runs_ = 0, runs_ = 0;
  bool has_seen_run_ = false;   // whether each kernel runs is known, not guessed
  bool plan_is_final_ = false;  // a run of known sizes has shown which kernels run
};

}  // namespace strata::openvino
