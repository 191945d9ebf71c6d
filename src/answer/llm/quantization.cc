#include "llm/quantization.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "strata/llm/matrix.h"
#include "strata/llm/weights.h"

namespace strata::llm {

namespace {

using Json = JsonFields::Json;

struct Quantized {
  std::string type;  // a name of a scheme, or `int3`
  double bits = 0;   // of a quantized weight, with its scales; 0: as the scheme says
  bool has_head = false;
  std::vector<std::string> kept;  // patterns of modules that are not quantized
};

// Bits of a scale, and of a zero if there is one, for a group of weights. -1 is a whole channel,
// whose scale makes no difference.
double group_bits(std::int64_t group, double bits) {
  return group > 0 ? bits / static_cast<double>(group) : 0;
}

std::string name_of_bits(std::int64_t bits) { return fmt::format("int{}", bits); }

// `bits` and `group_size`: GPTQ, AWQ and AutoRound keep a scale in f16 and a zero for each group.
void read_groups(Keys& keys, const Json& json, Quantized& out) {
  const std::int64_t bits = keys.whole_or(json, "bits", 4);
  const std::int64_t group = keys.whole_or(json, "group_size", 128);
  if (keys.good() && (bits < 1 || bits > 8))
    return keys.wrong(fmt::format("its quantization_config has {} bits", bits));
  const auto b = static_cast<double>(bits);
  out.bits = b + group_bits(group, 16 + b);
  if (bits != 4) out.type = name_of_bits(bits);
  out.has_head = keys.at(json, "lm_head") != nullptr && keys.flag(json, "lm_head");
}

// One group of compressed-tensors or of ModelOpt: integers or floats, with a scale for each tensor,
// channel, group or block.
void read_scheme(Keys& keys, const Json& weights, bool has_activations, Quantized& out) {
  const std::int64_t bits = keys.whole_or(weights, "num_bits", 8);
  const std::int64_t group = keys.whole_or(weights, "group_size", 0);
  const bool is_float = keys.text(weights, "type") == "float";
  const bool is_symmetric =
      keys.at(weights, "symmetric") == nullptr || keys.flag(weights, "symmetric");
  if (keys.good() && (bits < 1 || bits > 16))
    return keys.wrong(fmt::format("its quantization_config has {} bits", bits));
  const auto b = static_cast<double>(bits);
  std::vector<double> block;
  if (keys.at(weights, "block_structure") != nullptr)
    keys.numbers(weights, "block_structure", block);
  out.bits = b;
  if (is_float && bits == 8) {
    out.type = "fp8";
    if (block.size() == 2 && block[0] * block[1] >= 1) out.bits += 32 / (block[0] * block[1]);
    if (group > 0) out.bits += group_bits(group, 16);
  } else if (is_float && bits == 4) {
    // Blocks of 16 are NVFP4, of 32 MXFP4; each has a scale of a byte.
    out.type = has_activations && group != 32 ? "nvfp4" : "fp4";
    out.bits += group_bits(group > 0 ? group : 16, 8);
  } else if (is_float) {
    out.type = "bf16";
  } else {
    out.type = name_of_bits(bits);
    out.bits += group_bits(group, 16 + (is_symmetric ? 0 : b));
  }
}

bool read_config_groups(Keys& keys, const Json& json, Quantized& out) {
  const Json& groups = keys.object(json, "config_groups");
  for (const auto& [name, group] : groups.items()) {
    if (!group.is_object()) continue;
    const auto* weights = keys.at(group, "weights");
    if (weights == nullptr || !weights->is_object()) continue;
    out.has_head = true;  // it is a linear layer like others, unless it is ignored
    read_scheme(keys, *weights, keys.at(group, "input_activations") != nullptr, out);
    return true;
  }
  return false;
}

void read_bitsandbytes(Keys& keys, const Json& json, Quantized& out) {
  out.type = "int8", out.bits = 8;
  const bool is_4 = keys.flag(json, "load_in_4bit") || keys.flag(json, "_load_in_4bit");
  if (!is_4) return;
  // A scale in f32 for 64 weights; doubly quantized, a byte for 64 and one in f32 for 256 of those.
  out.type = "nf4";
  out.bits = keys.flag(json, "bnb_4bit_use_double_quant") ? 4 + 8.0 / 64 + 32.0 / (64 * 256)
                                                          : 4 + 32.0 / 64;
}

// False if strata does not know the method.
bool read_method(Keys& keys, const Json& json, const std::string& method, Quantized& out) {
  if (method == "fp8" || method == "fbgemm_fp8") {
    out.type = "fp8";
    std::vector<double> block;
    if (keys.at(json, "weight_block_size") != nullptr)
      keys.numbers(json, "weight_block_size", block);
    out.bits = 8;
    if (block.size() == 2 && block[0] * block[1] >= 1) out.bits += 32 / (block[0] * block[1]);
  } else if (method == "mxfp4") {
    out.type = method;  // experts alone
  } else if (method == "awq" || method == "gptq" || method == "auto-round" ||
             method == "autoround" || method == "auto_round") {
    out.type = method == "awq" ? "awq" : "gptq";
    read_groups(keys, json, out);
  } else if (method == "bitsandbytes") {
    read_bitsandbytes(keys, json, out);
  } else if (method == "compressed-tensors" || method == "modelopt") {
    if (read_config_groups(keys, json, out)) return true;
    const std::string algorithm = keys.text(json, "quant_algo");
    if (algorithm.starts_with("FP8")) {
      out.type = "fp8", out.bits = 8;
    } else if (algorithm == "NVFP4") {
      out.type = "nvfp4", out.bits = 4.5;
    } else {
      return false;
    }
  } else {
    return false;
  }
  return true;
}

std::string module_of(const Matrix& matrix, std::size_t layer) {
  const char* block = "mlp";
  switch (matrix.part) {
    case Part::Attention:
      block = "self_attn";
      break;
    case Part::State:
      block = "mixer";
      break;
    case Part::Experts:
      block = "mlp.experts.0";
      break;
    case Part::Shared:
      block = "mlp.shared_expert";
      break;
    default:
      break;
  }
  return fmt::format("model.layers.{}.{}.{}", layer, block, matrix.name);
}

// Modules of the vision tower and the like are not matrices here; their patterns match nothing.
bool is_kept(const Quantized& quantized, std::string_view module) {
  return std::any_of(quantized.kept.begin(), quantized.kept.end(), [&](const std::string& pattern) {
    return matches_module(pattern, module).value_or(false);
  });
}

// Gives each matrix its own bytes. Routers and filters of convolutions are never quantized.
void store_bits(Network& network, const Quantized& quantized, double usual_bits) {
  const auto stored = [](const Matrix& matrix, double bits) {
    const auto elements = static_cast<double>(matrix.elements());
    return StoredMatrix{matrix.part, matrix.name, elements, elements * bits / 8};
  };
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    std::vector<StoredMatrix> row;
    for (const Matrix& matrix : matrices_of(network.layers[i], network.hidden)) {
      const bool is_plain = matrix.part == Part::Router || matrix.name == "conv1d" ||
                            is_kept(quantized, module_of(matrix, i));
      row.push_back(stored(matrix, is_plain ? usual_bits : quantized.bits));
    }
    network.stored.push_back(std::move(row));
  }
  for (const Matrix& matrix : outer_matrices_of(network)) {
    const bool is_head =
        matrix.part == Part::Head && quantized.has_head && !is_kept(quantized, "lm_head");
    network.stored_outside.push_back(stored(matrix, is_head ? quantized.bits : usual_bits));
  }
}

bool differs(const Quantized& quantized, const WeightScheme& scheme) {
  return !quantized.kept.empty() || quantized.bits != scheme.linear ||
         quantized.has_head != (scheme.head < 16);
}

}  // namespace

