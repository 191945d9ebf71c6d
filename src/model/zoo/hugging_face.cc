#include "strata/zoo/hugging_face.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/mapped_file.h"
#include "base/python_json.h"
#include "read/hugging_face/folder.h"
#include "strata/zoo/zoo.h"
#include "zoo/bert.h"
#include "zoo/decoder.h"

namespace strata::zoo {

namespace {

namespace fs = std::filesystem;
using Json = JsonFields::Json;
using hugging_face::kDeepest;
using hugging_face::kLargestConfig;
using hugging_face::names_network;

// The defaults of a kind of decoder if config.json is silent.
struct DecoderKind {
  std::string_view model_type, family;
  std::int64_t kv_heads;  // 0: as many as queries
  std::int64_t head;      // 0: the width divided by the heads
  bool qkv_bias, qk_norm;
  bool has_window;  // 4096 tokens
  std::int64_t experts, expert_ffn;
  bool normalize_chosen;
};
constexpr DecoderKind kDecoders[] = {
    {"llama", "Llama", 0, 0, false, false, false, 0, 0, true},
    {"mistral", "Mistral", 8, 0, false, false, true, 0, 0, true},
    {"mixtral", "Mixtral", 8, 0, false, false, false, 8, 0, true},
    {"qwen2", "Qwen2", 32, 0, true, false, false, 0, 0, true},
    {"qwen3", "Qwen3", 32, 128, false, true, false, 0, 0, true},
    {"qwen3_moe", "Qwen3Moe", 4, 0, false, true, false, 128, 768, false},
};

class ConfigReader : JsonFields {
 public:
  ConfigReader(const Json& json, std::string_view label) : JsonFields(label), json_(json) {}

  Result<build::Network> build(const Expr& batch, const Expr& sequence) {
    const std::string type = text(json_, "model_type");
    if (type == "bert") return bert(batch, sequence);
    for (const DecoderKind& kind : kDecoders)
      if (kind.model_type == type) return decoder(kind, batch, sequence);
    if (!good()) return failed();
    return failed(
        fmt::format("strata has no network for a model_type of {}; it has bert, llama, "
                    "mistral, mixtral, qwen2, qwen3 and qwen3_moe. A file of weights can be "
                    "listed by itself",
                    in_quotes(type)));
  }

 private:
  bool has(const char* key) const { return json_.contains(key); }

  // A number of the config that sizes are made of; `otherwise` if there is none, and 0 then means
  // that it has to be there.
  std::int64_t size_of(const char* key, std::int64_t most, std::int64_t otherwise = 0) {
    const std::int64_t size =
        otherwise == 0 ? whole(json_, key, "it", true) : whole_or(json_, key, otherwise);
    if (good() && (size < 1 || size > most))
      wrong(fmt::format("its {} of {} is not from 1 to {}", key, size, most));
    return std::max<std::int64_t>(size, 1);
  }
  bool truth(const char* key, bool otherwise) {
    return at(json_, key) == nullptr ? otherwise : flag(json_, key);
  }

  // `LlamaForCausalLM`, or what the type stands for.
  std::string architecture(const std::string& otherwise) {
    std::vector<std::string> names;
    texts(json_, "architectures", names);
    return names.empty() ? otherwise : names.front();
  }
  Result<build::Network> no_class(const std::string& cls, std::string_view known) {
    if (!good()) return failed();
    return failed(fmt::format("strata has no network for {}; it has {}", in_quotes(cls), known));
  }

  DType dtype() {
    std::string name = text(json_, "dtype");
    if (name.empty()) name = text(json_, "torch_dtype");
    if (name == "float16") return DType::F16;
    if (name == "bfloat16") return DType::BF16;
    if (!name.empty() && name != "float32")
      notes_.push_back(fmt::format("weights of the type {} are counted as f32", in_quotes(name)));
    return DType::F32;
  }

  void read_attention(const DecoderKind& kind, DecoderShape& shape) {
    constexpr std::int64_t kMostHeads = 65536, kMaxChannels = 1 << 16;
    shape.heads = size_of("num_attention_heads", kMostHeads);
    shape.kv_heads = size_of("num_key_value_heads", kMostHeads,
                             kind.kv_heads == 0 ? shape.heads : kind.kv_heads);
    const std::int64_t usual = kind.head == 0 ? shape.width / shape.heads : kind.head;
    shape.head = size_of("head_dim", kMaxChannels, std::max<std::int64_t>(usual, 1));
    const bool has_bias = truth("attention_bias", false);
    shape.qkv_bias = kind.qkv_bias || has_bias;
    shape.out_bias = has_bias && !kind.qkv_bias;
    shape.qk_norm = kind.qk_norm;
    if (good() && shape.head % 2 != 0)
      wrong(fmt::format("heads of {} channels cannot be rotated in pairs", shape.head));
  }

