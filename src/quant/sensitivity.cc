#include "strata/quant/sensitivity.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "quant/kept.h"
#include "quant/rounded.h"
#include "quant/scores.h"
#include "strata/cost/cost.h"

namespace strata {

namespace {

constexpr std::size_t kFirstSamples = 4;  // of each layer, where a budget decides

// Work of each node of the main graph in MACs, bodies with the node that runs them.
std::vector<double> work_of(const Model& model) {
  std::vector<double> work(model.graph().nodes.size(), 0);
  NodeId last = 0;
  for (const Executed& node : count(model).nodes) {
    if (node.graph == &model.graph()) last = node.node;
    const Expr macs = node.cost.macs * node.times;
    if (!work.empty() && macs.is_number()) work[last] += static_cast<double>(macs.value());
  }
  return work;
}

using Sample = std::vector<HostTensor>;

// The network, or a changed one, on the samples: its outputs, and activations at the cuts.
// Samples are run when they are first asked for.
class Reference {
 public:
  Reference(const Dataset& data, const Model& model, std::vector<std::string> kept)
      : data_(data), kept_(std::move(kept)), samples_(static_cast<std::size_t>(data.count())) {
    for (const TensorId id : model.graph().outputs)
      if (id != kNone) outputs_.emplace_back(model.graph().tensors[id].name);
    for (const TensorId id : model.graph().inputs)
      inputs_.emplace_back(model.graph().tensors[id].name);
  }

  Status open(const Engine& engine, const ModelBytes& bytes, SessionOptions options) {
    options.fetch = kept_;
    auto session = engine.open(bytes, options);
    if (!session) return tl::unexpected(session.error());
    session_.emplace(std::move(*session));
    return {};
  }

  // True if it had to be run.
  Result<bool> prepare(std::size_t sample) {
    if (!samples_[sample].empty()) return false;
    auto inputs = data_.sample(static_cast<std::int64_t>(sample));
    if (!inputs) return tl::unexpected(inputs.error());
    if (auto status = session_->bind(std::move(*inputs)); !status)
      return tl::unexpected(status.error());
    auto trace = session_->run_traced({.kernels = false, .blocks = false, .outputs = true});
    if (!trace) return tl::unexpected(trace.error());
    for (HostTensor& tensor : trace->outputs) {
      std::string name = tensor.name;
      samples_[sample].emplace(std::move(name), std::move(tensor));
    }
    return true;
  }

  Sample outputs(std::size_t sample) const { return chosen(sample, outputs_); }

  // What a tail is given.
  Result<Sample> at(std::size_t sample, const std::vector<std::string>& names) const {
    Sample out = chosen(sample, names);
    const bool given = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::find(inputs_.begin(), inputs_.end(), name) != inputs_.end();
    });
    if (!given) return out;
    auto inputs = data_.sample(static_cast<std::int64_t>(sample));
    if (!inputs) return tl::unexpected(inputs.error());
    for (HostTensor& tensor : *inputs)
      if (std::find(names.begin(), names.end(), tensor.name) != names.end())
        out.push_back(std::move(tensor));
    return out;
  }

 private:
  Sample chosen(std::size_t sample, const std::vector<std::string>& names) const {
    Sample out;
    for (const std::string& name : names)
      if (const auto at = samples_[sample].find(name); at != samples_[sample].end())
        out.push_back(at->second);
    return out;
  }

  const Dataset& data_;
  std::vector<std::string> kept_, outputs_, inputs_;
  std::optional<Session> session_;
  std::vector<std::map<std::string, HostTensor>> samples_;
};

class Measuring {
 public:
  Measuring(const Engine& engine, const Model& model, const std::vector<QuantLayer>& layers,
            const TensorRanges& ranges, const Dataset& data, const FillElements& fill,
            const SensitivityOptions& options)
      : engine_(engine),
        model_(model),
        layers_(layers),
        ranges_(ranges),
        data_(data),
        fill_(fill),
        options_(options) {}

  Result<Sensitivity> run();

 private:
  // Which samples of a layer are compared with what.
  enum class Kind { Alone, LeftOut };

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  std::size_t samples() const { return static_cast<std::size_t>(data_.count()); }
  Result<std::string> bytes_of(const Model& model) const {
    WriteOptions write;
    write.fill = fill_;
    return onnx_bytes(model, write);
  }
  Result<Model> changed(std::size_t layer, Kind kind) const;
  Status prepare(Reference& reference, std::size_t sample);
  Result<SampleScore> judge(std::size_t sample, const Sample& outputs);
  // The samples from `first` to before `last` of one layer.
  Status measure(std::size_t layer, Kind kind, std::size_t first, std::size_t last);
  Status measure_joint(std::size_t last);
  Status measure_all();
  Status spend_budget();
  // Layers of the top, worst first, whose order their neighbours' intervals leave open.
  std::vector<std::size_t> contested() const;
  double passes_for(std::size_t layer, std::size_t count) const {
    return plan_.share[layer] * static_cast<double>(count);
  }
  bool out_of_time() const {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return options_.budget_seconds > 0 && gone.count() > options_.budget_seconds;
  }
  void report() const {
    if (options_.progress && planned_ > 0)
      options_.progress(result_.passes / planned_, result_.passes);
  }

