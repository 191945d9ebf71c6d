#include <algorithm>
#include <cmath>

#include "strata/llm/count.h"
#include "strata/llm/step.h"

namespace strata::llm {

namespace {

const Engine& engine_of(const Setup& setup) {
  static const Engine kNone;
  const Engine* engine = find_engine(setup.engine, setup.device);
  return engine == nullptr ? kNone : *engine;
}

// Stages of a pipeline have equal shares of the layers' cache, rounded up to whole layers.
double stage_share(const Setup& setup) {
  const auto layers = static_cast<double>(setup.network.layers.size());
  const auto stages = static_cast<double>(setup.division.pipeline);
  return layers == 0 ? 1 : std::ceil(layers / stages) / layers;
}

struct CacheBytes {
  double attention = 0, states = 0;
};

CacheBytes cache_on_device(const Setup& setup, double context) {
  CacheBytes out;
  const double block = engine_of(setup).cache_block;
  const double tokens = std::ceil(context / block) * block;
  for (const Layer& layer : setup.network.layers) {
    const double share = cache_share(layer, setup.division.tensor);
    const double kept =
        layer.window > 0 ? std::min(tokens, static_cast<double>(layer.window)) : tokens;
    out.attention += static_cast<double>(cache_elements(layer)) * setup.cache_element_bytes *
                     (kept + static_cast<double>(layer.cross_tokens)) * share;
    out.states += state_bytes(layer, {}) * share;
  }
  out.attention *= stage_share(setup);
  out.states *= stage_share(setup);
  return out;
}

// Buffers of the widest layer for the tokens of a prompt that run at once, and logits in f32 for
// one token of each sequence. Attention is fused: it has no square.
double activations_of(const Setup& setup, double batch, double context) {
  const Network& network = setup.network;
  const auto tensor = static_cast<double>(setup.division.tensor);
  const double most = batched_tokens_of(engine_of(setup), setup.device);
  const double tokens = std::max(std::min(most, batch * context), batch);
  double widest = 0;
  for (const Layer& layer : network.layers) {
    const double heads = static_cast<double>((layer.heads + 2 * layer.kv_heads) * layer.key) +
                         static_cast<double>(2 * layer.inner);
    const double width = static_cast<double>(
        layer.mlp == Mlp::Experts ? layer.ffn * layer.chosen + layer.shared : layer.ffn);
    widest = std::max(widest, std::max(heads, 3 * width) / tensor);
  }
  const double between = tokens * 2 * (2 * static_cast<double>(network.hidden) + widest);
  if (!engine_of(setup).keeps_logits)
    return between + batch * static_cast<double>(network.vocab) * 4 / tensor;
  // llama.cpp's buffer, with flash attention: 300.75 MiB of Qwen2.5-3B, 105.00 MiB of TriLM-4B.
  return std::max(
      between,
      tokens * static_cast<double>(network.vocab / setup.division.tensor + network.hidden) * 4);
}

}  // namespace

Memory memory_of(const Setup& setup, double batch, double context) {
  Memory out;
  const Engine* other = find_engine(setup.reserve_engine, setup.device);
  const Engine& engine = other != nullptr ? *other : engine_of(setup);
  out.weights = weight_bytes(setup.network, setup.weights, setup.division);
  const double sequences = std::ceil(batch / static_cast<double>(setup.division.replicas()));
  const CacheBytes cache = cache_on_device(setup, context);
  out.cache = cache.attention * sequences;
  out.states = cache.states * sequences;
  out.activations = activations_of(setup, sequences, context);
  out.reserve = setup.reserve_bytes >= 0 ? setup.reserve_bytes : engine.reserve_bytes;
  out.device = setup.device.memory_bytes ? setup.device.memory_bytes->value : 0;
  // A stated reserve is all that is kept free.
  out.usable = setup.reserve_bytes >= 0 ? out.device : out.device * engine.usable;
  return out;
}

namespace {

// The largest whole number up to `most` that fits; memory grows with it.
template <class Fits>
double largest_that(double most, const Fits& fits) {
  if (!fits(1)) return 0;
  if (fits(most)) return most;
  double low = 1, high = most;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double longest_context(const Setup& setup, double batch) {
  // Weights do not depend on the context.
  Memory memory = memory_of(setup, batch, 1);
  const double fixed = memory.weights.all() + memory.reserve;
  const double sequences = std::ceil(batch / static_cast<double>(setup.division.replicas()));
  return largest_that(kEndless, [&](double context) {
    const CacheBytes cache = cache_on_device(setup, context);
    return fixed + (cache.attention + cache.states) * sequences +
               activations_of(setup, sequences, context) <=
           memory.usable;
  });
}

double largest_batch(const Setup& setup, double context) {
  const Memory memory = memory_of(setup, 1, context);
  const double fixed = memory.weights.all() + memory.reserve;
  const CacheBytes cache = cache_on_device(setup, context);
  const auto replicas = static_cast<double>(setup.division.replicas());
  return replicas * largest_that(1e7, [&](double sequences) {
           return fixed + (cache.attention + cache.states) * sequences +
                      activations_of(setup, sequences, context) <=
                  memory.usable;
         });
}

}  // namespace strata::llm
