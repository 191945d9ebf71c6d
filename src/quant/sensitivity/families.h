// Finds layers at the same place in blocks that a network repeats.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sensitivity/rounded.h"
#include "strata/sensitivity/sensitivity.h"

namespace strata {

// The effect of rounding on a layer's own weights and output, as SQNR in dB: known without another
// run.
struct OwnNoise {
  std::optional<double> weights, activations;
};
// `activation_sqnr`: SQNR of the layers' outputs, by tensor name.
Result<std::vector<OwnNoise>> own_noise(const Model& model, const std::vector<QuantLayer>& layers,
                                        const Rounding& rounding, const FillElements& fill,
                                        const ActivationSqnr& activation_sqnr);

struct Families {
  std::vector<std::size_t> like;  // by layer: the one that stands for it, or itself
  std::vector<AlikeBlocks> blocks;
};

// Blocks are modules whose paths differ in one number, `layers.1` and `layers.2`, with the
// same operators, attributes and shapes, and two layers or more. Layers at the same place in such
// blocks are alike if both figures of OwnNoise are within 3 dB of the median; a layer that is
// further off, or not known, is on its own. A family has at most six layers, including the one that
// stands for it.
Families find_families(const Model& model, const std::vector<QuantLayer>& layers,
                       const Rounding& rounding, std::span<const OwnNoise> noise);

}  // namespace strata
