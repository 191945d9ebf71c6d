#include "strata/task/predict.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "predict/layer_seconds.h"
#include "strata/cost/liveness.h"

namespace strata {

namespace {

constexpr double kMostBatch = 1024;

std::optional<std::int64_t> batch_of(const Model& model) {
  const Graph& graph = model.graph();
  if (graph.inputs.empty()) return std::nullopt;
  const TypeInfo& type = *graph.tensors[graph.inputs.front()].type;
  if (!type.ranked || type.dims.empty() || !type.dims[0].is_number()) return std::nullopt;
  return type.dims[0].value();
}

auto costs_of(const FusedKernel& kernel) {
  return std::tie(kernel.kind, kernel.macs, kernel.flops, kernel.read_bytes, kernel.write_bytes,
                  kernel.weight_bytes, kernel.outputs, kernel.element_bytes);
}

// Blocks repeat: kernels that cost the same become one that runs more often.
std::vector<FusedKernel> joined(std::vector<FusedKernel> kernels) {
  std::sort(kernels.begin(), kernels.end(),
            [](const FusedKernel& a, const FusedKernel& b) { return costs_of(a) < costs_of(b); });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < kernels.size(); ++i)
    if (costs_of(kernels[kept]) == costs_of(kernels[i]))
      kernels[kept].times += kernels[i].times;
    else
      kernels[++kept] = std::move(kernels[i]);
  if (!kernels.empty()) kernels.resize(kept + 1);
  return kernels;
}

using Kernels = std::shared_ptr<const std::vector<FusedKernel>>;

// The network at twice the batch, from which all others follow.
class OtherBatch {
 public:
  OtherBatch(const PredictRequest& request, double batch, std::set<Runtime> runtimes)
      : batch_(batch), runtimes_(std::move(runtimes)) {
    ModelRequest twice = request.model;
    twice.sizes.batch = static_cast<std::int64_t>(2 * batch);
    auto loaded = load_model(twice);
    if (!loaded) return;
    loaded_ = std::move(*loaded);
    if (batch_of(loaded_->model) != static_cast<std::int64_t>(2 * batch)) loaded_.reset();
    if (loaded_) costs_ = count(loaded_->model);
  }

  std::vector<BatchTime> times(const PredictedDevice& device, Runtime runtime) {
    std::vector<BatchTime> list;
    for (const auto& [batch, kernels] : batches(*device.kernels, runtime)) {
      const DeviceTime time = device.predictor.time(kernels, false);
      list.push_back({batch, time.seconds, time.low, time.high, time.compute_share});
    }
    return list;
  }

 private:
  using Batches = std::vector<std::pair<double, std::vector<FusedKernel>>>;

  const Batches& batches(const std::vector<FusedKernel>& one, Runtime runtime) {
    const auto [at, is_new] = by_runtime_.try_emplace(runtime);
    Batches& list = at->second;
    if (!is_new || !loaded_) return list;
    if (!kernels_) {
      std::vector<std::string> notes;
      kernels_ = find_kernels(loaded_->model, costs_, runtimes_, notes);
    }
    for (double batch = 1; *kernels_ && batch <= kMostBatch; batch *= 2)
      if (auto kernels = at_batch(one, batch_, (*kernels_)->at(runtime), 2 * batch_, batch))
        list.emplace_back(batch, joined(std::move(*kernels)));
    return list;
  }

  double batch_;
  std::set<Runtime> runtimes_;
  std::optional<LoadedModel> loaded_;
  std::optional<Result<std::map<Runtime, std::vector<FusedKernel>>>> kernels_;
  Costs costs_;
  std::map<Runtime, Batches> by_runtime_;
};

double number_or_0(const Expr& size) {
  return size.is_number() ? static_cast<double>(size.value()) : 0;
}

// Each is moved once: they are large.
void sort_by_time(std::vector<PredictedDevice>& devices) {
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return devices[a].time.seconds < devices[b].time.seconds;
  });
  std::vector<PredictedDevice> sorted;
  sorted.reserve(devices.size());
  for (const std::size_t at : order) sorted.push_back(std::move(devices[at]));
  devices = std::move(sorted);
}

void add_unknown_note(PredictOutcome& out) {
  const std::size_t unknown = out.devices.front().time.unknown;
  if (unknown > 0)
    out.notes.push_back(
        fmt::format("the cost of {} {} is unknown: their time is left out, and the "
                    "total is a lower bound",
                    unknown, unknown == 1 ? "operator" : "operators"));
}

}  // namespace

Result<PredictOutcome> run_predict(const PredictRequest& request, const Observer&) {
  auto loaded = load_model(request.model);
  if (!loaded) return failure(loaded);
  PredictOutcome out;
  out.loaded = std::move(*loaded);
  const Model& model = out.loaded.model;
  out.costs = count(model);
  out.layers = find_layers(model, out.costs);
  out.batch = batch_of(model);
  const double weights = number_or_0(out.costs.total.param_bytes);
  const double activations = number_or_0(find_liveness(model, out.costs).peak_bytes);

  std::set<Runtime> runtimes;
  for (const Device& device : request.devices)
    runtimes.insert(request.runtime.value_or(usual_runtime(device)));
  auto found = find_kernels(model, out.costs, runtimes, out.notes);
  if (!found) return failure(found);
  std::map<Runtime, Kernels> by_runtime;
  for (auto& [runtime, kernels] : *found)
    by_runtime[runtime] = std::make_shared<const std::vector<FusedKernel>>(std::move(kernels));
  std::optional<OtherBatch> other;
  if (request.batches && out.batch)
    other.emplace(request, static_cast<double>(*out.batch), std::move(runtimes));
  std::optional<Error> refused;
  out.devices.reserve(request.devices.size());
  for (const Device& device : request.devices) {
    const Runtime runtime = request.runtime.value_or(usual_runtime(device));
    auto predictor = Predictor::make(device, runtime, request.precision, request.channels);
    if (!predictor) {
      if (request.devices.size() > 1) out.notes.push_back(predictor.error().message);
      refused = predictor.error();
      continue;
    }
    const Kernels& kernels = by_runtime[runtime];
    PredictedDevice one{.predictor = std::move(*predictor), .kernels = kernels, .time = {}};
    one.time = one.predictor.time(*kernels);
    double scale = 1;
    for (const FusedKernel& kernel : *kernels)
      if (kernel.macs > 0) scale = std::min(scale, one.predictor.scale(kernel));
    one.weight_bytes = weights * scale;
    one.activation_bytes = activations * scale;
    if (other) one.batches = other->times(one, runtime);
    out.devices.push_back(std::move(one));
  }
  if (out.devices.empty()) return failure(*refused);
  sort_by_time(out.devices);
  add_unknown_note(out);
  return out;
}

}  // namespace strata
