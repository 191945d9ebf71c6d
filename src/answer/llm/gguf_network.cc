// Metadata and names of tensors become the same records as a configuration. What tensors show
// (biases, norms, experts, tying, widths) is taken from them; the rest from metadata.
#include "llm/gguf_network.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/mapped_file.h"
#include "llm/config_keys.h"
#include "llm/gguf_tensors.h"
#include "read/weights/formats.h"
#include "strata/llm/count.h"
#include "strata/llm/matrix.h"

namespace strata::llm {

namespace {

class GgufNetwork {
 public:
  GgufNetwork(const Weights& weights, std::string label)
      : weights_(weights), label_(std::move(label)) {
    for (const auto& [key, values] : weights.numbers) numbers_.emplace(key, &values);
    for (const auto& [key, value] : weights.properties)
      if (key == "general.architecture") architecture_ = value;
  }

  Result<Network> read() {
    if (architecture_.empty())
      return failure(
          fmt::format("{}: it does not name an architecture (general.architecture), so "
                      "that it is not a network",
                      label_));
    network_.name = label_;
    network_.architecture = architecture_;
    const std::int64_t blocks = number("block_count", 0, 1, kMostLayers);
    network_.extra_layers = number("nextn_predict_layers", 0, 0, kMostLayers);
    const std::int64_t layers = blocks - network_.extra_layers;
    network_.hidden = number("embedding_length", 0, 1, kMostWidth);
    network_.max_context = number("context_length", 0, 0, kMostContext);
    if (problem_.empty() && layers < 1) wrong("all of its layers are for multi-token prediction");
    if (!problem_.empty()) return failure(problem_);
    tensors_.resize(static_cast<std::size_t>(layers));
    sort_tensors();
    read_outside();
    for (std::size_t i = 0; i < tensors_.size() && problem_.empty(); ++i) read_layer(i);
    if (problem_.empty()) read_windows();
    if (problem_.empty()) check_elements();
    if (!problem_.empty()) return failure(problem_);
    return std::move(network_);
  }

 private:
  void wrong(std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", label_, what);
  }

  const std::vector<double>* values(std::string_view key) const {
    const auto found = numbers_.find(fmt::format("{}.{}", architecture_, key));
    return found == numbers_.end() || found->second->empty() ? nullptr : found->second;
  }

