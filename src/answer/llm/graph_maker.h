// Builds modules of a language model from the record of a layer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/llm/graph.h"
#include "strata/llm/matrix.h"
#include "strata/llm/weights.h"

namespace strata::llm {

class GraphMaker {
 public:
  using Var = build::Var;

  GraphMaker(const Network& network, const WeightScheme& scheme, const GraphSizes& sizes,
             DType type);
  Result<build::Network> make() &&;

 private:
  // graph.cc
  Var embed(Var ids);
  Var layer(std::size_t index, Var x);
  Var side_paths(Var x);
  void finish_with_head(Var x, Var embedding);
  void add_towers();

  // graph_mixers.cc
  Var mix(Var x);
  Var attention(Var x);
  Var cross_attention(Var x);
  Var latent(Var x);
  Var indexed_keys(Var x, Var queries);
  Var mamba1(Var x);
  Var mamba2(Var x);
  Var delta(Var x);
  Var channel_delta(Var x);
  Var lightning(Var x);
  Var short_convolution(Var x);
  Var rwkv(Var x);

  // graph_mlps.cc
  Var mlp(Var x);
  Var feed_forward(Var x, Part part, std::string_view module);
  Var experts(Var x);
  Var rwkv_mlp(Var x);

  // Parts of modules.
  const Matrix& matrix(std::string_view name, Part part) const;
  Var linear(std::string_view name, Var x, Part part = Part::Attention);
  // The stored matrix, in the module that is open: its elements, or its bytes.
  Var stored(const Matrix& matrix, std::initializer_list<std::int64_t> dims);
  bool is_plain(const Matrix& matrix) const;
  std::int64_t bytes_of(const Matrix& matrix) const;
  Var resident(std::string_view name, const Matrix& matrix);
  // 1 vector is an RMSNorm and 2 are a LayerNorm; 0 returns x.
  Var norm(std::string_view name, Var x, std::int64_t vectors);
  // Normalizes heads of this width, which lie side by side.
  Var head_norm(std::string_view name, Var x, std::int64_t head, bool has_bias);
  Var vector(std::string_view name, std::int64_t size) { return net_.weight(name, {size}); }
  Var causal_conv(Var x, std::int64_t channels);
  Var scan(std::string_view kind, std::vector<Var> inputs, std::int64_t width, std::int64_t states,
           std::int64_t heads = 0);
  // Returns the cache of earlier tokens with `added` appended; without a cache, `otherwise`.
  Var with_cache(std::string_view name, std::initializer_list<Var> added, std::int64_t width,
                 Var otherwise);
  std::string cls(std::string_view name) const { return base_ + std::string(name); }
  std::string numbered(std::string_view name) const;
  const Layer& current() const { return network_.layers[index_]; }

  const Network& network_;
  const WeightScheme scheme_;
  const GraphSizes sizes_;
  const bool is_cached_;
  std::string base_;  // `Llama`
  build::Builder net_;
  struct KeysAndValues {
    Var key, value, cache;
  };
  KeysAndValues last_[2];         // of the last layer without and with a window that has its own
  std::vector<Var> sides_;        // each layer's part of the second embedding
  Var embedded_;                  // the first layer's input
  Var embedding_;                 // the table, which a tied head reads, too
  std::size_t index_ = 0;         // of the layer that is built
  std::vector<Matrix> matrices_;  // of it
  std::vector<std::pair<std::string, Var>> outputs_;  // caches and states
};

}  // namespace strata::llm
