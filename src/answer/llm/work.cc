#include <algorithm>
#include <cmath>

#include "strata/llm/count.h"
#include "strata/llm/matrix.h"
#include "strata/llm/step.h"

namespace strata::llm {

namespace {

class WorkSum {
 public:
  WorkSum(const Setup& setup, double batch, double past, double tokens)
      : setup_(setup),
        tensor_(static_cast<double>(setup.division.tensor)),
        sequences_(std::ceil(batch / static_cast<double>(setup.division.replicas()))),
        all_tokens_(batch * tokens),
        past_(past),
        tokens_(tokens),
        engine_(find_engine(setup.engine, setup.device)) {
    out_.sequences = batch;
    out_.rows = sequences_ * tokens;
  }

  void add_layers(const Layer& layer, std::size_t index, double times) {
    const double own_tokens = sequences_ * tokens_;
    for (const Matrix& matrix : matrices_of(layer, setup_.network.hidden)) {
      const double bits = bits_of(setup_.network, setup_.weights, matrix, index);
      const double elements = static_cast<double>(matrix.elements()) * times;
      const double macs = static_cast<double>(matrix.macs()) * times;
      if (matrix.part == Part::Experts) {
        const double ranks = static_cast<double>(
            setup_.division.experts > 1 ? setup_.division.experts : setup_.division.tensor);
        out_.expert_bytes += elements * bits / 8 * read_share(layer) / ranks;
        const double pairs =
            macs * (setup_.division.experts > 1 ? all_tokens_ : own_tokens) / ranks;
        out_.expert_macs += pairs;
        out_.own_expert_bytes += pairs * bits / 8;
        if (engine_ != nullptr)
          out_.expert_tile_macs +=
              std::max(pairs, elements * read_share(layer) / ranks * engine_->tile_rows);
      } else {
        const double share = tensor_share(matrix, layer, setup_.division.tensor);
        out_.matrix_bytes += elements * bits / 8 * share;
        out_.matrix_macs += macs * own_tokens * share;
        out_.matrix_tile_macs +=
            tile_macs(macs * share, static_cast<double>(matrix.outputs) * share, own_tokens);
      }
    }
    add_cache(layer, times);
    out_.layers += times;
    if (layer.mlp == Mlp::Experts) out_.expert_layers += times;
    add_traffic(layer, times);
  }

  void add_head() {
    const Network& network = setup_.network;
    if (!network.has_head) return;
    const double bits =
        network.tied ? embedding_bits(network, setup_.weights) : setup_.weights.head;
    const double elements = static_cast<double>(head_macs(network)) / tensor_;
    out_.matrix_bytes += elements * bits / 8;
    out_.matrix_macs += elements * sequences_;  // logits of the last token only
    out_.matrix_tile_macs +=
        tile_macs(elements, static_cast<double>(network.vocab) / tensor_, sequences_);
    // Rows of the embedding.
    out_.matrix_bytes += sequences_ * tokens_ * static_cast<double>(network.hidden) *
                         embedding_bits(network, setup_.weights) / 8;
  }

  // Weights are read once, activations go to memory and back between kernels.
  void add_activations() {
    double widths = 0;
    for (const Layer& layer : setup_.network.layers)
      widths += static_cast<double>(8 * setup_.network.hidden) +
                3 *
                    static_cast<double>(layer.mlp == Mlp::Experts
                                            ? layer.ffn * layer.chosen + layer.shared
                                            : layer.ffn) /
                    tensor_;
    out_.matrix_bytes += sequences_ * tokens_ * 2 * widths;
  }

  Work take(double least_experts) {
    out_.least_experts = least_experts;
    return out_;
  }

 private:
  // The share of the experts that any of the tokens chooses, if each chooses by itself.
  double read_share(const Layer& layer) const {
    const double one = static_cast<double>(layer.chosen) / static_cast<double>(layer.experts);
    const double tokens = setup_.division.experts > 1 ? all_tokens_ : sequences_ * tokens_;
    return 1 - std::pow(1 - one, tokens);
  }

