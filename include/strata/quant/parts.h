// What an int8 file rounds, piece by piece: the weights of each layer, and each activation that
// becomes whole numbers, also those between layers. Which of them stay in floats is a plan.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"
#include "strata/measure/dataset.h"
#include "strata/quant/layers.h"
#include "strata/quant/qdq.h"
#include "strata/quant/sensitivity.h"

namespace strata {

inline constexpr std::size_t kNoLayer = static_cast<std::size_t>(-1);

struct QuantPart {
  enum class Kind : std::uint8_t { Weights, Tensor };
  Kind kind = Kind::Weights;
  // `features.0.0:weights`, `features.0.0:output`, `features.1.Add:output`, `image:input`. Unique.
  std::string label;
  std::size_t layer = kNoLayer;           // whose weights they are, or that gives the tensor
  TensorId tensor = kNone;                // of a Tensor: where it is rounded
  TensorId origin = kNone;                // the same in a file of int8 throughout
  std::vector<std::size_t> readers = {};  // of a Tensor: layers that read it, at once or passed on
};
std::string_view name(QuantPart::Kind kind);  // `weights`, `tensor`

// The parts that the int8 file of a plan rounds. An activation that is rounded only behind nodes
// that pass it on goes by the name that it has in a file of int8 throughout. In running order:
// layers with their weights before the activation that they give.
std::vector<QuantPart> quant_parts(const Model& model, const std::vector<QuantLayer>& layers,
                                   const StaysFloat& floats = {});

// What the words of a user keep in floats: names of layers, blocks, modules or patterns, as
// select_layers() takes them, and with `:output` or `:input` behind them the activations that
// these layers give or read; or the label of a part.
Result<StaysFloat> stays_float(const Model& model, const std::vector<QuantLayer>& layers,
                               const std::vector<std::string>& words);

// Whether what a layer reads and what it gives is rounded in the file of a plan, at once or by
// way of nodes that only pass it on.
struct LayerRounding {
  bool input = false, output = false;
};
std::vector<LayerRounding> layer_rounding(const Model& model, const std::vector<QuantLayer>& layers,
                                          const StaysFloat& floats);

struct PartScores {
  std::vector<QuantPart> parts;
  std::vector<std::vector<SampleScore>> alone;  // by part: this one rounded, all else float
  std::vector<SampleScore> together;            // all of them: what the file does
  bool partial = false;                         // ended early
  double passes = 0;                            // of the whole network, counted in MACs
};

// Each part on its own. Of the options, those of the session, the rounding, the memory, the
// command, progress and stop count.
Result<PartScores> measure_parts(const Engine& engine, const Model& model,
                                 const std::vector<QuantLayer>& layers, const TensorRanges& ranges,
                                 const Dataset& data, const FillElements& fill,
                                 const SensitivityOptions& options, SampleSpan samples = {});

// What the answers of a plan's file will be: a network in floats in which just the parts that
// the file rounds are rounded.
Result<std::vector<SampleScore>> simulate_plan(const Engine& engine, const Model& model,
                                               const std::vector<QuantLayer>& layers,
                                               const StaysFloat& floats, const TensorRanges& ranges,
                                               const Dataset& data, const FillElements& fill,
                                               const SensitivityOptions& options,
                                               SampleSpan samples = {});

}  // namespace strata