  // The value of `key`; of a list, the layer's item; `otherwise` if the key is absent. Values below
  // `least` are errors, except for `otherwise`.
  std::int64_t number(std::string_view key, std::int64_t otherwise, std::int64_t least,
                      std::int64_t most, std::size_t layer = 0) {
    const std::vector<double>* found = values(key);
    double value = static_cast<double>(otherwise);
    if (found != nullptr) value = (*found)[std::min(layer, found->size() - 1)];
    if (found == nullptr && otherwise < least) {
      wrong(fmt::format("it has no {}.{}", in_quotes(architecture_), key));
      return least;
    }
    if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most))) {
      wrong(fmt::format("its {}.{} of {:g} is not from {} to {}", in_quotes(architecture_), key,
                        value, least, most));
      return least;
    }
    return static_cast<std::int64_t>(value);
  }

  void sort_tensors() {
    for (const StoredWeight& tensor : weights_.tensors) {
      std::string_view name = tensor.name;
      if (!name.starts_with("blk.")) continue;
      name.remove_prefix(4);
      std::size_t layer = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
      if (error != std::errc() || end == name.data() + name.size() || *end != '.') continue;
      name.remove_prefix(static_cast<std::size_t>(end - name.data()) + 1);
      // A bias that balances experts is not a parameter of DeepSeek and GLM, but a buffer.
      const bool is_buffer = name == "exp_probs_b.bias" && !architecture_.starts_with("ernie");
      if (layer < tensors_.size() && !is_buffer)
        tensors_[layer].add(name, tensor);
      else
        extra_elements_ += static_cast<double>(tensor.elements);
    }
  }

  void read_outside() {
    network_.tied = true;
    network_.final_norms = 0;
    for (const StoredWeight& tensor : weights_.tensors) {
      const auto keep = [&](Part part, std::string_view name) {
        network_.stored_outside.push_back(
            {part, name, static_cast<double>(tensor.elements), static_cast<double>(tensor.bytes)});
      };
      if (tensor.name == "token_embd.weight" && tensor.dims.size() == 2) {
        network_.vocab = tensor.dims[0];
        keep(Part::Embedding, "embed_tokens");
      } else if (tensor.name == "output.weight") {
        network_.tied = false;
        keep(Part::Head, "lm_head");
      } else if (tensor.name == "output.bias") {
        network_.head_bias = true;
      } else if (tensor.name == "output_norm.weight" || tensor.name == "output_norm.bias") {
        ++network_.final_norms;
      } else if (tensor.name == "token_embd_norm.weight" || tensor.name == "token_embd_norm.bias") {
        ++network_.embedding_norms;
      } else if (tensor.name == "position_embd.weight" && tensor.dims.size() == 2) {
        network_.positions = tensor.dims[0];
      } else if (tensor.name.starts_with("rope_freqs") || tensor.name.starts_with("rope_factors")) {
        extra_elements_ += static_cast<double>(tensor.elements);
      }
    }
    if (network_.vocab < 1 || network_.vocab > kMostVocab)
      wrong("it has no matrix \"token_embd.weight\", or one of an impossible size");
    const auto type = weights_.quantization;
    network_.weights = type.empty() ? "gguf" : type;
    network_.is_gguf = true;
  }

  void read_layer(std::size_t i) {
    const LayerTensors& t = tensors_[i];
    Layer layer;
    layer.norms = t.norms(network_.hidden);
    if (t.has("attn_kv_a_mqa"))
      read_latent(t, i, layer);
    else if (t.is_delta())
      read_delta(layer);
    else if (t.has("ssm_in") || t.has("ssm_conv1d"))
      read_state(t, layer);
    else if (t.has("shortconv.conv"))
      read_convolution(t, layer);
    else if (t.has("ssm_conv1d_q"))
      wrong(fmt::format("its layer {} is Kimi's delta attention, which strata does not count", i));
    else if (t.has("attn_q") || t.has("attn_qkv"))
      read_attention(t, i, layer);
    read_mlp(t, layer);
    if (problem_.empty() && layer.mixer == Mixer::None && layer.mlp == Mlp::None)
      wrong(fmt::format("its layer {} has no tensors that strata knows", i));
    network_.layers.push_back(layer);
    network_.stored.push_back(t.stored());
  }

  void read_attention(const LayerTensors& t, std::size_t i, Layer& layer) {
    layer.mixer = Mixer::Attention;
    layer.heads = number("attention.head_count", 0, 1, kMostHeads, i);
    layer.kv_heads = number("attention.head_count_kv", layer.heads, 1, kMostHeads, i);
    const std::int64_t usual = std::max<std::int64_t>(network_.hidden / layer.heads, 1);
    layer.key = number("attention.key_length", usual, 1, kMostHead);
    layer.value = number("attention.value_length", layer.key, 1, kMostHead);
    network_.is_fused = t.has("attn_qkv");
    layer.is_gated = t.size({"attn_q"}, 0) == 2 * layer.heads * layer.key;
    const bool fused_bias = t.has_bias("attn_qkv");
    layer.q_bias = fused_bias || t.has_bias("attn_q");
    layer.k_bias = fused_bias || t.has_bias("attn_k");
    layer.v_bias = fused_bias || t.has_bias("attn_v");
    layer.out_bias = t.has_bias("attn_output");
    layer.has_sinks = t.has("attn_sinks");
    if (const StoredWeight* norm = t.weight("attn_q_norm"))
      layer.qk_norm =
          norm->elements == static_cast<std::uint64_t>(layer.key) ? QkNorm::Head : QkNorm::All;
    layer.qk_norm_bias = t.has_bias("attn_q_norm");
  }

  void read_latent(const LayerTensors& t, std::size_t i, Layer& layer) {
    layer.mixer = Mixer::Latent;
    layer.heads = number("attention.head_count", 0, 1, kMostHeads, i);
    layer.kv_heads = 1;
    layer.q_rank = t.has("attn_q_a") ? number("attention.q_lora_rank", 0, 1, kMostWidth) : 0;
    layer.kv_rank = number("attention.kv_lora_rank", 0, 1, kMostWidth);
    layer.rope = number("rope.dimension_count", 64, 1, kMostHead);
    // Files of before MLA state the width of a head where newer ones state that of the cache.
    const char* key =
        values("attention.key_length_mla") ? "attention.key_length_mla" : "attention.key_length";
    const char* value = values("attention.value_length_mla") ? "attention.value_length_mla"
                                                             : "attention.value_length";
    layer.key = number(key, 192, layer.rope, kMostHead);
    layer.value = number(value, 128, 1, kMostHead);
    if (!t.has("indexer.attn_k")) return;
    layer.index_heads = number("attention.indexer.head_count", 64, 1, kMostHeads);
    layer.index_head = number("attention.indexer.key_length", 128, 1, kMostHead);
    layer.index_top = number("attention.indexer.top_k", 2048, 1, kMostContext);
  }

  void read_state(const LayerTensors& t, Layer& layer) {
    layer.kernel = number("ssm.conv_kernel", 4, 1, 1024);
    layer.inner = number("ssm.inner_size", 0, 1, kMostWidth * 64);
    layer.state = number("ssm.state_size", 0, 1, kMostHead);
    layer.conv_bias = t.has_bias("ssm_conv1d");
    const std::int64_t groups = number("ssm.group_count", 0, 0, kMostHeads);
    const std::int64_t rank = number("ssm.time_step_rank", 0, 0, kMostWidth);
    if (t.has("ssm_x")) {
      layer.mixer = Mixer::Mamba1;
      layer.step_rank = rank;
      layer.step_norms = t.has("ssm_dt_norm");
    } else {
      layer.mixer = Mixer::Mamba2;
      layer.groups = std::max<std::int64_t>(groups, 1);
      layer.state_heads = std::max<std::int64_t>(rank, 1);
      layer.state_head = layer.inner / layer.state_heads;
    }
  }

  // The gated delta rule has the keys of state spaces, with other meanings.
  void read_delta(Layer& layer) {
    layer.mixer = Mixer::Delta;
    layer.kernel = number("ssm.conv_kernel", 4, 1, 1024);
    layer.key = number("ssm.state_size", 0, 1, kMostHead);
    layer.kv_heads = number("ssm.group_count", 0, 1, kMostHeads);
    layer.heads = number("ssm.time_step_rank", 0, 1, kMostHeads);
    const std::int64_t values = number("ssm.inner_size", 0, 1, kMostWidth * 64);
    layer.value = values / layer.heads;
    if (problem_.empty() && (layer.value < 1 || values % layer.heads != 0))
      wrong(fmt::format("its {}.ssm.inner_size of {} is not divided by {} heads",
                        in_quotes(architecture_), values, layer.heads));
  }

  void read_convolution(const LayerTensors& t, Layer& layer) {
    layer.mixer = Mixer::Convolution;
    layer.inner = network_.hidden;
    layer.kernel = number("shortconv.l_cache", 3, 1, 1024);
    layer.conv_bias = t.has_bias("shortconv.conv");
    layer.project_bias = t.has_bias("shortconv.in_proj");
  }

  void read_mlp(const LayerTensors& t, Layer& layer) {
    if (t.has("ffn_latent_down"))
      wrong("its experts work on a latent (ffn_latent_down), which strata does not count");
    if (t.has("ffn_up_exps")) {
      layer.mlp = Mlp::Experts;
      layer.experts = number("expert_count", 0, 1, kMostExperts);
      layer.chosen = number("expert_used_count", 0, 1, layer.experts);
      layer.ffn = t.size({"ffn_down_exps"}, 2);
      layer.gated_experts = t.has("ffn_gate_exps");
      layer.expert_bias = t.has_bias("ffn_up_exps");
      layer.router_bias = t.has_bias("ffn_gate_inp") || t.has_bias("exp_probs_b");
      layer.shared = t.size({"ffn_up_shexp"}, 0);
      layer.shared_gate = t.has("ffn_gate_inp_shexp");
    } else if (t.has("ffn_up")) {
      layer.ffn = t.size({"ffn_down"}, 1);
      const bool is_gated = t.has("ffn_gate") || t.size({"ffn_up"}, 0) == 2 * layer.ffn;
      layer.mlp = is_gated ? Mlp::Gated : Mlp::Plain;
      layer.mlp_bias = t.has_bias("ffn_up");
    }
    if (layer.ffn < 0 || layer.ffn > kMostFfn || layer.shared < 0 || layer.shared > kMostFfn ||
        (layer.mlp != Mlp::None && layer.ffn == 0))
      wrong("it has an MLP of an impossible width");
  }

  // Every second layer of Gemma 2 and gpt-oss sees everything, every sixth of Gemma 3. Llama 4 has
  // chunks of 8,192 tokens that its files do not mention.
  void read_windows() {
    const bool is_chunked = architecture_ == "llama4";
    const std::int64_t window =
        number("attention.sliding_window", is_chunked ? 8192 : 0, 0, kMostContext);
    if (window == 0 || (network_.max_context > 0 && window >= network_.max_context)) return;
    const std::vector<double>* pattern = values("attention.sliding_window_pattern");
    std::int64_t every = 0;
    if (pattern != nullptr && pattern->size() == 1)
      every = static_cast<std::int64_t>(std::clamp((*pattern)[0], 0.0, 1e6));
    else if (architecture_ == "gemma2" || architecture_ == "gpt-oss")
      every = 2;
    else if (architecture_ == "gemma3")
      every = 6;
    else if (is_chunked || architecture_ == "cohere2" || architecture_ == "olmo2" ||
             architecture_ == "exaone4")
      every = 4;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      bool has_window = every == 0 || (static_cast<std::int64_t>(i) + 1) % every != 0;
      if (pattern != nullptr && pattern->size() > i && pattern->size() > 1)
        has_window = (*pattern)[i] != 0;
      if (network_.layers[i].mixer == Mixer::Attention && has_window)
        network_.layers[i].window = window, network_.layers[i].is_chunked = is_chunked;
    }
  }

  // The records are right if they have as many elements as the file.
  void check_elements() {
    double in_file = -extra_elements_, sum = 0;
    for (const StoredWeight& tensor : weights_.tensors)
      in_file += static_cast<double>(tensor.elements);
    const auto add = [&](const Matrix& matrix) {
      sum += static_cast<double>(matrix.inputs + 1) * static_cast<double>(matrix.outputs) *
             static_cast<double>(matrix.copies);
    };
    for (const Matrix& matrix : outer_matrices_of(network_)) add(matrix);
    for (const Layer& layer : network_.layers)
      for (const Matrix& matrix : matrices_of(layer, network_.hidden)) add(matrix);
    if (sum > kMostParameters)
      return wrong(fmt::format("it would have {:.3g} parameters; strata counts up to 10^16", sum));
    const auto counted = static_cast<double>(parameters_of(network_).all);
    if (counted != in_file)
      network_.notes.push_back(fmt::format(
          "the tensors have {:.0f} elements, and the layers that strata made of them {:.0f}; "
          "{:.0f} are in tensors that it does not know",
          in_file, counted, in_file - counted));
  }

  const Weights& weights_;
  std::string label_, architecture_, problem_;
  TextMap<std::string, const std::vector<double>*> numbers_;
  std::vector<LayerTensors> tensors_;
  double extra_elements_ = 0;  // of layers that are not counted, and of rotation factors
  Network network_;
};

