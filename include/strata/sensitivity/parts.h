// The parts that an int8 file rounds: the weights of each layer, and each activation that becomes
// integers, including those between layers. A plan says which of them stay in float.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/data/dataset.h"
#include "strata/edit/layers.h"
#include "strata/edit/qdq.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"
#include "strata/sensitivity/sensitivity.h"

namespace strata {

inline constexpr std::size_t kNoLayer = static_cast<std::size_t>(-1);

struct QuantPart {
  enum class Kind : std::uint8_t { Weights, Tensor };
  Kind kind = Kind::Weights;
  // `features.0.0:weights`, `features.0.0:output`, `features.1.Add:output`, `image:input`. Unique.
  std::string label;
  std::size_t layer = kNoLayer;           // owns the weights or produces the tensor
  TensorId tensor = kNone;                // for a Tensor: where it is rounded
  TensorId origin = kNone;                // the same in a fully int8 file
  std::vector<std::size_t> readers = {};  // for a Tensor: layers that read it, maybe passed on
};
std::string_view name_of(QuantPart::Kind kind);  // `weights`, `tensor`

// The parts that the int8 file of a plan rounds. An activation that is rounded only after nodes
// that pass it on has the name that it has in a fully int8 file. In running order: a layer's
// weights come before the activation that it produces.
std::vector<QuantPart> quant_parts(const Model& model, const std::vector<QuantLayer>& layers,
                                   const StaysFloat& floats = {});

// Reads the user's words for parts that stay in float. A word is a name of layers, blocks or
// modules or a pattern, as select_layers() takes them; with `:output` or `:input` after it, it
// means the activations that these layers produce or read. It may also be the label of a part.
Result<StaysFloat> stays_float(const Model& model, const std::vector<QuantLayer>& layers,
                               const std::vector<std::string>& words);

// True for the input and the output of a layer if the file of a plan rounds them, directly or
// through nodes that only pass them on.
struct LayerRounding {
  bool input = false, output = false;
};
std::vector<LayerRounding> layer_rounding(const Model& model, const std::vector<QuantLayer>& layers,
                                          const StaysFloat& floats);

struct PartScores {
  std::vector<QuantPart> parts;
  std::vector<std::vector<SampleScore>> alone;  // one per part: only this part is rounded
  std::vector<SampleScore> together;            // all parts are rounded, as in the file
  bool partial = false;                         // ended early
  double passes = 0;                            // passes of the whole network, counted in MACs
};

// Measures each part on its own. Only these options are used: the session, the rounding, the
// memory, the command, progress and stop.
Result<PartScores> measure_parts(const Engine& engine, const Model& model,
                                 const std::vector<QuantLayer>& layers, const TensorRanges& ranges,
                                 const Dataset& data, const FillElements& fill,
                                 const SensitivityOptions& options, SampleSpan samples = {});

// Predicts the answers of a plan's file with a network in float in which only the parts that the
// file rounds are rounded.
Result<std::vector<SampleScore>> simulate_plan(const Engine& engine, const Model& model,
                                               const std::vector<QuantLayer>& layers,
                                               const StaysFloat& floats, const TensorRanges& ranges,
                                               const Dataset& data, const FillElements& fill,
                                               const SensitivityOptions& options,
                                               SampleSpan samples = {});

}  // namespace strata
