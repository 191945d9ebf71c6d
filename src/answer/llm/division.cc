#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strata/llm/weights.h"

namespace strata::llm {

namespace {

// The part of a matrix on one device.
double share_of(const Matrix& matrix, const Layer& layer, const Division& division) {
  if (matrix.part == Part::Experts && division.experts > 1) {
    const std::int64_t whole = (matrix.copies + division.experts - 1) / division.experts;
    return static_cast<double>(whole) / static_cast<double>(matrix.copies);
  }
  return tensor_share(matrix, layer, division.tensor);
}

// Weights of layers [begin, end).
WeightBytes stage_bytes(const Network& network, const WeightScheme& scheme,
                        const Division& division, std::size_t begin, std::size_t end) {
  WeightBytes out;
  std::vector<Matrix> matrices;
  for (std::size_t i = begin; i < end; ++i) {
    const Layer& layer = network.layers[i];
    if (i == begin || !(layer == network.layers[i - 1]))
      matrices = matrices_of(layer, network.hidden);
    for (const Matrix& matrix : matrices) {
      const double share = share_of(matrix, layer, division);
      const double bits = bits_of(network, scheme, matrix, i);
      (matrix.part == Part::Experts ? out.experts : out.dense) +=
          static_cast<double>(matrix.elements()) * bits / 8 * share;
      out.vectors += static_cast<double>(matrix.biases()) * scheme.vectors / 8 * share;
    }
    out.vectors +=
        static_cast<double>(vector_elements_of(layer, network.hidden)) * scheme.vectors / 8;
  }
  return out;
}

}  // namespace

double tensor_share(const Matrix& matrix, const Layer& layer, std::int64_t tensor) {
  switch (matrix.split) {
    case Split::Copied:
      return 1;
    case Split::KvColumns:
      return 1 / static_cast<double>(std::clamp<std::int64_t>(
                     tensor, 1, std::max<std::int64_t>(layer.kv_heads, 1)));
    case Split::Columns:
    case Split::Rows:
      break;
  }
  return 1 / static_cast<double>(tensor);
}

Status check_division(const Network& network, const Division& d) {
  const auto refuse = [](std::string sentence) {
    return failure(std::move(sentence), ErrorKind::Usage);
  };
  if (d.tensor < 1 || d.pipeline < 1 || d.experts < 1)
    return refuse("a network is divided between at least 1 device");
  if (std::cmp_greater(d.pipeline, network.layers.size()))
    return refuse(fmt::format("{} stages of a pipeline are more than its {} layers", d.pipeline,
                              network.layers.size()));
  if (d.experts > 1 && d.experts % d.tensor != 0)
    return refuse(
        fmt::format("experts on {} devices do not fit tensor parallelism over {}; one "
                    "has to be a multiple of the other",
                    d.experts, d.tensor));
  bool has_experts = false;
  for (const Layer& layer : network.layers) {
    const auto divides = [&](std::int64_t size, std::string_view what) -> Status {
      if (size % d.tensor == 0) return {};
      return refuse(fmt::format("{} devices do not divide {} {}", d.tensor, size, what));
    };
    if (layer.mixer == Mixer::Attention || layer.mixer == Mixer::Latent) {
      if (auto status = divides(layer.heads, "heads"); !status) return status;
      if (layer.mixer == Mixer::Attention && layer.kv_heads % d.tensor != 0 &&
          d.tensor % layer.kv_heads != 0)
        return refuse(
            fmt::format("{} devices and {} heads of keys and values: one has to be a "
                        "multiple of the other",
                        d.tensor, layer.kv_heads));
    }
    if (layer.mlp == Mlp::Gated || layer.mlp == Mlp::Plain)
      if (auto status = divides(layer.ffn, "channels of an MLP"); !status) return status;
    if (layer.mlp != Mlp::Experts) continue;
    has_experts = true;
    if (d.experts == 1)
      if (auto status = divides(layer.ffn, "channels of an expert"); !status) return status;
    if (d.experts > layer.experts)
      return refuse(
          fmt::format("{} devices are more than its {} experts", d.experts, layer.experts));
  }
  if (d.experts > 1 && !has_experts) return refuse("it has no experts to divide");
  return {};
}

WeightBytes weight_bytes(const Network& network, const WeightScheme& scheme,
                         const Division& division) {
  const std::size_t layers = network.layers.size();
  const auto stages = static_cast<std::size_t>(std::max<std::int64_t>(division.pipeline, 1));
  const auto tensor = static_cast<double>(division.tensor);
  WeightBytes largest;
  for (std::size_t stage = 0, begin = 0; stage < stages; ++stage) {
    // The first stages have the layers that are left over.
    const std::size_t end = begin + layers / stages + (stage < layers % stages ? 1 : 0);
    WeightBytes one = stage_bytes(network, scheme, division, begin, end);
    const bool is_first = stage == 0, is_last = stage + 1 == stages;
    for (const Matrix& matrix : outer_matrices_of(network)) {
      const double bytes =
          static_cast<double>(matrix.elements()) / 8 / (matrix.split == Split::Copied ? 1 : tensor);
      if (matrix.part == Part::Embedding && is_first)
        one.embedding += bytes * embedding_bits(network, scheme);
      if (matrix.part == Part::Head && is_last) one.head += bytes * scheme.head;
      if (is_last)
        one.vectors += static_cast<double>(matrix.biases()) * scheme.vectors / 8 / tensor;
    }
    // A tied head is a copy where the last stage does not have the embedding.
    if (network.tied && network.has_head && is_last && !is_first)
      one.head += static_cast<double>(network.hidden * network.vocab) *
                  embedding_bits(network, scheme) / 8 / tensor;
    if (is_last)
      one.vectors += static_cast<double>(network.final_norms * network.hidden) * scheme.vectors / 8;
    if (is_first) {
      one.vectors +=
          static_cast<double>(network.embedding_norms * network.hidden) * scheme.vectors / 8;
      for (const Tower& tower : network.towers)
        one.towers += static_cast<double>(tower.parameters) * 16 / 8;
    }
    if (one.all() > largest.all()) largest = one;
    begin = end;
  }
  return largest;
}

double cache_share(const Layer& layer, std::int64_t tensor) {
  if (layer.mixer == Mixer::Latent) return 1;
  if (layer.mixer == Mixer::Attention)
    return 1 / static_cast<double>(std::min(tensor, std::max<std::int64_t>(layer.kv_heads, 1)));
  return 1 / static_cast<double>(tensor);
}

}  // namespace strata::llm
