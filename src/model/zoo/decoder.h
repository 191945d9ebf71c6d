// Decoders for text that are built like Llama: RMS norms, rotary positions, queries that share keys
// and values, a gated MLP or experts in its place. Modules have the names and classes of Hugging
// Face's transformers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/build/builder.h"

namespace strata::zoo {

struct DecoderShape {
  std::string family = "Llama";  // begins the names of classes: LlamaAttention, Qwen3MLP
  std::int64_t vocab = 0, width = 0, layers = 0;
  std::int64_t heads = 0, kv_heads = 0, head = 0;  // queries, keys and values, channels of each
  std::int64_t ffn = 0;                            // channels inside the MLP
  bool qkv_bias = false, out_bias = false, mlp_bias = false;
  bool qk_norm = false;  // queries and keys are normalised, each head by itself
  bool tied = false;     // the last layer has the weights of the embedding
  bool has_head = true;  // a last layer that gives scores of tokens
  std::string activation = "silu";
  float epsilon = 1e-5F;
  double rotary_base = 10000;
  std::int64_t window = 0;               // tokens that a query looks back on, itself too; 0: all
  std::vector<bool> windowed = {};       // layers that have the window; empty: all
  std::int64_t experts = 0, chosen = 0;  // that a token goes through; 0: no experts
  std::int64_t expert_ffn = 0;
  bool normalize_chosen = true;   // the weights of the chosen experts add up to 1
  std::vector<bool> sparse = {};  // layers that have experts; empty: all

  std::int64_t sharing() const { return heads / kv_heads; }  // queries per key
};

struct DecoderInputs {
  Expr batch = 1, sequence = 128;
  bool cached = false;  // keys and values of earlier tokens are given
  Expr past = 128;      // how many
};

void build_decoder(build::Builder& net, const DecoderShape& shape, const DecoderInputs& inputs);

// An activation function of transformers as a module; unknown ones are a mistake.
build::Var activation_function(build::Builder& net, std::string_view name, std::string_view kind,
                               build::Var x);

}  // namespace strata::zoo
