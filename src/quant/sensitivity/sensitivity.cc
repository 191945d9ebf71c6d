#include "strata/sensitivity/sensitivity.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "edit/edit.h"
#include "edit/fold.h"
#include "edit/kept.h"
#include "edit/shared_weights.h"
#include "sensitivity/budget.h"
#include "sensitivity/families.h"
#include "sensitivity/opened_tail.h"
#include "sensitivity/reference.h"
#include "sensitivity/rounded.h"
#include "sensitivity/scores.h"

namespace strata {

namespace {

using Sample = Reference::Sample;

// Leaves out ten pairs of layers: the best single layer with each of the best eight, and the
// best four with each other. Errors of
// layers may cancel each other, so that the best pair is often not that of the two best layers.
constexpr std::size_t kPartners = 8, kPairedLayers = 4, kPairs = 10;

class Measuring : LayerTrials {
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
        options_(options),
        session_(options.session),
        weights_(model, fill) {
    // Otherwise an engine may quantize what should stay in float: weights between two pairs.
    session_.keep_types = true;
  }

  Result<Sensitivity> run();

 private:
  // Tells whether a layer is rounded alone or left out.
  enum class Kind { Alone, LeftOut };

  Status alone(std::size_t layer, std::size_t count) override {
    return measure(layer, Kind::Alone, count);
  }
  Status left_out(std::size_t layer, std::size_t count) override {
    return measure(layer, Kind::LeftOut, count);
  }
  Status joint(std::size_t count) override;
  const Sensitivity& so_far() const override { return result_; }
  bool ended(double share_of_time) const override {
    return stopped() || (options_.budget_seconds > 0 &&
                         earlier_seconds() + seconds() > share_of_time * options_.budget_seconds);
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double earlier_seconds() const {
    return options_.earlier == nullptr ? 0 : options_.earlier->seconds;
  }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  std::size_t samples() const { return static_cast<std::size_t>(data_.count()); }
  bool halving() const {
    return (options_.budget < 1 || options_.budget_seconds > 0) && !options_.naive;
  }
  Status look_for_families(Families& out) const;
  // Removes a layer that turned out to be different from its family.
  void leave_family(const std::string& path);
  void take_earlier();
  Status open_references();
  Status prepare(Reference& reference, std::size_t sample);
  Result<SampleScore> judge(std::size_t sample, const Sample& outputs);
  // Measures the first `count` samples of one layer.
  Status measure(std::size_t layer, Kind kind, std::size_t count);
  // Measures with these layers rounded; only what follows `from` differs from `reference`.
  Status measure(const std::vector<bool>& rounded, std::size_t from, Reference& reference,
                 std::vector<SampleScore>& scores, std::size_t count);
  std::vector<std::size_t> best_left_out() const;
  Status measure_pairs();
  Status measure_all();
  Status measure_within_budget();
  void report() {
    result_.seconds = seconds();
    if (options_.progress && planned_ > 0)
      options_.progress(std::min(1.0, (earlier_passes_ + result_.passes) / planned_));
    if (options_.so_far) options_.so_far(result_);
  }

  const Engine& engine_;
  const Model& model_;
  const std::vector<QuantLayer>& layers_;
  const TensorRanges& ranges_;
  const Dataset& data_;
  const FillElements& fill_;
  const SensitivityOptions& options_;
  SessionOptions session_;
  SharedWeights weights_;
  // Kept alive, because sessions may refer to what they were opened from.
  struct Opened {
    Model model;
    SharedModel source;
  };
  Opened float_model_, rounded_model_;
  KeptPlan plan_;
  std::optional<Reference> floats_, rounded_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double planned_ = 0;         // passes
  double earlier_passes_ = 0;  // the passes that these samples took
  Sensitivity result_;
};

Status Measuring::prepare(Reference& reference, std::size_t sample) {
  auto ran = reference.prepare(sample);
  if (!ran) return failure(ran);
  if (!*ran) return {};
  result_.passes += 1;
  if (&reference != &*floats_ || result_.baseline.size() != sample) return {};
  auto score = judge(sample, floats_->outputs(sample));
  if (!score) return failure(score);
  result_.baseline.push_back(*score);
  return {};
}

Result<SampleScore> Measuring::judge(std::size_t sample, const Sample& outputs) {
  return judge_sample(options_, data_, sample, floats_->outputs(sample), outputs);
}

Status Measuring::measure(std::size_t layer, Kind kind, std::size_t count) {
  LayerScore& score = result_.layers[layer];
  std::vector<bool> rounded(layers_.size(), kind == Kind::LeftOut);
  rounded[layer] = kind == Kind::Alone;
  return kind == Kind::Alone ? measure(rounded, layer, *floats_, score.alone, count)
                             : measure(rounded, layer, *rounded_, score.left_out, count);
}

Status Measuring::measure(const std::vector<bool>& rounded, std::size_t from, Reference& reference,
                          std::vector<SampleScore>& scores, std::size_t count) {
  if (scores.size() >= count || stopped()) return {};
  const TailCut& cut = plan_.cuts[plan_.cut_of[from]];
  auto whole = with_rounded_layers(model_, layers_, rounded, ranges_, options_.rounding, fill_);
  if (!whole) return failure(whole);
  auto tail = OpenedTail::open(engine_, *whole, cut, weights_, session_);
  if (!tail) return failure(tail);
  for (std::size_t sample = scores.size(); sample < count && !stopped(); ++sample) {
    if (auto status = prepare(*floats_, sample); !status) return status;
    if (auto status = prepare(reference, sample); !status) return status;
    auto inputs = reference.at(sample, tail->inputs());
    if (!inputs) return failure(inputs);
    auto outputs = tail->outputs(std::move(*inputs));
    if (!outputs) return failure(outputs);
    auto judged = judge(sample, *outputs);
    if (!judged) return failure_in(layers_[from].path + " quantized", judged);
    scores.push_back(*judged);
    result_.passes += plan_.share[from];
    report();
  }
  return {};
}

Status Measuring::joint(std::size_t count) {
  for (std::size_t sample = result_.joint.size(); sample < count && !stopped(); ++sample) {
    if (auto status = prepare(*floats_, sample); !status) return status;
    if (auto status = prepare(*rounded_, sample); !status) return status;
    auto score = judge(sample, rounded_->outputs(sample));
    if (!score) return failure(score);
    result_.joint.push_back(*score);
    report();
  }
  return {};
}

// At most kPartners of those that bring something, the best first.
std::vector<std::size_t> Measuring::best_left_out() const {
  const Quality quality = options_.quality;
  const auto joint = drop_of(quality, result_.joint, result_.baseline);
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::vector<SampleScore>& scores = result_.layers[l].left_out;
    const auto drop = drop_of(quality, scores, result_.baseline);
    if (scores.size() == samples() && drop && joint && *drop < *joint) found.emplace_back(*drop, l);
  }
  std::sort(found.begin(), found.end());
  found.resize(std::min(found.size(), kPartners));
  std::vector<std::size_t> out;
  for (const auto& [drop, layer] : found) out.push_back(layer);
  return out;
}

Status Measuring::measure_pairs() {
  const std::vector<PairScore> earlier = std::exchange(result_.pairs, {});
  const std::vector<std::size_t> best = best_left_out();
  for (std::size_t i = 0; i < best.size(); ++i)
    for (std::size_t j = i + 1; j < best.size(); ++j) {
      if (i > 0 && j >= kPairedLayers) break;
      const auto [first, second] = std::minmax(best[i], best[j]);
      PairScore& pair = result_.pairs.emplace_back(PairScore{first, second, {}});
      for (const PairScore& known : earlier)
        if (known.first == pair.first && known.second == pair.second)
          pair.left_out = known.left_out;
    }
  for (PairScore& pair : result_.pairs) {
    std::vector<bool> rounded(layers_.size(), true);
    rounded[pair.first] = rounded[pair.second] = false;
    const auto& cut_of = plan_.cut_of;
    const std::size_t from = cut_of[pair.second] < cut_of[pair.first] ? pair.second : pair.first;
    if (auto status = measure(rounded, from, *rounded_, pair.left_out, samples()); !status)
      return status;
  }
  return {};
}

// All layers together come first: that takes few passes, and R is known for whatever has been
// measured when it ends.
Status Measuring::measure_all() {
  if (auto status = joint(samples()); !status) return status;
  for (std::size_t l = 0; l < layers_.size() && !stopped(); ++l) {
    if (auto status = alone(l, samples()); !status) return status;
    if (!options_.leave_one_out) continue;
    if (auto status = left_out(l, samples()); !status) return status;
  }
  return options_.leave_one_out && !stopped() ? measure_pairs() : Status();
}

Status Measuring::look_for_families(Families& out) const {
  const Quality quality = options_.quality;
  const bool smooth =
      quality == Quality::Sqnr || quality == Quality::Cosine || quality == Quality::Kl;
  std::vector<OwnNoise> noise(layers_.size());
  if (smooth) {  // otherwise one sample says nothing, and without noise none are alike
    auto own = own_noise(model_, layers_, options_.rounding, fill_, options_.activation_sqnr);
    if (!own) return failure(own);
    noise = std::move(*own);
  }
  out = find_families(model_, layers_, options_.rounding, noise);
  return {};
}

Status Measuring::measure_within_budget() {
  BudgetTask task;
  task.samples = samples();
  task.share = plan_.share;
  // Leave-one-out may take the same again.
  task.allowed = options_.budget * static_cast<double>(layers_.size() * samples());
  task.timed = options_.budget_seconds > 0;
  task.leave_one_out = options_.leave_one_out;
  task.top = static_cast<std::size_t>(std::max(1, options_.top));
  task.quality = options_.quality;
  if (options_.budget < 1) result_.budget_passes = options_.budget * result_.naive_passes;
  Families families;
  if (auto status = look_for_families(families); !status) return status;
  task.like = std::move(families.like);
  result_.alike = std::move(families.blocks);
  auto spent = spend_budget(task, *this);
  if (!spent) return failure(spent);
  for (std::size_t l = 0; l < layers_.size(); ++l)
    if (task.like[l] != l && spent->like[l] == l) leave_family(layers_[l].path);
  result_.like = std::move(spent->like);
  result_.first_samples = spent->first;
  return {};
}

void Measuring::leave_family(const std::string& path) {
  for (AlikeBlocks& alike : result_.alike)
    for (const std::string& block : alike.blocks)
      if (path.starts_with(block + ".")) --alike.members;
}

void Measuring::take_earlier() {
  result_.layers.resize(layers_.size());
  if (options_.earlier == nullptr) return;
  const Sensitivity& earlier = *options_.earlier;
  const auto take = [&](const std::vector<SampleScore>& from, std::vector<SampleScore>& to) {
    to.assign(from.begin(),
              from.begin() + static_cast<std::ptrdiff_t>(std::min(from.size(), samples())));
    return static_cast<double>(to.size());
  };
  earlier_passes_ += take(earlier.baseline, result_.baseline);
  earlier_passes_ += take(earlier.joint, result_.joint);
  for (std::size_t l = 0; l < std::min(layers_.size(), earlier.layers.size()); ++l) {
    LayerScore& own = result_.layers[l];
    earlier_passes_ += plan_.share[l] * take(earlier.layers[l].alone, own.alone);
    const double left_out = take(earlier.layers[l].left_out, own.left_out);
    if (options_.leave_one_out) earlier_passes_ += plan_.share[l] * left_out;
  }
  for (const PairScore& pair : earlier.pairs)
    if (pair.first < layers_.size() && pair.second < layers_.size())
      take(pair.left_out,
           result_.pairs.emplace_back(PairScore{pair.first, pair.second, {}}).left_out);
}

Status Measuring::open_references() {
  const auto open = [&](Model&& model, Opened& opened, std::optional<Reference>& reference,
                        const std::vector<std::string>& kept) -> Status {
    opened.model = std::move(model);
    auto source = weights_.write(opened.model);
    if (!source) return failure(source);
    opened.source = std::move(*source);
    reference.emplace(data_, model_, kept);
    return reference->open(engine_, opened.source.bytes(), session_);
  };
  if (auto status = open(GraphEdit(model_).finish(), float_model_, floats_, plan_.tensors); !status)
    return status;
  auto rounded = with_rounded_layers(model_, layers_, std::vector<bool>(layers_.size(), true),
                                     ranges_, options_.rounding, fill_);
  if (!rounded) return failure(rounded);
  return open(std::move(*rounded), rounded_model_, rounded_,
              options_.leave_one_out ? plan_.tensors : std::vector<std::string>{});
}

Result<Sensitivity> Measuring::run() {
  if (layers_.empty()) return failure(why_no_layers(model_));
  if (data_.count() == 0) return failure("there are no samples");
  const auto references = options_.leave_one_out ? 2 : 1;
  const std::int64_t room = options_.naive ? 0 : options_.memory_bytes / references / data_.count();
  std::vector<NodeId> starts;
  for (const QuantLayer& layer : layers_) starts.push_back(start_of(layer));
  plan_ = plan_kept(model_, starts, work_of(model_), room);
  take_earlier();
  result_.kept_bytes = plan_.bytes_per_sample * data_.count() * references;
  result_.naive_passes = static_cast<double>(layers_.size() * samples()) * references;
  if (auto status = open_references(); !status) return failure(status);

  double sum = 2;
  for (const double share : plan_.share) sum += share * references;
  if (options_.leave_one_out && !halving() && !layers_.empty())  // pairs, about
    sum *= 1 + static_cast<double>(kPairs) / static_cast<double>(2 * layers_.size());
  planned_ = sum * static_cast<double>(samples());
  if (options_.budget < 1) planned_ = std::min(planned_, options_.budget * result_.naive_passes);
  if (auto status = halving() ? measure_within_budget() : measure_all(); !status)
    return failure(status);
  const std::size_t wanted = halving() ? 1 : samples();
  result_.partial =
      stopped() || std::any_of(result_.layers.begin(), result_.layers.end(),
                               [&](const LayerScore& l) { return l.alone.size() < wanted; });
  result_.seconds = seconds();
  return std::move(result_);
}

}  // namespace

Result<Sensitivity> measure_sensitivity(const Engine& engine, const Model& model,
                                        const std::vector<QuantLayer>& layers,
                                        const TensorRanges& ranges, const Dataset& data,
                                        const FillElements& fill,
                                        const SensitivityOptions& options) {
  // Norms are folded here once, and not by the engine for each layer, which would take longer than
  // a pass. Their outputs keep their names.
  const auto folded = with_folded_norms(model, fill);
  if (folded) {
    const std::vector<QuantLayer> own = find_quant_layers(*folded);
    const bool same =
        std::equal(own.begin(), own.end(), layers.begin(), layers.end(),
                   [](const QuantLayer& a, const QuantLayer& b) { return a.path == b.path; });
    if (same) return Measuring(engine, *folded, own, ranges, data, fill, options).run();
  }
  return Measuring(engine, model, layers, ranges, data, fill, options).run();
}

}  // namespace strata
