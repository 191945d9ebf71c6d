// How many bytes weights take: types of weights as engines know them, and what tensor, pipeline and
// expert parallelism leave on a device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/llm/matrix.h"
#include "strata/llm/network.h"

namespace strata::llm {

// Bits per weight by where the weight is. Scales of blocks are included.
struct WeightScheme {
  std::string_view name;  // `fp8`
  double linear = 16;     // matrices of layers
  double experts = 16;
  double router = 16;
  double head = 16;
  double embedding = 16;
  double vectors = 16;       // norms and biases
  bool is_stored = false;    // as Network::stored says
  bool is_ggml = false;      // a file of llama.cpp's quantizer
  bool is_mixture = false;   // one in which matrices or layers have different types
  double compute_bits = 16;  // of the products: 8 runs on fp8 units, 4 on fp4 units
  std::string_view about = {};
};
std::span<const WeightScheme> weight_schemes();
// The failure lists the names.
Result<WeightScheme> find_weight_scheme(std::string_view name);

// The scheme of that name; empty: as the network's files are.
Result<WeightScheme> weight_scheme_of(const Network& network, std::string_view name);

// Bits of a matrix in a layer.
double bits_of(const Network& network, const WeightScheme& scheme, const Matrix& matrix,
               std::size_t layer);

// Bits of the embedding, which may also be the head.
double embedding_bits(const Network& network, const WeightScheme& scheme);

struct Division {
  std::int64_t tensor = 1, pipeline = 1, experts = 1;

  std::int64_t devices() const { return pipeline * (tensor > experts ? tensor : experts); }
  // Groups of devices that each serve a part of the batch.
  std::int64_t replicas() const { return experts > tensor ? experts / tensor : 1; }
};
// Fails with a sentence that says what does not divide.
Status check_division(const Network& network, const Division& division);

// Bytes on the device that holds the most.
struct WeightBytes {
  double embedding = 0, head = 0, dense = 0, experts = 0, vectors = 0, towers = 0;

  double all() const { return embedding + head + dense + experts + vectors + towers; }
};
WeightBytes weight_bytes(const Network& network, const WeightScheme& scheme,
                         const Division& division = {});

// The part of a matrix that a device holds with tensor parallelism, experts as well.
double tensor_share(const Matrix& matrix, const Layer& layer, std::int64_t tensor);
// The part of the cache that a device holds with tensor parallelism: KV heads are divided down to
// one, the latent of MLA is copied.
double cache_share(const Layer& layer, std::int64_t tensor);

// Types of the cache: bytes per element. The failure lists the names.
Result<double> cache_element_bytes(std::string_view type);

}  // namespace strata::llm
