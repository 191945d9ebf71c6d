#include "quant/quantize_speed.h"

#include <algorithm>

#include "measure/npz_write.h"
#include "strata/measure/inputs.h"

namespace strata {

namespace {

constexpr double kLayerSeconds = 1;  // for the times of layers, each of four times
constexpr double kLongRun = 0.2;     // seconds of an inference that is timed only once
// Inferences of both that a comparison is given time for, within bounds.
constexpr double kInferences = 80, kLeastSeconds = 10, kMostSeconds = 90;

bool stopped(const QuantizeObserver& observer) {
  return observer.stop != nullptr && observer.stop->load();
}

}  // namespace

Result<QuantizeSpeed> QuantizeSpeed::prepare(const QuantizeTask& task,
                                             const QuantizeObserver& observer) {
  QuantizeSpeed out;
  out.task_ = &task;
  out.observer_ = &observer;
  out.inputs_file_ = task.scratch + "/inputs.npz";
  auto made = random_inputs(*task.model, task.seed);
  if (!made) return tl::unexpected(made.error());
  out.inputs_ = std::move(*made);
  if (auto status = write_npz(out.inputs_file_, out.inputs_); !status)
    return tl::unexpected(status.error());
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
                           : std::clamp(kInferences * whole_, kLeastSeconds, kMostSeconds);
  method.limits.stop = observer_->stop;
  method.answers = {1e30, -1e30, 0, 0};  // judged already, on more samples
  if (observer_->progress)
    method.progress = [this](const BenchProgress& at) {
      observer_->progress("measuring latency", at.done);
    };
  return run_bench({first, second}, method);
}

Result<QuantizeSpeed::Layers> QuantizeSpeed::layers(const ModelSource& base,
                                                    const Names& base_names,
                                                    const ModelSource& other,
                                                    const Names& other_names) {
  TimingOptions options;
  options.session = task_->session;
  options.seconds = kLayerSeconds;
  options.nodes = task_->model->graph().nodes.size();
  options.stop = observer_->stop;
  int timed = 0, all = 4;
  options.progress = [&](const TimingProgress& at) {
    const double share = at.stage == "measuring" ? at.done : 0;
    if (observer_->progress) observer_->progress("timing layers", (timed + share) / all);
  };
  Layers out;
  for (int round = 0; round < 2; ++round) {
    auto one = run_times(*task_->engine, base, inputs_, base_names, options);
    if (!one) return tl::unexpected(one.error());
    ++timed;
    if (one->whole > kLongRun) all = 2;
    auto two = run_times(*task_->engine, other, inputs_, other_names, options);
    if (!two) return tl::unexpected(two.error());
    ++timed;
    if (round == 0)
      out = {*one, *two};
    else
      out = {calmer_of(out.base, *one), calmer_of(out.other, *two)};
    whole_ = out.base.whole + out.other.whole;
    if (whole_ > kLongRun || stopped(*observer_)) break;
  }
  return out;
}

}  // namespace strata