namespace {

// Part of a regular expression without `.*`: a zero byte is any character.
bool fits_at(std::string_view piece, std::string_view text, std::size_t at) {
  if (at + piece.size() > text.size()) return false;
  for (std::size_t i = 0; i < piece.size(); ++i)
    if (piece[i] != '\0' && piece[i] != text[at + i]) return false;
  return true;
}

// The pieces between `.*`; nullopt: the expression has more than strata understands.
std::optional<std::vector<std::string>> pieces_of(std::string_view expression) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i], next = i + 1 < expression.size() ? expression[i + 1] : '\0';
    if (c == '.' && next == '*') {
      out.emplace_back();
      ++i;
    } else if (c == '\\' && next == '.') {
      out.back() += '.';
      ++i;
    } else if (std::string_view("()[]{}|*+?\\^$").find(c) != std::string_view::npos) {
      return std::nullopt;
    } else {
      out.back() += c == '.' ? '\0' : c;
    }
  }
  return out;
}

// `a(b|c)d` as `abd` and `acd`.
void expand(const std::string& pattern, std::vector<std::string>& out) {
  constexpr std::size_t kMost = 64;
  const std::size_t open = pattern.find('('), close = pattern.find(')', open);
  const bool has_group = pattern.starts_with("re:") && close != pattern.npos &&
                         pattern.find('(', open + 1) > close && out.size() < kMost;
  if (!has_group) return out.push_back(pattern);
  std::size_t at = open + 1 + (pattern.compare(open, 3, "(?:") == 0 ? 2 : 0);
  while (at <= close) {
    const std::size_t end = std::min(pattern.find('|', at), close);
    expand(pattern.substr(0, open) + pattern.substr(at, end - at) + pattern.substr(close + 1), out);
    at = end + 1;
  }
}

