#include "cli/quantize_speed.h"

#include <algorithm>

#include "cli/interrupt.h"
#include "measure/npz_write.h"
#include "strata/measure/inputs.h"

namespace strata::cli {

namespace {

constexpr double kLayerSeconds = 1;  // for the times of layers, each of four times
constexpr double kLongRun = 0.2;     // seconds of an inference that is timed only once
// Inferences of both that a comparison is given time for, within bounds.
constexpr double kInferences = 80, kLeastSeconds = 10, kMostSeconds = 90;

void take_smaller(std::vector<double>& into, const std::vector<double>& other) {
  for (std::size_t i = 0; i < into.size(); ++i)
    if (other[i] > 0 && (into[i] <= 0 || other[i] < into[i])) into[i] = other[i];
}

}  // namespace

Result<QuantizeSpeed> QuantizeSpeed::prepare(const QuantizeRequest& request,
                                             const LoadedModel& model,
                                             const SessionOptions& session,
                                             const std::string& inputs) {
  QuantizeSpeed out;
  out.request_ = &request;
  out.session_ = session;
  out.inputs_file_ = inputs;
  out.nodes_ = model.model.graph().nodes.size();
  auto made = random_inputs(model.model, request.data.data.seed);
  if (!made) return tl::unexpected(made.error());
  out.inputs_ = std::move(*made);
  if (auto status = write_npz(inputs, out.inputs_); !status) return tl::unexpected(status.error());
  return out;
}

Result<BenchResult> QuantizeSpeed::compare(const std::string& base,
                                           const std::string& other) const {
  Variant first;
  first.model = request_->model.path;
  first.file = base;
  first.engine = request_->engine.engine;
  first.engine_path = request_->engine.path;
  first.session = session_;
  first.inputs = inputs_file_;
  Variant second = first;
  second.file = other;
  second.stored = "int8";
  BenchOptions method;
  method.max_seconds = request_->seconds > 0
                           ? request_->seconds
                           : std::clamp(kInferences * whole_, kLeastSeconds, kMostSeconds);
  method.limits.stop = &StopOnInterrupt::flag();
  method.answers = {1e30, -1e30, 0, 0};  // judged already, on more samples
  return run_bench({first, second}, method);
}

Result<QuantizeSpeed::Layers> QuantizeSpeed::layers(
    const Engine& engine, const ModelSource& base, const ModelSource& other,
    const std::vector<std::vector<std::string>>& names) {
  TimingOptions options;
  options.session = session_;
  options.seconds = kLayerSeconds;
  options.nodes = nodes_;
  options.stop = &StopOnInterrupt::flag();
  Layers out;
  for (int round = 0; round < 2; ++round) {
    auto one = layer_seconds(engine, base, inputs_, names, options);
    if (!one) return tl::unexpected(one.error());
    auto two = layer_seconds(engine, other, inputs_, names, options);
    if (!two) return tl::unexpected(two.error());
    if (round == 0) out = {one->layers, two->layers};
    take_smaller(out.base, one->layers);
    take_smaller(out.other, two->layers);
    whole_ = one->whole + two->whole;
    if (whole_ > kLongRun || StopOnInterrupt::stopped()) break;
  }
  return out;
}

}  // namespace strata::cli
