#include "quantize/quantize_speed.h"

#include <algorithm>

#include "data/npz_write.h"
#include "strata/data/inputs.h"

namespace strata {

namespace {

constexpr double kLayerSeconds = 2;  // to time layers, for each model
// A comparison gets time for this many inferences of both models, within these bounds.
constexpr double kInferences = 80, kMinSeconds = 10, kMaxSeconds = 90;

}  // namespace

Result<QuantizeSpeed> QuantizeSpeed::prepare(const QuantizeTask& task, const Observer& observer) {
  QuantizeSpeed out;
  out.task_ = &task;
  out.observer_ = &observer;
  out.inputs_file_ = task.scratch + "/inputs.npz";
  auto made = random_inputs(*task.model, task.seed);
  if (!made) return failure(made);
  out.inputs_ = std::move(*made);
  if (auto status = write_npz(out.inputs_file_, out.inputs_); !status) return failure(status);
  return out;
}

Result<BenchResult> QuantizeSpeed::compare(const std::string& base,
                                           const std::string& other) const {
  Variant first;
  first.model = task_->name;
  first.file = base;
  first.engine = task_->engine_name;
  first.engine_path = task_->engine_path;
  first.session = task_->session;
  first.inputs = inputs_file_;
  Variant second = first;
  second.file = other;
  second.stored = "int8";
  BenchOptions method;
  method.max_seconds = task_->seconds > 0
                           ? task_->seconds
                           : std::clamp(kInferences * whole_, kMinSeconds, kMaxSeconds);
  method.limits.stop = observer_->stop;
  method.program = task_->program;
  method.answers = {1e30, -1e30, 0, 0};  // already judged, on more samples
  if (observer_->progress)
    method.progress = [this](const BenchProgress& at) {
      observer_->progress("measuring latency", at.done);
    };
  return measure_variants({first, second}, method);
}

Result<PairTimes> QuantizeSpeed::layers(const ModelSource& base, const LayerNames& base_names,
                                        const ModelSource& other, const LayerNames& other_names) {
  TimingOptions options;
  options.session = task_->session;
  options.seconds = kLayerSeconds;
  options.nodes = task_->model->graph().nodes.size();
  options.stop = observer_->stop;
  // Both models report their own progress, in turns.
  double shown = 0;
  options.progress = [&](const TimingProgress& at) {
    if (at.stage == "measuring") shown = std::max(shown, at.done);
    if (observer_->progress) observer_->progress("timing layers", shown);
  };
  auto pair = time_pair(*task_->engine, base, inputs_, other, inputs_, options);
  if (!pair) return failure(pair);
  PairTimes out = rows_of(*pair, base_names, other_names,
                          static_cast<double>(task_->engine->kernel_resolution_ns()) * 1e-9);
  whole_ = out.base.whole + out.other.whole;
  return out;
}

}  // namespace strata