  // Qwen names the layers that have a window; the others have it in all layers, or in none.
  void read_window(const DecoderKind& kind, DecoderShape& shape) {
    constexpr std::int64_t kUsual = 4096, kMost = std::int64_t{1} << 40;
    const bool is_qwen = kind.family.starts_with("Qwen");
    const bool is_off = is_qwen && !truth("use_sliding_window", false);
    const bool is_given = at(json_, "sliding_window") != nullptr;
    const bool is_usual = is_qwen || (kind.has_window && !has("sliding_window"));
    if (!is_off && (is_given || is_usual)) shape.window = size_of("sliding_window", kMost, kUsual);
    std::vector<std::string> types;
    texts(json_, "layer_types", types);
    const auto layers = static_cast<std::size_t>(shape.layers);
    if (types.size() == layers) {
      for (const std::string& type : types) shape.windowed.push_back(type == "sliding_attention");
    } else if (is_qwen && shape.window > 0 && shape.experts == 0) {
      const std::int64_t first = whole_or(json_, "max_window_layers", 28);
      for (std::int64_t i = 0; i < shape.layers; ++i) shape.windowed.push_back(i >= first);
    }
  }

  void read_experts(const DecoderKind& kind, DecoderShape& shape) {
    if (kind.experts == 0) return;
    constexpr std::int64_t kMostExperts = 65536, kMostFfn = 1 << 24;
    const char* key = has("num_experts") ? "num_experts" : "num_local_experts";
    shape.experts = size_of(key, kMostExperts, kind.experts);
    shape.chosen = size_of("num_experts_per_tok", shape.experts,
                           std::min<std::int64_t>(kind.expert_ffn > 0 ? 8 : 2, shape.experts));
    shape.expert_ffn = kind.expert_ffn == 0
                           ? shape.ffn
                           : size_of("moe_intermediate_size", kMostFfn, kind.expert_ffn);
    shape.normalize_chosen = kind.normalize_chosen || truth("norm_topk_prob", false);
    const std::int64_t step = size_of("decoder_sparse_step", 1 << 20, 1);
    std::vector<double> dense;
    numbers(json_, "mlp_only_layers", dense);
    for (std::int64_t i = 0; i < shape.layers; ++i)
      shape.sparse.push_back((i + 1) % step == 0 &&
                             std::find(dense.begin(), dense.end(), static_cast<double>(i)) ==
                                 dense.end());
  }

  Result<build::Network> decoder(const DecoderKind& kind, const Expr& batch, const Expr& sequence) {
    const std::string family(kind.family);
    const std::string cls = architecture(family + "ForCausalLM");
    if (cls != family + "ForCausalLM" && cls != family + "Model")
      return no_class(cls, fmt::format("{0}ForCausalLM and {0}Model", family));
    DecoderShape shape;
    shape.family = family;
    shape.has_head = cls.ends_with("ForCausalLM");
    shape.vocab = size_of("vocab_size", 1 << 24);
    shape.width = size_of("hidden_size", 1 << 20);
    shape.layers = size_of("num_hidden_layers", 1000);
    shape.ffn = size_of("intermediate_size", 1 << 24);
    read_attention(kind, shape);
    read_experts(kind, shape);
    read_window(kind, shape);
    shape.mlp_bias = truth("mlp_bias", false);
    shape.tied = truth("tie_word_embeddings", false);
    if (std::string word = text(json_, "hidden_act"); !word.empty()) shape.activation = word;
    shape.epsilon = static_cast<float>(real_or(json_, "rms_norm_eps", 1e-6));
    const Json* rotary = at(json_, "rope_parameters");
    const bool has_own = rotary != nullptr && rotary->is_object();
    shape.rotary_base = real_or(has_own ? *rotary : json_, "rope_theta", 10000);
    if (good() && !(shape.rotary_base > 0)) wrong("its rope_theta is not above 0");
    if (good() && shape.experts > 0 && shape.activation != "silu")
      wrong(fmt::format("experts with {} are not built here", in_quotes(shape.activation)));
    const DType type = dtype();
    if (!good()) return failed();
    build::Builder net(cls, type);
    build_decoder(net, shape, {batch, sequence});
    return finish(std::move(net));
  }

