// Layers in the same place of blocks that a network repeats.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "quant/rounded.h"
#include "strata/quant/sensitivity.h"

namespace strata {

// What a layer's own rounding does to itself, in dB of SQNR: known without running anything
// again.
struct OwnNoise {
  std::optional<double> weights, activations;
};
// `activation_sqnr`: by the tensor's name, of the layers' outputs.
Result<std::vector<OwnNoise>> own_noise(const Model& model, const std::vector<QuantLayer>& layers,
                                        const Rounding& rounding, const FillElements& fill,
                                        const ActivationSqnr& activation_sqnr);

struct Families {
  std::vector<std::size_t> like;  // by layer: the one that stands for it, else itself
  std::vector<AlikeBlocks> blocks;
};

// Blocks are modules whose paths differ in one number, `layers.1` and `layers.2`, with the
// same operators, attributes and shapes, and two layers or more. Layers in the same place of
// them are alike if what their rounding does to themselves is within 3 dB of the median; one
// that is further off, or not known, is on its own. At most six are stood for by one.
Families find_families(const Model& model, const std::vector<QuantLayer>& layers,
                       const Rounding& rounding, std::span<const OwnNoise> noise);

}  // namespace strata
