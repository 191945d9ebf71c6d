// What quantizing one layer at a time does to a network's output, and all of them together.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/engine/engine.h"
#include "strata/measure/dataset.h"
#include "strata/measure/statistics.h"
#include "strata/quant/layers.h"
#include "strata/quant/qdq.h"

namespace strata {

// What of a layer is rounded.
struct Rounding {
  bool weights = true;      // by channel, symmetric
  bool activations = true;  // its output, after norm and activation; with the first layers
                            // the network's inputs
  int weight_bits = 8;      // 2 to 8
  int activation_bits = 8;
  WeightChoice choice = WeightChoice::MinMax;
};

// How one sample's outputs differ from those of the network in floats. Sums over elements,
// so that samples can be put together.
struct SampleScore {
  double signal = 0, noise = 0;          // of squares: of the floats' outputs, of the difference
  double product = 0, other = 0;         // for the cosine: of a·b, of b²
  double kl = 0;                         // of softmax over the last axis, nats, sum over rows
  std::int64_t rows = 0;                 // of outputs that look like scores of classes
  std::int64_t same = 0;                 // of them, with the same largest element
  std::int64_t right = 0, labelled = 0;  // with labels
  std::optional<double> command;         // what a command of the user's says
};

// Some of the samples of a data set, one after the other; the default is all.
struct SampleSpan {
  std::size_t first = 0, end = static_cast<std::size_t>(-1);
};

// Figures over samples. Higher is better for all but KL.
enum class Quality : std::uint8_t { Sqnr, Cosine, Kl, Top1, Accuracy, Command };
std::string_view name(Quality quality);  // `sqnr`, `cosine`, `kl`, `top1`, `accuracy`, `command`
std::optional<Quality> quality_from_name(std::string_view name);
std::string_view unit(Quality quality);  // `dB`, `nats`, `%`, or empty

// nullopt where it does not apply; infinity is an SQNR without noise.
std::optional<double> value(Quality quality, std::span<const SampleScore> samples);
// 95 %, from a bootstrap over samples; nullopt below four samples.
std::optional<Interval> value_interval(Quality quality, std::span<const SampleScore> samples,
                                       std::uint64_t seed = 0);
// How much worse than floats: of a measure that adds up where layers are independent. SQNR
// and cosine: noise power over signal power. KL: itself. Top-1 and accuracy: the share lost.
std::optional<double> drop(Quality quality, std::span<const SampleScore> samples,
                           std::span<const SampleScore> baseline);

struct LayerScore {
  std::vector<SampleScore> alone;     // this layer rounded, all else float
  std::vector<SampleScore> left_out;  // all rounded but this one
};

// Blocks that a network repeats, as a budget makes use of them.
struct AlikeBlocks {
  std::vector<std::string> blocks;  // `layers.1`, …, in running order
  std::size_t layers = 0;           // in all of them
  std::size_t standing = 0;         // of them, those that stand for others
  std::size_t members = 0;          // and those that another one stands for
};

struct Sensitivity {
  std::vector<SampleScore> baseline;  // the floats against themselves: for accuracy
  std::vector<LayerScore> layers;     // as find_quant_layers(); no samples: not looked at
  std::vector<SampleScore> joint;     // all rounded
  bool partial = false;               // ended early
  // With a budget: by layer the one that stood for it, else itself; else empty.
  std::vector<std::size_t> like = {};
  std::vector<AlikeBlocks> alike = {};
  std::size_t first_samples = 0;  // of the first round
  double budget_passes = 0;       // 0: no such limit
  // Of the whole network, counted in MACs.
  double passes = 0;        // that were run, those for references included
  double naive_passes = 0;  // that a loop over layers and samples would have run
  double seconds = 0;       // that measuring took, which are what budget_seconds is of
  std::int64_t kept_bytes = 0;
};

// Of tensors by name, in dB, when they are rounded by their range: what a sketch tells.
using ActivationSqnr = std::map<std::string, double, std::less<>>;

struct SensitivityOptions {
  SessionOptions session = {.optimization = STRATA_OPT_BASIC};
  Rounding rounding = {};
  std::int64_t memory_bytes = std::int64_t{2} << 30;  // for activations that are kept
  bool naive = false;                                 // every layer from the inputs on: for proof
  bool leave_one_out = false;
  // Successive halving: all layers on few samples, then the contested ones on more. A share
  // of the passes that all layers on all samples take with the naive loop; 1: all.
  double budget = 1;
  double budget_seconds = 0;  // 0: no limit
  int top = 10;               // layers whose order the budget is spent on
  // With a budget, of all rounded outputs: layers of repeated blocks are then told apart by
  // what rounding does to themselves. One that lacks is on its own.
  ActivationSqnr activation_sqnr = {};
  Quality quality = Quality::Sqnr;
  std::optional<std::vector<std::int64_t>> labels = {};  // batch() for each sample
  // For Quality::Command: the outputs in floats and those to judge.
  std::function<Result<double>(std::span<const HostTensor>, std::span<const HostTensor>)> command;
  // Scores of an earlier run, of the first samples of each layer: these are not measured again.
  // Its seconds count in budget_seconds.
  const Sensitivity* earlier = nullptr;
  std::function<void(const Sensitivity&)> so_far;  // after each sample, to be kept
  std::function<void(double share)> progress;
  const std::atomic<bool>* stop = nullptr;
};

// The tensors whose ranges are needed.
std::vector<TensorId> rounded_tensors(const std::vector<QuantLayer>& layers);

// `ranges`: of all rounded_tensors(). The model is inferred, and `fill` gives the elements
// that it does not have.
Result<Sensitivity> measure_sensitivity(const Engine& engine, const Model& model,
                                        const std::vector<QuantLayer>& layers,
                                        const TensorRanges& ranges, const Dataset& data,
                                        const FillElements& fill,
                                        const SensitivityOptions& options);

// R = sum of the layers' own drops over the drop of all together. Far from 1, the layers'
// drops do not add up, and their order says little of what leaving one out would bring.
std::optional<double> additivity(const Sensitivity& sensitivity, Quality quality);
// The same of the layers that were measured, where others were not: a part of R.
std::optional<double> additivity_so_far(const Sensitivity& sensitivity, Quality quality);
inline constexpr double kAdditiveLow = 0.5, kAdditiveHigh = 2;

}  // namespace strata