// Modules by the names that strata has for them.
std::string with_our_names(std::string pattern) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"block_sparse_moe", "mlp"},
      {"feed_forward", "mlp"},
      {"shared_experts", "shared_expert"},
      {"kv_a_proj_with_mqa", "kv_a_proj"},
      {"linear_attn", "mixer"},
      {"language_model.", ""}};
  for (const auto& [theirs, ours] : kNames)
    if (const std::size_t at = pattern.find(theirs); at != pattern.npos)
      pattern.replace(at, theirs.size(), ours);
  return pattern;
}

}  // namespace

std::optional<bool> matches_module(std::string_view pattern, std::string_view module) {
  if (!pattern.starts_with("re:")) {
    while (pattern.ends_with('.')) pattern.remove_suffix(1);
    // Whole names between dots: `mlp.gate` is not `mlp.gate_proj`.
    for (std::size_t at = module.find(pattern); !pattern.empty() && at != module.npos;
         at = module.find(pattern, at + 1)) {
      const std::size_t end = at + pattern.size();
      if ((at == 0 || module[at - 1] == '.') && (end == module.size() || module[end] == '.'))
        return true;
    }
    return false;
  }
  pattern.remove_prefix(3);
  if (pattern.starts_with('^')) pattern.remove_prefix(1);  // every expression begins at the start
  const bool is_bound = pattern.ends_with('$');
  if (is_bound) pattern.remove_suffix(1);
  const auto pieces = pieces_of(pattern);
  if (!pieces) return std::nullopt;
  std::size_t at = 0;
  for (std::size_t i = 0; i < pieces->size(); ++i) {
    const std::string& piece = (*pieces)[i];
    if (is_bound && i + 1 == pieces->size() && i > 0) {
      if (module.size() < at + piece.size()) return false;
      return fits_at(piece, module, module.size() - piece.size());
    }
    if (i > 0)
      while (at < module.size() && !fits_at(piece, module, at)) ++at;
    if (!fits_at(piece, module, at)) return false;
    at += piece.size();
  }
  return !is_bound || at == module.size();
}

Status read_quantization(Keys& keys, Network& network) {
  const auto* found = keys.at(keys.json(), "quantization_config");
  if (found == nullptr) found = keys.at(keys.outer(), "quantization_config");
  if (found == nullptr || !found->is_object()) return keys.checked();
  Quantized quantized;
  const std::string method = keys.text(*found, "quant_method");
  const bool is_known = read_method(keys, *found, method, quantized);
  if (!keys.good()) return keys.checked();
  if (!is_known) {
    network.notes.push_back(
        fmt::format("strata does not know the quantization {}; weights are counted as {}",
                    in_quotes(method), network.weights));
    return {};
  }
  for (const char* key : {"ignore", "modules_to_not_convert", "ignored_layers",
                          "llm_int8_skip_modules", "exclude_modules"})
    if (keys.at(*found, key) != nullptr) {
      std::vector<std::string> patterns;
      keys.texts(*found, key, patterns);
      for (const std::string& pattern : patterns) expand(with_our_names(pattern), quantized.kept);
    }
  if (!keys.good()) return keys.checked();
  const double usual_bits = network.weights == "f32" ? 32 : 16;
  network.weights = quantized.type;
  if (quantized.bits == 0) return {};  // gpt-oss: the scheme says what is quantized
  // One of them is enough to say so.
  const auto odd =
      std::find_if(quantized.kept.begin(), quantized.kept.end(),
                   [](const std::string& pattern) { return !matches_module(pattern, ""); });
  if (odd != quantized.kept.end())
    network.notes.push_back(
        fmt::format("strata does not understand {}, which names modules that are not quantized; "
                    "they are counted as if they were",
                    in_quotes(odd->substr(0, 80))));
  const auto scheme = find_weight_scheme(quantized.type);
  if (!scheme || differs(quantized, *scheme)) store_bits(network, quantized, usual_bits);
  return {};
}

}  // namespace strata::llm
