// Seeded random weights for a network that has none: good enough to run it, for timing and for
// comparing engines. Every linear layer is scaled by the size of its input, so that activations
// stay around 1, however deep the network is.
#pragma once

#include <cstdint>

#include "strata/write/onnx.h"

namespace strata::build {

// Provides the elements of every stored tensor of `model`, which must outlive the function. An
// element depends only on the seed, on the tensor's name and role, and on its position: equal
// models and seeds give equal bytes, for chunks of any size.
FillElements random_weights(const Model& model, std::uint64_t seed);

}  // namespace strata::build
