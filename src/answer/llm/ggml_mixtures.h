// Files of llama.cpp's quantizer: which matrix gets which of ggml's types.
#pragma once

#include <span>

#include "strata/llm/weights.h"

namespace strata::llm {

std::span<const WeightScheme> ggml_schemes();

// Bits of a matrix in a layer of such a file. `usual` are those of the scheme.
double ggml_mixture_bits(const Network& network, const WeightScheme& scheme, const Matrix& matrix,
                         std::size_t layer, double usual);

}  // namespace strata::llm