constexpr std::size_t kMostFiles = 1000;

// `a-00001-of-00003.gguf` is the first of three.
std::vector<std::string> files_of(const std::string& path) {
  const std::size_t at = path.rfind("-00001-of-");
  if (at == path.npos || !path.ends_with(".gguf")) return {path};
  std::size_t count = 0;
  const char* begin = path.data() + at + 10;
  const auto [end, error] = std::from_chars(begin, path.data() + path.size() - 5, count);
  if (error != std::errc() || end != path.data() + path.size() - 5 || count > kMostFiles)
    return {path};
  std::vector<std::string> out;
  for (std::size_t i = 1; i <= count; ++i)
    out.push_back(fmt::format("{}-{:05}-of-{}", path.substr(0, at), i, path.substr(at + 10)));
  return out;
}

}  // namespace

Result<Network> network_of_gguf(const Weights& weights, const std::string& label) {
  return GgufNetwork(weights, label).read();
}

Result<Network> read_gguf_network(const std::string& path) {
  Weights all;
  const std::vector<std::string> files = files_of(path);
  for (const std::string& file : files) {
    const auto mapped = MappedFile::open(file);
    if (!mapped) return failure(mapped);
    auto one = weights::read_gguf_header((*mapped)->bytes());
    if (!one) return failure(fmt::format("{}: {}", file, one.error().message));
    std::move(one->tensors.begin(), one->tensors.end(), std::back_inserter(all.tensors));
    if (!all.numbers.empty()) continue;
    all.numbers = std::move(one->numbers);
    all.properties = std::move(one->properties);
    all.quantization = std::move(one->quantization);
  }
  // A part under another name would be a network without most of its layers.
  for (const auto& [key, values] : all.numbers)
    if (key == "split.count" && !values.empty() && values[0] > static_cast<double>(files.size()))
      return failure(
          fmt::format("{}: it is one of {:g} parts; give the first, whose name ends in "
                      "-00001-of-{:05}.gguf, and "
                      "keep the others beside it",
                      path, values[0], static_cast<std::int64_t>(std::min(values[0], 99999.0))));
  return network_of_gguf(all, path);
}

}  // namespace strata::llm