  const Engine& engine_;
  const Model& model_;
  const std::vector<QuantLayer>& layers_;
  const TensorRanges& ranges_;
  const Dataset& data_;
  const FillElements& fill_;
  const SensitivityOptions& options_;
  KeptPlan plan_;
  std::optional<Reference> floats_, rounded_;
  std::string float_bytes_, rounded_bytes_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double planned_ = 0;  // passes
  Sensitivity result_;
};

Result<Model> Measuring::changed(std::size_t layer, Kind kind) const {
  std::vector<bool> rounded(layers_.size(), kind == Kind::LeftOut);
  rounded[layer] = kind == Kind::Alone;
  return with_rounded_layers(model_, layers_, rounded, ranges_, options_.rounding, fill_);
}

Status Measuring::prepare(Reference& reference, std::size_t sample) {
  auto ran = reference.prepare(sample);
  if (!ran) return tl::unexpected(ran.error());
  if (!*ran) return {};
  result_.passes += 1;
  if (&reference != &*floats_) return {};
  auto score = judge(sample, floats_->outputs(sample));
  if (!score) return tl::unexpected(score.error());
  if (result_.baseline.size() == sample) result_.baseline.push_back(*score);
  return {};
}

Result<SampleScore> Measuring::judge(std::size_t sample, const Sample& outputs) {
  const Sample floats = floats_->outputs(sample);
  std::span<const std::int64_t> labels;
  if (options_.labels) {
    const auto batch = static_cast<std::size_t>(data_.batch());
    labels = std::span(*options_.labels).subspan(sample * batch, batch);
  }
  auto score = score_of(floats, outputs, labels);
  if (!score || !options_.command) return score;
  auto said = options_.command(floats, outputs);
  if (!said) return tl::unexpected(said.error());
  score->command = *said;
  return score;
}

Status Measuring::measure(std::size_t layer, Kind kind, std::size_t first, std::size_t last) {
  Reference& reference = kind == Kind::Alone ? *floats_ : *rounded_;
  const TailCut& cut = plan_.cuts[plan_.cut_of[layer]];
  auto whole = changed(layer, kind);
  if (!whole) return tl::unexpected(whole.error());
  auto tail = tail_of(*whole, cut.inputs, cut.outputs);
  if (!tail) return tl::unexpected(tail.error());
  auto bytes = bytes_of(*tail);
  if (!bytes) return tl::unexpected(bytes.error());
  std::vector<std::string> names;
  for (const TensorId id : tail->graph().inputs) names.emplace_back(tail->graph().tensors[id].name);
  ModelBytes source;
  source.model = *bytes;
  auto session = engine_.open(source, options_.session);
  if (!session) return tl::unexpected(session.error());
  LayerScore& score = result_.layers[layer];
  auto& scores = kind == Kind::Alone ? score.alone : score.left_out;
  for (std::size_t sample = first; sample < last && !stopped(); ++sample) {
    if (auto status = prepare(*floats_, sample); !status) return status;
    if (auto status = prepare(reference, sample); !status) return status;
    auto inputs = reference.at(sample, names);
    if (!inputs) return tl::unexpected(inputs.error());
    if (auto status = session->bind(std::move(*inputs)); !status) return status;
    auto trace = session->run_traced({.kernels = false, .blocks = false, .outputs = true});
    if (!trace) return tl::unexpected(trace.error());
    auto judged = judge(sample, trace->outputs);
    if (!judged)
      return failure(fmt::format("{} quantized: {}", layers_[layer].path, judged.error().message));
    scores.push_back(*judged);
    result_.passes += plan_.share[layer];
    report();
  }
  return {};
}

Status Measuring::measure_joint(std::size_t last) {
  for (std::size_t sample = result_.joint.size(); sample < last && !stopped(); ++sample) {
    if (auto status = prepare(*floats_, sample); !status) return status;
    if (auto status = prepare(*rounded_, sample); !status) return status;
    auto score = judge(sample, rounded_->outputs(sample));
    if (!score) return tl::unexpected(score.error());
    result_.joint.push_back(*score);
  }
  return {};
}

Status Measuring::measure_all() {
  for (std::size_t l = 0; l < layers_.size() && !stopped(); ++l) {
    if (options_.known)
      if (auto known = options_.known(l)) {
        result_.layers[l] = std::move(*known);
        continue;
      }
    if (out_of_time()) {
      result_.partial = true;
      break;
    }
    if (auto status = measure(l, Kind::Alone, 0, samples()); !status) return status;
    if (options_.leave_one_out)
      if (auto status = measure(l, Kind::LeftOut, 0, samples()); !status) return status;
    if (!stopped() && options_.done)
      if (auto status = options_.done(l, result_.layers[l]); !status) return status;
  }
  return measure_joint(samples());
}

