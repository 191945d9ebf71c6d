// A language model's work and memory, from its list of layers. Counts are per token, per pair
// of a query and a key, or per sequence; nothing depends on a device.
#pragma once

#include <cstdint>

#include "strata/llm/network.h"

namespace strata::llm {

struct Parameters {
  std::int64_t all = 0;
  std::int64_t active = 0;     // all but the experts that a token does not pass
  std::int64_t experts = 0;    // of routed experts, with their biases
  std::int64_t embedding = 0;  // of tokens
};
Parameters parameters_of(const Network& network);

// Multiply-accumulates of one token in all matrices but the embedding; a tied head counts.
std::int64_t linear_macs(const Network& network);
// Those of the head alone, which runs for the last token of a prompt only.
std::int64_t head_macs(const Network& network);

// Multiply-accumulates for each pair of a query and a key, summed over layers.
struct PairMacs {
  std::int64_t full = 0;      // layers that see all tokens
  std::int64_t windowed = 0;  // layers with a window or chunks
  std::int64_t cross = 0;     // for each pair of a token and one of the encoder's
};
PairMacs pair_macs(const Network& network);
// Counts a layer. MLA in decode works on the compressed cache: `absorbed`.
std::int64_t pair_macs(const Layer& layer, bool absorbed = false);

// Pairs of a query and a key in a layer where `tokens` new tokens follow `past` cached ones; each
// query sees itself and what is before it. The eager square would be tokens·(past + tokens).
double pairs_of(const Layer& layer, double past, double tokens);

// Attention of all layers in a step: multiply-accumulates.
double attention_macs(const Network& network, double past, double tokens, bool absorbed);

// How a state that does not grow is kept.
struct StateForm {
  bool keeps_kernel = false;   // transformers keeps all columns of a convolution, engines one less
  double conv_bytes = 2;       // per element of a convolution's columns
  double recurrent_bytes = 4;  // per element of a recurrent state
};

// Elements of the cache per token of a layer: 0 where there is none.
std::int64_t cache_elements(const Layer& layer);
// Elements that attention reads for each token before, its own or those of an earlier layer.
std::int64_t read_elements(const Layer& layer);
// Bytes per token, all layers. `element_bytes` may be a fraction: 1.0625 for q8_0.
struct CachePerToken {
  double full = 0;
  double windowed = 0;  // of layers with a window or chunks, while it is not full
  double cross = 0;     // per sequence
  double state = 0;     // per sequence
};
CachePerToken cache_of(const Network& network, double element_bytes, const StateForm& form = {});
// Bytes of one sequence of this many tokens.
double cache_bytes(const Network& network, double tokens, double element_bytes,
                   const StateForm& form = {});
double state_bytes(const Layer& layer, const StateForm& form);

}  // namespace strata::llm
