// The effect on a network's output of quantizing one layer at a time, and all layers together.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/base/statistics.h"
#include "strata/data/dataset.h"
#include "strata/edit/layers.h"
#include "strata/edit/qdq.h"
#include "strata/engine/engine.h"

namespace strata {

// The parts of a layer that are rounded.
struct Rounding {
  bool weights = true;      // per channel, symmetric
  bool activations = true;  // its output, after norm and activation; for the first layers, also the
                            // network's inputs
  int weight_bits = 8;      // 2 to 8
  int activation_bits = 8;
  WeightChoice choice = WeightChoice::MinMax;
};

// The distance of one sample's outputs from those of the float network. These are sums over
// elements, so that samples can be combined.
struct SampleScore {
  double signal = 0, noise = 0;          // sums of squares: the float outputs, the difference
  double product = 0, other = 0;         // for the cosine: sums of a·b and of b²
  double kl = 0;                         // of softmax over the last axis, in nats, summed over rows
  std::int64_t rows = 0;                 // rows of outputs that look like class scores
  std::int64_t same = 0;                 // those with the same largest element
  std::int64_t right = 0, labelled = 0;  // if there are labels
  std::optional<double> command;         // what the user's command returns
};

// A range of consecutive samples of a data set; by default all of them.
struct SampleSpan {
  std::size_t first = 0, end = static_cast<std::size_t>(-1);
};

// Figures over samples. Higher is better for all except KL.
enum class Quality : std::uint8_t { Sqnr, Cosine, Kl, Top1, Accuracy, Command };
std::string_view name_of(Quality quality);  // `sqnr`, `cosine`, `kl`, `top1`, `accuracy`, `command`
std::optional<Quality> quality_from_name(std::string_view name);
std::string_view unit_of(Quality quality);  // `dB`, `nats`, `%`, or empty

// nullopt if it does not apply; an SQNR without noise is infinity.
std::optional<double> score_of(Quality quality, std::span<const SampleScore> samples);
// 95 %, from a bootstrap over samples; nullopt with fewer than four samples.
std::optional<Interval> value_interval(Quality quality, std::span<const SampleScore> samples,
                                       std::uint64_t seed = 0);
// The loss against floats, in a measure that adds up if layers are independent. SQNR and cosine:
// noise power over signal power. KL: the KL itself. Top-1 and accuracy: the share lost.
std::optional<double> drop_of(Quality quality, std::span<const SampleScore> samples,
                              std::span<const SampleScore> baseline);

struct LayerScore {
  std::vector<SampleScore> alone;     // only this layer is rounded
  std::vector<SampleScore> left_out;  // everything but this layer is rounded
};

// Two layers that stay in float together.
struct PairScore {
  std::size_t first = 0, second = 0;  // in running order
  std::vector<SampleScore> left_out;  // everything but these two is rounded
};

// Blocks that a network repeats, which a budget makes use of.
struct AlikeBlocks {
  std::vector<std::string> blocks;  // `layers.1`, …, in running order
  std::size_t layers = 0;           // number of layers in all of them
  std::size_t standing = 0;         // how many of these stand for others
  std::size_t members = 0;          // how many have another one stand for them
};

struct Sensitivity {
  std::vector<SampleScore> baseline;  // the floats against themselves, for accuracy
  std::vector<LayerScore> layers;     // as find_quant_layers(); no samples: not measured
  std::vector<SampleScore> joint;     // everything is rounded
  bool partial = false;               // ended early
  // With a budget: for each layer, the one that stood for it, or itself. Otherwise empty.
  std::vector<std::size_t> like = {};
  std::vector<AlikeBlocks> alike = {};
  std::size_t first_samples = 0;  // number of samples in the first round
  double budget_passes = 0;       // 0: no such limit
  // Passes of the whole network, counted in MACs.
  double passes = 0;        // passes that were run, including those for references
  double naive_passes = 0;  // passes that a loop over layers and samples would have run
  double seconds = 0;       // time spent measuring, which budget_seconds limits
  std::int64_t kept_bytes = 0;
  // With leave_one_out and without a budget: pairs of the layers that bring the most if they alone
  // stay in float.
  std::vector<PairScore> pairs = {};
};

// SQNR of tensors in dB, by name, when they are rounded to their range, as a sketch predicts it.
using ActivationSqnr = std::map<std::string, double, std::less<>>;

struct SensitivityOptions {
  SessionOptions session = {.optimization = STRATA_OPT_BASIC};
  Rounding rounding = {};
  std::int64_t memory_bytes = std::int64_t{2} << 30;  // for activations that are kept in memory
  bool naive = false;                                 // run every layer from the inputs, to verify
  bool leave_one_out = false;
  // Successive halving: all layers on few samples, then the contested ones on more. The budget is a
  // share of the passes that the naive loop takes for all layers on all samples; 1: no limit.
  double budget = 1;
  double budget_seconds = 0;  // 0: no limit
  int top = 10;               // the layers whose ranking the budget is spent on
  // Used with a budget, for all rounded outputs: layers of repeated blocks are then told apart by
  // what rounding does to their own outputs. A layer with no entry stands for itself.
  ActivationSqnr activation_sqnr = {};
  Quality quality = Quality::Sqnr;
  std::optional<std::vector<std::int64_t>> labels = {};  // batch() per sample
  // For Quality::Command: takes the outputs in float and those to judge.
  std::function<Result<double>(std::span<const HostTensor>, std::span<const HostTensor>)> command;
  // Scores of an earlier run for the first samples of each layer, which are not measured again. Its
  // seconds count towards budget_seconds.
  const Sensitivity* earlier = nullptr;
  std::function<void(const Sensitivity&)> so_far;  // called after each sample, to save scores
  std::function<void(double share)> progress;
  const std::atomic<bool>* stop = nullptr;
};

// The tensors that ranges are needed for.
std::vector<TensorId> rounded_tensors(const std::vector<QuantLayer>& layers);

// `ranges` covers all rounded_tensors(). The model's types must have been inferred, and `fill`
// gives the elements that it does not store.
Result<Sensitivity> measure_sensitivity(const Engine& engine, const Model& model,
                                        const std::vector<QuantLayer>& layers,
                                        const TensorRanges& ranges, const Dataset& data,
                                        const FillElements& fill,
                                        const SensitivityOptions& options);

// R = the sum of the layers' own drops over the drop of all layers together. If R is far from 1,
// the drops do not add up, and their order says little about what leaving one layer out would
// bring.
std::optional<double> additivity(const Sensitivity& sensitivity, Quality quality);
// Like above, for the layers measured so far: a part of R.
std::optional<double> additivity_so_far(const Sensitivity& sensitivity, Quality quality);
inline constexpr double kAdditiveLow = 0.5, kAdditiveHigh = 2;

}  // namespace strata
