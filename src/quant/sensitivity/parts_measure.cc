#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "edit/edit.h"
#include "edit/fold.h"
#include "edit/kept.h"
#include "edit/shared_weights.h"
#include "sensitivity/opened_tail.h"
#include "sensitivity/reference.h"
#include "sensitivity/rounded.h"
#include "sensitivity/scores.h"
#include "strata/base/text_map.h"
#include "strata/sensitivity/parts.h"

namespace strata {

namespace {

// The network with norms folded into its weights, if that does not change its layers.
class Folded {
 public:
  Folded(const Model& model, const std::vector<QuantLayer>& layers, const FillElements& fill)
      : model_(&model), layers_(&layers) {
    auto folded = with_folded_norms(model, fill);
    if (!folded) return;
    std::vector<QuantLayer> own = find_quant_layers(*folded);
    const bool same =
        std::equal(own.begin(), own.end(), layers.begin(), layers.end(),
                   [](const QuantLayer& a, const QuantLayer& b) { return a.path == b.path; });
    if (!same) return;
    own_model_ = std::move(*folded);
    own_layers_ = std::move(own);
    model_ = &own_model_;
    layers_ = &own_layers_;
  }
  Folded(const Folded&) = delete;
  Folded& operator=(const Folded&) = delete;
  const Model& model() const { return *model_; }
  const std::vector<QuantLayer>& layers() const { return *layers_; }

 private:
  Model own_model_;
  std::vector<QuantLayer> own_layers_;
  const Model* model_;
  const std::vector<QuantLayer>* layers_;
};

class MeasuringParts {
 public:
  MeasuringParts(const Engine& engine, const Model& model, const std::vector<QuantLayer>& layers,
                 const StaysFloat& floats, const TensorRanges& ranges, const Dataset& data,
                 const FillElements& fill, const SensitivityOptions& options, SampleSpan samples)
      : engine_(engine),
        folded_(model, layers, fill),
        links_(folded_.model()),
        placement_(place_int8(folded_.model(), links_, folded_.layers(), floats)),
        ranges_(ranges),
        data_(data),
        fill_(fill),
        options_(options),
        first_(samples.first),
        end_(std::min(samples.end, static_cast<std::size_t>(data.count()))),
        session_(options.session),
        weights_(folded_.model(), fill) {
    // Otherwise an engine may quantize what should stay in float, or turn pairs into kernels.
    session_.keep_types = true;
    session_.optimization = STRATA_OPT_BASIC;
    out_.parts = quant_parts(model, layers, floats);
    std::erase_if(out_.parts, [&](const QuantPart& part) {
      return part.kind == QuantPart::Kind::Weights ? !options.rounding.weights
                                                   : !options.rounding.activations;
    });
    out_.alone.resize(out_.parts.size());
    // Tensor ids are those of the network as given; names are the same in both.
    TextMap<std::string_view, TensorId> by_name;
    for (TensorId id = 0; id < graph().tensors.size(); ++id) by_name[graph().tensors[id].name] = id;
    for (const QuantPart& part : out_.parts)
      tensors_.push_back(
          part.tensor == kNone ? kNone : by_name.at(model.graph().tensors[part.tensor].name));
  }

  // Measures each part if `each` is set, and all parts together in any case.
  Result<PartScores> run(bool each);

 private:
  struct Opened {
    Model model;
    SharedModel source;
  };

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  std::size_t samples() const { return end_ > first_ ? end_ - first_ : 0; }
  const Graph& graph() const { return folded_.model().graph(); }
  Result<Model> rounded(const RoundedParts& parts) const {
    return with_rounded_parts(folded_.model(), links_, folded_.layers(), placement_, parts, ranges_,
                              options_.rounding, fill_);
  }
  RoundedParts only(std::size_t part) const;
  NodeId start(std::size_t part) const;
  Status open(Model&& model, Opened& opened, std::optional<Reference>& reference,
              const std::vector<std::string>& kept);
  Status measure_together();
  Status measure(std::size_t part);
  void did(double passes) {
    out_.passes += passes;
    if (options_.progress && planned_ > 0) options_.progress(std::min(1.0, out_.passes / planned_));
  }

