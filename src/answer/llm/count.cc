#include "strata/llm/count.h"

#include <algorithm>

#include "strata/llm/matrix.h"

namespace strata::llm {

namespace {

std::int64_t convolved_channels(const Layer& l, std::int64_t hidden) {
  switch (l.mixer) {
    case Mixer::Mamba1:
      return l.inner;
    case Mixer::Mamba2:
      return l.inner + 2 * l.groups * l.state;
    case Mixer::Delta:
      return 2 * l.kv_heads * l.key + l.heads * l.value;
    case Mixer::Convolution:
      return hidden;
    default:
      return 0;
  }
}

std::int64_t recurrent_elements(const Layer& l) {
  switch (l.mixer) {
    case Mixer::Mamba1:
      return l.inner * l.state;
    case Mixer::Mamba2:
      return l.inner * l.state;
    case Mixer::Delta:
      return l.heads * l.key * l.value;
    case Mixer::Lightning:
      return l.heads * l.key * l.key;
    default:
      return 0;
  }
}

// Neighbouring layers are often equal; what they cost is worked out once.
template <class Add>
void for_each_kind(const Network& network, const Add& add) {
  for (std::size_t i = 0; i < network.layers.size();) {
    std::size_t end = i + 1;
    while (end < network.layers.size() && network.layers[end] == network.layers[i]) ++end;
    add(network.layers[i], static_cast<std::int64_t>(end - i));
    i = end;
  }
}

}  // namespace

Parameters parameters_of(const Network& network) {
  Parameters out;
  std::int64_t unused = 0;
  for (const Matrix& matrix : outer_matrices_of(network))
    out.all += matrix.elements() + matrix.biases();
  // A norm of the second embedding's parts.
  if (network.side_vocab > 0) out.all += network.layers.front().side_input;
  out.all += (network.final_norms + network.embedding_norms) * network.hidden;
  if (network.tied && network.head_bias) out.all += network.vocab;
  for (const Tower& tower : network.towers) out.all += tower.parameters;
  for_each_kind(network, [&](const Layer& layer, std::int64_t times) {
    out.all += times * vector_elements_of(layer, network.hidden);
    for (const Matrix& matrix : matrices_of(layer, network.hidden)) {
      out.all += times * (matrix.elements() + matrix.biases());
      if (matrix.part != Part::Experts) continue;
      const std::int64_t all = times * (matrix.elements() + matrix.biases());
      out.experts += all;
      unused += all / matrix.copies * (matrix.copies - matrix.used);
    }
  });
  out.active = out.all - unused;
  out.embedding = network.hidden * network.vocab;
  return out;
}

std::int64_t head_macs(const Network& network) {
  return network.has_head ? network.hidden * network.vocab : 0;
}

std::int64_t linear_macs(const Network& network) {
  std::int64_t macs = head_macs(network);
  for_each_kind(network, [&](const Layer& layer, std::int64_t times) {
    for (const Matrix& matrix : matrices_of(layer, network.hidden)) macs += times * matrix.macs();
  });
  return macs;
}

std::int64_t pair_macs(const Layer& l, bool absorbed) {
  if (l.mixer == Mixer::Attention) return l.heads * (l.key + l.value);
  if (l.mixer != Mixer::Latent) return 0;
  const std::int64_t index = l.index_heads * (l.index_head + 1);
  return index + l.heads * (absorbed ? 2 * l.kv_rank + l.rope : l.key + l.value);
}

PairMacs pair_macs(const Network& network) {
  PairMacs out;
  for (const Layer& layer : network.layers) {
    (layer.window > 0 ? out.windowed : out.full) += pair_macs(layer);
    if (layer.cross_tokens > 0) out.cross += layer.heads * (layer.key + layer.value);
  }
  return out;
}

double pairs_of(const Layer& layer, double past, double tokens) {
  const auto all = [](double before, double n) { return n * before + n * (n + 1) / 2; };
  const auto w = static_cast<double>(layer.window);
  if (layer.window == 0) return all(past, tokens);
  if (layer.is_chunked) {
    // Chunks begin at multiples of their size.
    double sum = 0, at = past, left = tokens;
    const double begun = at - w * static_cast<double>(static_cast<std::int64_t>(at / w));
    const double first = std::min(left, w - begun);
    sum += all(begun, first);
    left -= first;
    const double whole = static_cast<double>(static_cast<std::int64_t>(left / w));
    sum += whole * all(0, w);
    return sum + all(0, left - whole * w);
  }
  // The queries whose window is not full yet see all that is before them.
  const double growing = std::clamp(w - past, 0.0, tokens);
  return all(past, growing) + (tokens - growing) * w;
}

double attention_macs(const Network& network, double past, double tokens, bool absorbed) {
  double macs = 0;
  for_each_kind(network, [&](const Layer& layer, std::int64_t times) {
    const double pairs = pairs_of(layer, past, tokens);
    double one = 0;
    if (layer.index_top > 0) {
      // The indexer looks at all pairs, attention at the best `index_top` of each query.
      const std::int64_t index = layer.index_heads * (layer.index_head + 1);
      Layer chosen = layer;
      chosen.window = layer.index_top;
      one =
          static_cast<double>(index) * pairs +
          static_cast<double>(pair_macs(layer, absorbed) - index) * pairs_of(chosen, past, tokens);
    } else {
      one = static_cast<double>(pair_macs(layer, absorbed)) * pairs;
    }
    if (layer.cross_tokens > 0)
      one += static_cast<double>(layer.heads * (layer.key + layer.value) * layer.cross_tokens) *
             tokens;
    macs += static_cast<double>(times) * one;
  });
  return macs;
}

std::int64_t cache_elements(const Layer& l) { return l.shares_cache ? 0 : read_elements(l); }

std::int64_t read_elements(const Layer& l) {
  if (l.mixer == Mixer::Attention) return l.kv_heads * (l.key + l.value);
  if (l.mixer == Mixer::Latent) return l.kv_rank + l.rope + l.index_head;
  return 0;
}

double state_bytes(const Layer& layer, const StateForm& form) {
  if (layer.mixer == Mixer::Rwkv)  // two states in the model's type and three in f32
    return static_cast<double>(layer.inner) * (2 * form.conv_bytes + 3 * form.recurrent_bytes);
  const std::int64_t columns = layer.kernel - (form.keeps_kernel ? 0 : 1);
  // A convolution's channels are the model's width, which a layer keeps as `inner`.
  const auto channels = static_cast<double>(convolved_channels(layer, layer.inner));
  return channels * static_cast<double>(std::max<std::int64_t>(columns, 0)) * form.conv_bytes +
         static_cast<double>(recurrent_elements(layer)) * form.recurrent_bytes;
}

CachePerToken cache_of(const Network& network, double element_bytes, const StateForm& form) {
  CachePerToken out;
  for_each_kind(network, [&](const Layer& layer, std::int64_t times) {
    const auto count = static_cast<double>(times);
    const double bytes = static_cast<double>(cache_elements(layer)) * element_bytes * count;
    (layer.window > 0 ? out.windowed : out.full) += bytes;
    out.cross += bytes * static_cast<double>(layer.cross_tokens);
    out.state += count * state_bytes(layer, form);
  });
  return out;
}

double cache_bytes(const Network& network, double tokens, double element_bytes,
                   const StateForm& form) {
  double bytes = 0;
  for_each_kind(network, [&](const Layer& layer, std::int64_t times) {
    const double kept =
        layer.window > 0 ? std::min(tokens, static_cast<double>(layer.window)) : tokens;
    const double entries = kept + static_cast<double>(layer.cross_tokens);
    bytes += static_cast<double>(times) *
             (static_cast<double>(cache_elements(layer)) * element_bytes * entries +
              state_bytes(layer, form));
  });
  return bytes;
}

}  // namespace strata::llm
