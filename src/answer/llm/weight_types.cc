#include "llm/weight_types.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "llm/ggml_mixtures.h"
#include "llm/quantization.h"

namespace strata::llm {

namespace {

// Where the bits come from: a scale of 4 bytes per 128×128 for fp8, a scale and a zero of 20 bits
// per 128 for awq and gptq, an 8-bit scale per 32 for mxfp4 and per 16 for nvfp4.
constexpr double kFp8 = 8 + 32.0 / (128 * 128), kInt4 = 4 + 20.0 / 128;
constexpr WeightScheme kSchemes[] = {
    {.name = "bf16"},
    {.name = "f16"},
    {.name = "f32",
     .linear = 32,
     .experts = 32,
     .router = 32,
     .head = 32,
     .embedding = 32,
     .vectors = 32,
     .compute_bits = 32},
    {.name = "fp8",
     .linear = kFp8,
     .experts = kFp8,
     .compute_bits = 8,
     .about = "matrices of layers in blocks of 128×128 with a scale of 4 bytes"},
    {.name = "int8",
     .linear = 8,
     .experts = 8,
     .head = 8,
     .about = "matrices of layers and the head"},
    {.name = "int4",
     .linear = 4 + 16.0 / 128,
     .experts = 4 + 16.0 / 128,
     .about = "4 bits, groups of 128 with a scale"},
    {.name = "awq",
     .linear = kInt4,
     .experts = kInt4,
     .about = "4 bits, groups of 128 with a scale and a zero"},
    {.name = "gptq",
     .linear = kInt4,
     .experts = kInt4,
     .about = "4 bits, groups of 128 with a scale and a zero"},
    {.name = "nf4",
     .linear = 4.127,
     .experts = 4.127,
     .about = "bitsandbytes' 4 bits with doubly quantized scales"},
    {.name = "mxfp4", .experts = 4.25, .about = "experts alone, as gpt-oss is published"},
    {.name = "fp4",
     .linear = 4.25,
     .experts = 4.25,
     .about = "matrices of layers, blocks of 32, products in 16 bits"},
    {.name = "nvfp4",
     .linear = 4.5,
     .experts = 4.5,
     .compute_bits = 4,
     .about = "matrices of layers, blocks of 16"},
};

struct CacheType {
  std::string_view name;
  double bytes;
};
constexpr CacheType kCacheTypes[] = {{"bf16", 2}, {"f16", 2},        {"f32", 4},       {"fp8", 1},
                                     {"int8", 1}, {"q8_0", 8.5 / 8}, {"q4_0", 4.5 / 8}};

std::string_view plain_type(std::string_view dtype) {
  if (dtype == "float16" || dtype == "half") return "f16";
  if (dtype == "float32" || dtype == "float") return "f32";
  if (dtype.starts_with("float8")) return "fp8";
  return "bf16";
}

}  // namespace

std::span<const WeightScheme> weight_schemes() {
  static const std::vector<WeightScheme> kAll = [] {
    std::vector<WeightScheme> all(std::begin(kSchemes), std::end(kSchemes));
    const auto ggml = ggml_schemes();
    all.insert(all.end(), ggml.begin(), ggml.end());
    return all;
  }();
  return kAll;
}

Result<WeightScheme> find_weight_scheme(std::string_view name) {
  std::string names;
  for (const WeightScheme& scheme : weight_schemes()) {
    if (scheme.name == name) return scheme;
    names += (names.empty() ? "" : ", ") + std::string(scheme.name);
  }
  return failure(fmt::format("{} is not a type of weights; strata has {}", in_quotes(name), names),
                 ErrorKind::Usage);
}

Result<double> cache_element_bytes(std::string_view type) {
  std::string names;
  for (const CacheType& one : kCacheTypes) {
    if (one.name == type) return one.bytes;
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  return failure(fmt::format("{} is not a type of a cache; strata has {}", in_quotes(type), names),
                 ErrorKind::Usage);
}

namespace {

// Keeps the text until the program ends: answers outlive the network that they are about.
std::string_view kept_name(const std::string& name) {
  static std::mutex mutex;
  static auto& names = *new std::set<std::string>();
  const std::lock_guard lock(mutex);
  return *names.insert(name).first;
}

double stored_bits(const std::vector<StoredMatrix>& stored, Part part, std::string_view name,
                   double otherwise) {
  for (const StoredMatrix& one : stored)
    if (one.part == part && one.name == name && one.elements > 0)
      return one.bytes * 8 / one.elements;
  return otherwise;
}

}  // namespace

Result<WeightScheme> weight_scheme_of(const Network& network, std::string_view name) {
  if (!name.empty()) return find_weight_scheme(name);
  if (network.stored.empty()) return find_weight_scheme(network.weights);
  // The vectors of a GGUF file are f32, whatever its name for the rest is.
  const auto named = find_weight_scheme(network.weights);
  WeightScheme out{.name = kept_name(network.weights),
                   .vectors = network.is_gguf ? 32
                              : named         ? named->vectors
                                              : 16,
                   .is_stored = true};
  if (named) out.compute_bits = named->compute_bits;
  out.embedding = stored_bits(network.stored_outside, Part::Embedding, "embed_tokens", 16);
  out.head = stored_bits(network.stored_outside, Part::Head, "lm_head", out.embedding);
  return out;
}

// llama.cpp gives an embedding that is also the head the type of heads.
double embedding_bits(const Network& network, const WeightScheme& scheme) {
  return scheme.is_ggml && network.tied ? scheme.head : scheme.embedding;
}

double bits_of(const Network& network, const WeightScheme& scheme, const Matrix& matrix,
               std::size_t layer) {
  const bool is_outside = matrix.part == Part::Embedding || matrix.part == Part::Head;
  if (scheme.is_stored && !is_outside && layer < network.stored.size())
    return stored_bits(network.stored[layer], matrix.part, matrix.name, 32);
  switch (matrix.part) {
    case Part::Embedding:
      return embedding_bits(network, scheme);
    case Part::Head:
      return scheme.head;
    case Part::Router:
      return scheme.router;
    case Part::Experts:
    case Part::Attention:
    case Part::State:
    case Part::Mlp:
    case Part::Shared:
      break;
  }
  const double usual = matrix.part == Part::Experts ? scheme.experts : scheme.linear;
  return scheme.is_mixture ? ggml_mixture_bits(network, scheme, matrix, layer, usual) : usual;
}

Status read_weight_types(Keys& keys, Network& network) {
  const JsonFields::Json& outer = keys.outer();
  std::string dtype = keys.text(keys.json(), "dtype");
  if (dtype.empty()) dtype = keys.text(keys.json(), "torch_dtype");
  if (dtype.empty()) dtype = keys.text(outer, "dtype");
  if (dtype.empty()) dtype = keys.text(outer, "torch_dtype");
  network.weights = plain_type(dtype);
  if (dtype.empty())
    network.notes.emplace_back("config.json states no type of weights; they are taken for bf16");
  else if (network.weights == "bf16" && dtype != "bfloat16")
    network.notes.push_back(fmt::format(
        "strata does not know the type {} of weights; they are counted as bf16", in_quotes(dtype)));
  if (!keys.good()) return keys.checked();
  return read_quantization(keys, network);
}

}  // namespace strata::llm