  const Engine& engine_;
  const Folded folded_;
  const Links links_;
  const Placement placement_;
  const TensorRanges& ranges_;
  const Dataset& data_;
  const FillElements& fill_;
  const SensitivityOptions& options_;
  const std::size_t first_, end_;  // samples
  SessionOptions session_;
  SharedWeights weights_;
  Opened float_model_, rounded_model_;
  std::optional<Reference> floats_, together_;
  std::vector<TensorId> tensors_;  // by part, in the folded network
  KeptPlan plan_;
  double planned_ = 0;
  PartScores out_;
};

RoundedParts MeasuringParts::only(std::size_t part) const {
  RoundedParts one;
  one.weights.assign(folded_.layers().size(), false);
  if (out_.parts[part].kind == QuantPart::Kind::Weights)
    one.weights[out_.parts[part].layer] = true;
  else
    one.tensors = {tensors_[part]};
  return one;
}

// The first node that a part changes.
NodeId MeasuringParts::start(std::size_t part) const {
  if (out_.parts[part].kind == QuantPart::Kind::Weights)
    return start_of(folded_.layers()[out_.parts[part].layer]);
  const TensorId id = tensors_[part];
  if (placement_.where[id] == Where::AtProducer) return graph().tensors[id].producer;
  NodeId first = static_cast<NodeId>(graph().nodes.size() - 1);
  for (const Reader& reader : links_.readers(id)) first = std::min(first, reader.node);
  return first;
}

Status MeasuringParts::open(Model&& model, Opened& opened, std::optional<Reference>& reference,
                            const std::vector<std::string>& kept) {
  opened.model = std::move(model);
  auto source = weights_.write(opened.model);
  if (!source) return failure(source);
  opened.source = std::move(*source);
  reference.emplace(data_, folded_.model(), kept);
  return reference->open(engine_, opened.source.bytes(), session_);
}

Status MeasuringParts::measure_together() {
  auto all = rounded(all_parts(folded_.layers(), placement_));
  if (!all) return failure(all);
  if (auto status = open(std::move(*all), rounded_model_, together_, {}); !status) return status;
  for (std::size_t sample = first_; sample < end_ && !stopped(); ++sample) {
    for (Reference* each : {&*floats_, &*together_})
      if (auto ran = each->prepare(sample); !ran) return failure(ran);
    auto score =
        judge_sample(options_, data_, sample, floats_->outputs(sample), together_->outputs(sample));
    if (!score) return failure(score);
    out_.together.push_back(*score);
    did(2);
  }
  return {};
}

Status MeasuringParts::measure(std::size_t part) {
  const TailCut& cut = plan_.cuts[plan_.cut_of[part]];
  auto whole = rounded(only(part));
  if (!whole) return failure(whole);
  auto tail = OpenedTail::open(engine_, *whole, cut, weights_, session_);
  if (!tail) return failure(tail);
  for (std::size_t sample = first_; sample < end_ && !stopped(); ++sample) {
    auto inputs = floats_->at(sample, tail->inputs());
    if (!inputs) return failure(inputs);
    auto outputs = tail->outputs(std::move(*inputs));
    if (!outputs) return failure(outputs);
    auto score = judge_sample(options_, data_, sample, floats_->outputs(sample), *outputs);
    if (!score) return failure_in(out_.parts[part].label + " rounded", score);
    out_.alone[part].push_back(*score);
    did(plan_.share[part]);
  }
  return {};
}

Result<PartScores> MeasuringParts::run(bool each) {
  if (samples() == 0) return failure("there are no samples");
  std::vector<NodeId> starts;
  planned_ = 2 * static_cast<double>(samples());
  if (each)
    for (std::size_t p = 0; p < out_.parts.size(); ++p) starts.push_back(start(p));
  const std::int64_t room =
      options_.naive ? 0 : options_.memory_bytes / static_cast<std::int64_t>(samples());
  plan_ = plan_kept(folded_.model(), starts, work_of(folded_.model()), room);
  for (const double share : plan_.share) planned_ += share * static_cast<double>(samples());
  if (auto status = open(GraphEdit(folded_.model()).finish(), float_model_, floats_, plan_.tensors);
      !status)
    return failure(status);
  if (auto status = measure_together(); !status) return failure(status);
  for (std::size_t p = 0; each && p < out_.parts.size() && !stopped(); ++p)
    if (auto status = measure(p); !status) return failure(status);
  out_.partial = stopped();
  return std::move(out_);
}

}  // namespace

Result<PartScores> measure_parts(const Engine& engine, const Model& model,
                                 const std::vector<QuantLayer>& layers, const TensorRanges& ranges,
                                 const Dataset& data, const FillElements& fill,
                                 const SensitivityOptions& options, SampleSpan samples) {
  return MeasuringParts(engine, model, layers, {}, ranges, data, fill, options, samples).run(true);
}

Result<std::vector<SampleScore>> simulate_plan(const Engine& engine, const Model& model,
                                               const std::vector<QuantLayer>& layers,
                                               const StaysFloat& floats, const TensorRanges& ranges,
                                               const Dataset& data, const FillElements& fill,
                                               const SensitivityOptions& options,
                                               SampleSpan samples) {
  auto all = MeasuringParts(engine, model, layers, floats, ranges, data, fill, options, samples)
                 .run(false);
  if (!all) return failure(all);
  return std::move(all->together);
}

}  // namespace strata