std::vector<std::size_t> Measuring::contested() const {
  struct Place {
    std::size_t layer;
    double drop;
    Interval interval;  // of the value
  };
  std::vector<Place> places;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const auto& own = result_.layers[l].alone;
    const auto amount = drop(options_.quality, own, result_.baseline);
    // Too few samples for an interval: it may be anywhere.
    constexpr double kFar = std::numeric_limits<double>::infinity();
    const auto interval = value_interval(options_.quality, own).value_or(Interval{-kFar, kFar});
    if (amount) places.push_back({l, *amount, interval});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.drop > b.drop; });
  const auto overlap = [](const Place& a, const Place& b) {
    return a.interval.low <= b.interval.high && b.interval.low <= a.interval.high;
  };
  std::vector<std::size_t> out;
  const auto top = static_cast<std::size_t>(std::max(1, options_.top));
  for (std::size_t i = 0; i < places.size(); ++i) {
    // Inside of the top the order counts; beyond it, only who might belong to it.
    const bool above = i > 0 && i <= top && overlap(places[i - 1], places[i]);
    const bool below = i + 1 < places.size() && i < top && overlap(places[i], places[i + 1]);
    const bool reaches = i >= top && overlap(places[top - 1], places[i]);
    if (above || below || reaches) out.push_back(places[i].layer);
  }
  return out;
}

Status Measuring::spend_budget() {
  const double allowed = options_.budget * result_.naive_passes;
  std::size_t known = std::min(kFirstSamples, samples());
  // The first round, and its references, may take about two thirds.
  double round = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) round += plan_.share[l];
  while (known > 1 && (round + 2) * static_cast<double>(known) > 0.67 * allowed) --known;
  for (std::size_t l = 0; l < layers_.size() && !stopped(); ++l) {
    if (out_of_time()) {
      result_.partial = true;
      break;
    }
    if (auto status = measure(l, Kind::Alone, 0, known); !status) return status;
  }
  if (auto status = measure_joint(known); !status) return status;
  while (!stopped() && !out_of_time()) {
    bool more = false;
    for (const std::size_t layer : contested()) {
      const std::size_t have = result_.layers[layer].alone.size();
      const std::size_t want = std::min(samples(), 2 * have);
      const double references =
          static_cast<double>(want) - static_cast<double>(result_.baseline.size());
      const double cost = passes_for(layer, want - have) + std::max(0.0, references);
      if (want == have || result_.passes + cost > allowed || stopped() || out_of_time()) continue;
      if (auto status = measure(layer, Kind::Alone, have, want); !status) return status;
      more = true;
    }
    if (!more) break;
  }
  return {};
}

Result<Sensitivity> Measuring::run() {
  if (layers_.empty())
    return failure("there is no layer to quantize: no convolution or product with stored weights");
  if (data_.count() == 0) return failure("there are no samples");
  const auto references = options_.leave_one_out ? 2 : 1;
  const std::int64_t room = options_.naive ? 0 : options_.memory_bytes / references / data_.count();
  plan_ =
      plan_kept(model_, layers_, std::vector<bool>(layers_.size(), true), work_of(model_), room);
  result_.layers.resize(layers_.size());
  result_.kept_bytes = plan_.bytes_per_sample * data_.count() * references;
  result_.naive_passes = static_cast<double>(layers_.size() * samples()) * references;

  auto bytes = bytes_of(model_);
  if (!bytes) return tl::unexpected(bytes.error());
  float_bytes_ = std::move(*bytes);
  floats_.emplace(data_, model_, plan_.tensors);
  ModelBytes source;
  source.model = float_bytes_;
  if (auto status = floats_->open(engine_, source, options_.session); !status)
    return tl::unexpected(status.error());
  auto joint = with_rounded_layers(model_, layers_, std::vector<bool>(layers_.size(), true),
                                   ranges_, options_.rounding, fill_);
  if (!joint) return tl::unexpected(joint.error());
  bytes = bytes_of(*joint);
  if (!bytes) return tl::unexpected(bytes.error());
  rounded_bytes_ = std::move(*bytes);
  rounded_.emplace(data_, model_,
                   options_.leave_one_out ? plan_.tensors : std::vector<std::string>{});
  source.model = rounded_bytes_;
  if (auto status = rounded_->open(engine_, source, options_.session); !status)
    return tl::unexpected(status.error());

  double sum = 2;
  for (const double share : plan_.share) sum += share * references;
  planned_ = sum * static_cast<double>(samples());
  if (options_.budget < 1) planned_ = std::min(planned_, options_.budget * result_.naive_passes);
  const bool halving = (options_.budget < 1 || options_.budget_seconds > 0) && !options_.naive;
  if (auto status = halving ? spend_budget() : measure_all(); !status)
    return tl::unexpected(status.error());
  result_.partial = result_.partial || stopped();
  return std::move(result_);
}

}  // namespace

Result<Sensitivity> measure_sensitivity(const Engine& engine, const Model& model,
                                        const std::vector<QuantLayer>& layers,
                                        const TensorRanges& ranges, const Dataset& data,
                                        const FillElements& fill,
                                        const SensitivityOptions& options) {
  return Measuring(engine, model, layers, ranges, data, fill, options).run();
}

}  // namespace strata
