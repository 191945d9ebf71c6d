// Seeded random weights for a network that has none: good enough to run it, for
// timing and for comparing engines. Every linear layer is scaled by what comes into
// it, so that activations stay of a size of about 1, however deep the network is.
#pragma once

#include <cstdint>

#include "strata/write/onnx.h"

namespace strata::zoo {

// Gives the elements of every stored tensor of `model`, which must outlive the
// function. An element depends on the seed, on the tensor's name and role and on its
// place only: equal models and seeds give equal bytes, in chunks of any size.
FillElements random_weights(const Model& model, std::uint64_t seed);

}  // namespace strata::zoo
