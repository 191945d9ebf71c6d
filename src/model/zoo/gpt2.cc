// GPT-2: a decoder for text with learned positions. Modules have the names of Hugging Face's
// GPT2LMHeadModel.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "zoo/multi_head.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

struct Gpt2Size {
  std::string_view name;
  std::int64_t width, layers, heads;
};
constexpr Gpt2Size kGpt2Sizes[] = {{"small", 768, 12, 12},
                                   {"medium", 1024, 24, 16},
                                   {"large", 1280, 36, 20},
                                   {"xl", 1600, 48, 25}};
constexpr std::int64_t kGpt2Vocabulary = 50257;
constexpr std::int64_t kGpt2Positions = 1024;

// A linear layer whose weight is stored the other way around.
Var conv_1d(Builder& net, std::string_view name, Var x, std::int64_t out) {
  const auto leaf = net.module(name, "Conv1D");
  const Var product = net.matmul(x, net.weight("weight", {net.number(x, -1), out}));
  return net.add(product, net.weight("bias", {out}));
}

Var gpt2_attention(Builder& net, Var x, std::int64_t heads, Var mask, KeysAndValues& cache) {
  const auto module = net.module("attn", "GPT2Attention");
  const std::int64_t width = net.number(x, -1);
  const auto parts = net.split(conv_1d(net, "c_attn", x, 3 * width), 2, 3);
  const std::int64_t of_head = width / heads;
  const Var scale = net.number(1 / std::sqrt(static_cast<float>(of_head)));
  const Var query = net.mul(by_head(net, parts[0], heads), scale);
  const Var key = by_head(net, parts[1], heads);
  cache = joined(net, cache, {key, by_head(net, parts[2], heads)});
  x = conv_1d(net, "c_proj", attend(net, query, cache, mask), width);
  return net.dropout("resid_dropout", x);
}

// GELU with a tanh.
Var new_gelu(Builder& net, Var x) {
  const auto leaf = net.module("act", "NewGELUActivation");
  constexpr float kRootOfTwoOverPi = 0.797884561F;
  const Var cube = net.op("Pow", {x, net.number(3)});
  const Var sum = net.add(x, net.mul(cube, net.number(0.044715F)));
  const Var tanh = net.op("Tanh", {net.mul(sum, net.number(kRootOfTwoOverPi))});
  const Var half = net.mul(x, net.number(0.5F));
  return net.mul(half, net.add(tanh, net.number(1)));
}

Var gpt2_block(Builder& net, std::int64_t number, Var x, std::int64_t heads, Var mask,
               KeysAndValues& cache) {
  const auto module = net.module(number, "GPT2Block");
  const std::int64_t width = net.number(x, -1);
  x = net.add(gpt2_attention(net, net.layer_norm("ln_1", x), heads, mask, cache), x);
  Var y = net.layer_norm("ln_2", x);
  {
    const auto mlp = net.module("mlp", "GPT2MLP");
    y = new_gelu(net, conv_1d(net, "c_fc", y, 4 * width));
    y = net.dropout("dropout", conv_1d(net, "c_proj", y, width));
  }
  return net.add(x, y);
}

void gpt2(Builder& net, const Arguments& arguments) {
  // There is one: other words were refused when the arguments were read.
  const auto is_given = [&](const Gpt2Size& one) { return one.name == arguments.word("size"); };
  const auto size = *std::find_if(std::begin(kGpt2Sizes), std::end(kGpt2Sizes), is_given);
  const bool cached = arguments.word("cache") == "on";
  const Expr batch = arguments.size("batch");
  const Expr length = arguments.size("sequence");
  const Expr past = cached ? arguments.size("past") : Expr(0);
  if ((length + past).number().value_or(0) > kGpt2Positions)
    return net.fail(fmt::format("there are {} positions, and {} tokens", kGpt2Positions,
                                (length + past).text()));
  const Var ids = net.input("input_ids", DType::I64, {batch, length});
  std::vector<KeysAndValues> caches(static_cast<std::size_t>(size.layers));
  for (std::size_t i = 0; cached && i < caches.size(); ++i)
    caches[i] = input_cache(net, i, "", {batch, size.heads, past, size.width / size.heads});
  Var x, embedding;
  {
    const auto transformer = net.module("transformer", "GPT2Model");
    {
      const auto wte = net.module("wte", "Embedding");
      embedding = net.weight("weight", {kGpt2Vocabulary, size.width});
      x = net.gather(embedding, ids, 0);
    }
    const auto [numbers, mask] = token_positions(net, ids, caches[0]);
    x = net.add(x, net.embedding("wpe", numbers, kGpt2Positions, size.width));
    x = net.dropout("drop", x);
    {
      const auto blocks = net.module("h", "ModuleList");
      for (std::size_t i = 0; i < caches.size(); ++i)
        x = gpt2_block(net, static_cast<std::int64_t>(i), x, size.heads, mask, caches[i]);
    }
    x = net.layer_norm("ln_f", x);
  }
  {
    const auto head = net.module("lm_head", "Linear");  // has the weight of the embedding
    x = net.matmul(x, net.transpose(embedding, {1, 0}));
  }
  net.output("logits", x);
  for (std::size_t i = 0; cached && i < caches.size(); ++i) output_cache(net, i, "", caches[i]);
}

constexpr Parameter kGpt2Parameters[] = {
    {"size", ParameterKind::Choice, "small", "width and number of layers", 0, 0,
     "small|medium|large|xl"},
    kTextBatch,
    kTokens,
    kWithCache,
    kEarlierTokens,
    kType};

constexpr Entry kGpt2Networks[] = {
    {"gpt2", "decoder for text with learned positions, 2019", "GPT2LMHeadModel", kGpt2Parameters,
     gpt2},
};

}  // namespace

std::span<const Entry> gpt2_networks() { return kGpt2Networks; }

}  // namespace strata::zoo