  // MACs that a matrix with `macs` per row occupies: rows are padded to whole tiles, and cores
  // without a tile are idle.
  double tile_macs(double macs, double outputs, double rows) const {
    if (engine_ == nullptr) return macs * rows;
    const double filled = std::ceil(rows / engine_->tile_rows) * engine_->tile_rows;
    return macs * filled / busy_share(*engine_, setup_.device, outputs, rows);
  }

  void add_cache(const Layer& layer, double times) {
    const double share = cache_share(layer, setup_.division.tensor);
    const double length = past_ + tokens_;
    const double kept =
        layer.window > 0 ? std::min(length, static_cast<double>(layer.window)) : length;
    const double bytes = setup_.cache_element_bytes * share * sequences_ * times;
    const auto elements = static_cast<double>(cache_elements(layer));
    double entries = kept + static_cast<double>(layer.cross_tokens);
    double read = static_cast<double>(read_elements(layer)) * entries;
    // Sparse attention reads all of the indexer's keys, and the rest of those it chose.
    if (layer.index_top > 0)
      read = static_cast<double>(layer.index_head) * kept +
             static_cast<double>(cache_elements(layer) - layer.index_head) *
                 std::min(kept, static_cast<double>(layer.index_top) * tokens_);
    out_.cache_bytes += (read + elements * tokens_) * bytes;
    out_.cache_bytes += 2 * state_bytes(layer, {}) * share * sequences_ * times;
    Network one;
    one.layers = {layer};
    const bool absorbed = tokens_ == 1 && layer.mixer == Mixer::Latent;
    out_.attention_macs +=
        llm::attention_macs(one, past_, tokens_, absorbed) * times * sequences_ / tensor_;
  }

  void add_traffic(const Layer& layer, double times) {
    const double row = sequences_ * tokens_ * static_cast<double>(setup_.network.hidden) * 2;
    if (setup_.division.tensor > 1) {
      const bool has_both = layer.mixer != Mixer::None && layer.mlp != Mlp::None;
      out_.all_reduces += times * (has_both && setup_.division.experts == 1 ? 2 : 1);
      out_.reduced_bytes = row;
    }
    if (setup_.division.experts > 1 && layer.mlp == Mlp::Experts) {
      const auto ranks = static_cast<double>(setup_.division.experts);
      // Dispatched in fp8, combined in bf16.
      out_.exchanges += 2 * times;
      out_.exchanged_bytes +=
          times * row / 2 * static_cast<double>(layer.chosen) * 3 * (ranks - 1) / ranks;
    }
  }

  const Setup& setup_;
  double tensor_, sequences_, all_tokens_, past_, tokens_;
  const Engine* engine_;
  Work out_;
};

}  // namespace

Work work_of(const Setup& setup, double batch, double past, double tokens) {
  WorkSum sum(setup, batch, past, tokens);
  const auto& layers = setup.network.layers;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i + 1;
    // In a mixture of types, neighbours differ in bits.
    while (!setup.weights.is_mixture && !setup.weights.is_stored && end < layers.size() &&
           layers[end] == layers[i])
      ++end;
    sum.add_layers(layers[i], i, static_cast<double>(end - i));
    i = end;
  }
  sum.add_head();
  sum.add_activations();
  const Engine* engine = find_engine(setup.engine, setup.device);
  const bool in_tiles =
      engine != nullptr && product_of(setup, *engine, batch * tokens) == Product::Tiles;
  Work work = sum.take(batch * tokens <= 1 ? 1
                       : in_tiles          ? kCorrelatedInTiles
                                           : kCorrelatedExperts);
  if (setup.division.pipeline > 1) {
    const auto cuts = static_cast<double>(setup.division.pipeline - 1);
    work.exchanges += cuts;
    work.exchanged_bytes += cuts * batch * tokens * static_cast<double>(setup.network.hidden) * 2;
  }
  return work;
}

}  // namespace strata::llm
