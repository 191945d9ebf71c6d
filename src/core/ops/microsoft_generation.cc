// ONNX Runtime's generators: the whole loop of a decoder in one node. How often the decoder runs
// depends on data, so their work is unknown; profile the decoder by itself.
#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// One element of an input: a number or formula, else a new symbol.
Expr length_from(ShapeContext& c, std::size_t i, std::string_view hint) {
  const auto known = c.scalar_of(i);
  return known && !known->is_unknown() ? *known : c.fresh(hint);
}

Expr vocabulary(ShapeContext& c) {
  const std::int64_t size = c.integer("vocab_size", -1);
  return size > 0 ? Expr(size) : c.fresh("vocabulary");
}

// Sequences, their scores, and the score of every word at every step; for Whisper, also its cross
// attentions and the probability that there is no speech.
Status beam_search(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("its input must be batch × length");
  const Expr& batch = c.dims(0)[0];
  const Expr longest = length_from(c, 1, "max_length");
  const Expr returned = length_from(c, 4, "sequences");
  const DType scores = c.has(5) ? c.dtype(5) : DType::F32;
  c.set(0, DType::I32, {batch, returned, longest});
  c.set(1, scores, {batch, returned});
  if (c.has_output(2)) {
    const Expr beams = length_from(c, 3, "beams");
    // The prompt of a decoder is part of the result; Whisper's input is sound.
    const Expr steps = c.rank(0) == 2 ? longest - c.dims(0)[1] : c.fresh("steps");
    c.set(2, scores, {steps, batch, beams, vocabulary(c)});
  }
  if (c.has_output(3)) {
    const Expr layers = c.rank(12) == 2 ? c.dims(12)[0] : c.fresh("heads");
    const Expr tokens = c.fresh("tokens"), frames = c.fresh("frames");
    c.set(3, DType::F32, {batch, returned, layers, tokens, frames});
  }
  c.set(4, scores, {batch});
  return {};
}

// Sequences, and the logits that were sampled from.
Status greedy_search(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("its input must be batch × length");
  const Expr& batch = c.dims(0)[0];
  c.set(0, DType::I32, {batch, length_from(c, 1, "max_length")});
  if (c.has_output(1)) c.set(1, DType::F32, {batch, vocabulary(c)});
  return {};
}

void generation_cost(CostContext& c) {
  c.cannot_tell("how often its decoder runs is known only at run time");
}

constexpr Example kBeam[] = {
    {"i32[2,16], i32[1]={50}, _, i32[1]={4}, i32[1]={3}", "vocab_size=50257",
     "i32[2,3,50], f32[2,3], f32[34,2,4,50257]"},
    {"i32[B,S], i32[1], _, i32[1], i32[1]", "", "i32[B,sequences,max_length]"},
};
constexpr Example kWhisper[] = {
    {"f32[1,80,3000], i32[1]={448}, _, i32[1]={5}, i32[1]={1}", "model_type=2",
     "i32[1,1,448], _, _, f32[1,1,heads,tokens,frames], f32[1]"},
};
constexpr Example kGreedy[] = {{"i32[2,16], i32[1]={50}", "", "i32[2,50]"}};
constexpr Example kSampling[] = {
    {"i32[2,16], i32[1]={50}", "vocab_size=100", "i32[2,50], f32[2,100]"},
};

constexpr OpRule kMicrosoftGenerationRules[] = {
    {.name = "BeamSearch",
     .domain = kMicrosoft,
     .shape = beam_search,
     .cost = generation_cost,
     .examples = kBeam,
     .settings = 0xfffu},
    {.name = "WhisperBeamSearch",
     .domain = kMicrosoft,
     .shape = beam_search,
     .cost = generation_cost,
     .examples = kWhisper,
     .settings = 0x7fffu},
    {.name = "GreedySearch",
     .domain = kMicrosoft,
     .shape = greedy_search,
     .cost = generation_cost,
     .examples = kGreedy,
     .settings = 0x7fu},
    {.name = "Sampling",
     .domain = kMicrosoft,
     .shape = greedy_search,
     .cost = generation_cost,
     .examples = kSampling,
     .settings = 0x1ffu},
};

}  // namespace

std::span<const OpRule> microsoft_generation_rules() { return kMicrosoftGenerationRules; }

}  // namespace strata