  Result<build::Network> bert(const Expr& batch, const Expr& sequence) {
    BertShape shape;
    shape.cls = architecture("BertModel");
    if (!is_bert_class(shape.cls))
      return no_class(
          shape.cls,
          "BertModel, BertForPreTraining, BertForMaskedLM, BertForNextSentencePrediction, "
          "BertForSequenceClassification, BertForTokenClassification and "
          "BertForQuestionAnswering");
    shape.vocab = size_of("vocab_size", 1 << 24);
    shape.width = size_of("hidden_size", 1 << 20);
    shape.layers = size_of("num_hidden_layers", 1000);
    shape.heads = size_of("num_attention_heads", 65536);
    shape.ffn = size_of("intermediate_size", 1 << 24);
    shape.positions = size_of("max_position_embeddings", 1 << 24, 512);
    shape.kinds = size_of("type_vocab_size", 1 << 20, 2);
    shape.labels = size_of("num_labels", 1 << 24, 2);
    if (const Json* labels = at(json_, "id2label"); labels != nullptr && labels->is_object())
      shape.labels = std::max<std::int64_t>(1, static_cast<std::int64_t>(labels->size()));
    if (std::string word = text(json_, "hidden_act"); !word.empty()) shape.activation = word;
    shape.epsilon = static_cast<float>(real_or(json_, "layer_norm_eps", 1e-12));
    if (good() && (truth("is_decoder", false) || truth("add_cross_attention", false)))
      wrong("a BERT that is a decoder is not built here");
    if (good() && !truth("tie_word_embeddings", true))
      wrong("a BERT whose decoder has weights of its own is not built here");
    if (const auto length = sequence.number(); good() && length && *length > shape.positions)
      wrong(fmt::format("a text of {} tokens is longer than its {} positions", *length,
                        shape.positions));
    const DType type = dtype();
    if (!good()) return failed();
    build::Builder net(shape.cls, type);
    build_bert(net, shape, batch, sequence);
    return finish(std::move(net));
  }

  Result<build::Network> finish(build::Builder net) {
    auto network = std::move(net).finish();
    if (!network) return failed(network.error().message);
    if (at(json_, "quantization_config") != nullptr)
      notes_.push_back(
          "config.json has a quantization_config; bytes are those of weights that are not "
          "quantized");
    network->model.notes.insert(network->model.notes.end(), notes_.begin(), notes_.end());
    return network;
  }

  const Json& json_;
  std::vector<std::string> notes_;
};

// Where a text stops being JSON: `:3: it is not JSON from column 14 on`.
std::string json_problem(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return ": it is empty";
  const std::size_t at = bytes_of_json(text);
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  if (at == text.size()) return fmt::format(":{}: its JSON ends too early", line);
  return fmt::format(":{}: it is not JSON from column {} on", line,
                     at - (before.rfind('\n') + 1) + 1);
}

}  // namespace

Result<build::Network> build_config(std::string_view json, std::string_view label,
                                    const Expr& batch, const Expr& sequence) {
  if (json.size() > kLargestConfig)
    return failure(fmt::format("{}: a configuration of more than 1 MiB is not read", label));
  const Json parsed = json_from_text(json_from_python(json), kDeepest);
  if (parsed.is_discarded())
    return failure(fmt::format("{}{}; download it again", label, json_problem(json)));
  if (!parsed.is_object()) return failure(fmt::format("{}: it is not a JSON object", label));
  if (!names_network(parsed))
    return failure(fmt::format(
        "{}: it has neither a \"model_type\" nor \"architectures\", so that it is not a "
        "configuration of a network; take the config.json of a transformers model",
        label));
  return ConfigReader(parsed, label).build(batch, sequence);
}

bool is_hugging_face(const std::string& folder) { return hugging_face::is_folder(folder); }

bool can_build(const std::string& folder) {
  const auto file = MappedFile::open((fs::path(folder) / "config.json").string());
  if (!file || (*file)->bytes().size() > kLargestConfig) return false;
  const Json json = json_from_text(json_from_python((*file)->bytes()), kDeepest);
  if (!names_network(json)) return false;
  const auto word = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const std::string type = word("model_type");
  if (type == "bert") return true;
  if (std::none_of(std::begin(kDecoders), std::end(kDecoders),
                   [&](const DecoderKind& kind) { return kind.model_type == type; }))
    return false;
  if (const auto quantized = json.find("quantization_config");
      quantized != json.end() && !quantized->is_null())
    return false;
  const std::string dtype = word("dtype").empty() ? word("torch_dtype") : word("dtype");
  return dtype.empty() || dtype == "float32" || dtype == "float16" || dtype == "bfloat16";
}

Result<build::Network> build_folder(const std::string& folder, const Expr& batch,
                                    const Expr& sequence) {
  const std::string path = (fs::path(folder) / "config.json").string();
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return build_config((*file)->bytes(), path, batch, sequence);
}

}  // namespace strata::zoo
