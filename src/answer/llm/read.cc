#include "strata/llm/read.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/embedded.h"
#include "base/in_quotes.h"
#include "base/json_text.h"
#include "base/mapped_file.h"
#include "base/nearest.h"
#include "base/python_json.h"
#include "llm/config_keys.h"
#include "llm/gguf_network.h"
#include "llm/stored_types.h"
#include "llm/weight_types.h"
#include "read/registry.h"
#include "read/weights/formats.h"
#include "strata/llm/matrix.h"
#include "strata/read/source.h"
#include "strata/zoo/zoo.h"

namespace strata::llm {

namespace {

namespace fs = std::filesystem;
using Json = JsonFields::Json;

constexpr std::size_t kLargestConfig = std::size_t{1} << 20;
constexpr int kDeepest = 16;
constexpr std::string_view kZooFolder = "data/llm/zoo/", kZooPrefix = "zoo:";

std::array<std::span<const ClassReader>, 8> all_classes() {
  return {decoder_classes(), expert_classes(), state_classes(),  linear_classes(),
          older_classes(),   newer_classes(),  recent_classes(), gemma_classes()};
}

const ClassReader* find_class(std::string_view name) {
  for (const auto& classes : all_classes())
    for (const ClassReader& reader : classes)
      if (reader.name == name) return &reader;
  return nullptr;
}

const ClassReader* find_model_type(std::string_view type) {
  for (const auto& classes : all_classes())
    for (const ClassReader& reader : classes)
      if (reader.model_type == type) return &reader;
  return nullptr;
}

// Keys that change nothing that is counted, whatever class they are in.
constexpr std::string_view kHarmless[] = {"_attn_implementation",
                                          "_name_or_path",
                                          "add_cross_attention",
                                          "architectures",
                                          "attention_dropout",
                                          "attn_implementation",
                                          "attn_pdrop",
                                          "auto_map",
                                          "bad_words_ids",
                                          "begin_suppress_tokens",
                                          "bos_token_id",
                                          "cache_implementation",
                                          "chunk_size_feed_forward",
                                          "cross_attention_hidden_size",
                                          "decoder_config",
                                          "decoder_start_token_id",
                                          "diversity_penalty",
                                          "do_sample",
                                          "dtype",
                                          "early_stopping",
                                          "embd_pdrop",
                                          "eos_token_id",
                                          "finetuning_task",
                                          "hidden_dropout",
                                          "id2label",
                                          "initializer_range",
                                          "is_decoder",
                                          "is_encoder_decoder",
                                          "is_llama_config",
                                          "label2id",
                                          "layer_norm_eps",
                                          "length_penalty",
                                          "max_length",
                                          "min_length",
                                          "model_type",
                                          "name_or_path",
                                          "no_repeat_ngram_size",
                                          "num_beams",
                                          "num_return_sequences",
                                          "output_attentions",
                                          "output_hidden_states",
                                          "output_scores",
                                          "pad_token_id",
                                          "partial_rotary_factor",
                                          "prefix",
                                          "pretraining_tp",
                                          "problem_type",
                                          "pruned_heads",
                                          "quantization_config",
                                          "remove_invalid_values",
                                          "repetition_penalty",
                                          "resid_pdrop",
                                          "return_dict",
                                          "return_dict_in_generate",
                                          "rms_norm_eps",
                                          "rope_interleaved",
                                          "rope_parameters",
                                          "rope_scaling",
                                          "rope_theta",
                                          "rotary_pct",
                                          "sep_token_id",
                                          "suppress_tokens",
                                          "task_specific_params",
                                          "temperature",
                                          "tf_legacy_loss",
                                          "tie_encoder_decoder",
                                          "tie_word_embeddings",
                                          "tokenizer_class",
                                          "top_k",
                                          "top_p",
                                          "torch_dtype",
                                          "torchscript",
                                          "transformers_version",
                                          "typical_p",
                                          "unk_token_id",
                                          "use_auth_token",
                                          "use_bfloat16",
                                          "use_cache",
                                          "use_return_dict"};

// An unknown class is read like Llama if that leaves no key over.
Status check_all_understood(const Keys& keys, const std::string& cls, std::string_view label) {
  for (const auto& [key, value] : keys.json().items()) {
    if (keys.used().contains(key) || value.is_null()) continue;
    if (std::find(std::begin(kHarmless), std::end(kHarmless), key) != std::end(kHarmless)) continue;
    // Llama's MLP has a gate; with other curves, few have.
    const bool is_curve = key == "hidden_act" || key == "hidden_activation";
    if (is_curve && (value == "silu" || value == "swish")) continue;
    if (is_curve && value.is_string())
      return failure(fmt::format(
          "{}: strata does not know the class {}, and cannot read it like {}, because its {} is {}",
          label, in_quotes(cls), nearest_class().name, in_quotes(key),
          in_quotes(value.get<std::string>().substr(0, 60))));
    return failure(fmt::format(
        "{}: strata does not know the class {}, and cannot read it like {}, because it has a key "
        "{} that {} does not have",
        label, in_quotes(cls), nearest_class().name, in_quotes(key), nearest_class().name));
  }
  return {};
}

// Sums of products must not overflow, so they are added up as real numbers first.
Status check_size(const Network& network, std::string_view label) {
  double sum = 0;
  const auto add = [&](const Matrix& matrix) {
    sum += static_cast<double>(matrix.inputs + 1) * static_cast<double>(matrix.outputs) *
           static_cast<double>(matrix.copies);
  };
  for (const Matrix& matrix : outer_matrices_of(network)) add(matrix);
  for (const Layer& layer : network.layers)
    for (const Matrix& matrix : matrices_of(layer, network.hidden)) add(matrix);
  if (sum <= kMostParameters) return {};
  return failure(
      fmt::format("{}: it would have {:.3g} parameters; strata counts up to 10^16", label, sum));
}

// The class of a `text_config`, by its architecture or its type; nullptr: strata does not know it.
const ClassReader* inner_class(const Json& text) {
  Keys keys(text, text, "");
  std::vector<std::string> names;
  keys.texts(text, "architectures", names);
  const ClassReader* found = names.empty() ? nullptr : find_class(names.front());
  if (found != nullptr) return found;
  std::string type = keys.text(text, "model_type");
  found = find_model_type(type);
  constexpr std::string_view kText = "_text";
  if (found == nullptr && type.ends_with(kText))
    found = find_model_type(type.substr(0, type.size() - kText.size()));
  return found;
}

// Sizes of transformers' classes, which a `text_config` leaves out where they are its own.
constexpr struct {
  std::string_view type, sizes;
} kUsualSizes[] = {
    {"llama", R"({"hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
                  "num_attention_heads": 32, "vocab_size": 32000,
                  "max_position_embeddings": 2048})"},
    {"mistral", R"({"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
                    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
                    "max_position_embeddings": 131072})"},
    {"qwen2", R"({"hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32,
                  "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 151936,
                  "max_position_embeddings": 32768})"},
};

Json with_usual_sizes(Json text) {
  const auto found = text.find("model_type");
  if (found == text.end() || !found->is_string()) return text;
  const auto type = found->get<std::string>();
  for (const auto& [name, sizes] : kUsualSizes) {
    if (type != name) continue;
    const Json usual = json_from_text(std::string(sizes));
    for (const auto& [key, value] : usual.items())
      if (!text.contains(key)) text[key] = value;
    break;
  }
  return text;
}

Result<Network> build(const Json& config, std::string_view label) {
  const auto inner = config.find("text_config");
  const bool is_nested = inner != config.end() && inner->is_object();
  const Json sized = is_nested ? with_usual_sizes(*inner) : Json();
  const Json& text = is_nested ? sized : config;
  Keys outer(config, config, label);
  std::vector<std::string> names;
  outer.texts(config, "architectures", names);
  const std::string type = outer.text(config, "model_type");
  if (!outer.good()) return outer.failed();
  std::string cls = names.empty() ? "" : names.front();
  const ClassReader* reader = find_class(cls);
  if (reader == nullptr && cls.ends_with("Model")) {
    // `LlamaModel` has no head.
    reader = find_class(cls.substr(0, cls.size() - 5) + "ForCausalLM");
  }
  if (cls.empty()) reader = find_model_type(type);
  // A class that wraps a language model with parts of its own: the model inside is read.
  const bool is_wrapped = reader == nullptr && is_nested;
  if (is_wrapped) reader = inner_class(text);
  const bool is_known = reader != nullptr;
  Network network;
  network.architecture = cls.empty() ? std::string(is_known ? reader->name : type) : cls;
  network.has_head = !cls.ends_with("Model") || cls.ends_with("LMHeadModel");
  Keys keys(text, config, label);
  (is_known ? *reader : nearest_class()).read(keys, network);
  if (!is_known) {
    if (is_nested)
      return failure(
          fmt::format("{}: strata does not know the class {}, whose language model is "
                      "inside a \"text_config\"",
                      label, in_quotes(network.architecture)));
    if (auto status = check_all_understood(keys, network.architecture, label); !status)
      return failure(status);
    network.notes.push_back(
        fmt::format("{} is not a class that strata knows; it is read like {}, "
                    "whose keys are the only ones it has",
                    in_quotes(network.architecture), nearest_class().name));
  }
  if (auto status = keys.checked(); !status) return failure(status);
  if (is_wrapped && is_known)
    network.notes.push_back(
        fmt::format("{} is not a class that strata knows; the language model inside is read like "
                    "{}, and what is around it is not counted",
                    in_quotes(network.architecture), reader->name));
  if (auto status = check_size(network, label); !status) return failure(status);
  if (auto status = read_weight_types(keys, network); !status) return failure(status);
  if (network.extra_layers > 0)
    network.notes.push_back(
        fmt::format("the files also hold {} layer{} for multi-token prediction, which {} not "
                    "counted",
                    network.extra_layers, network.extra_layers == 1 ? "" : "s",
                    network.extra_layers == 1 ? "is" : "are"));
  return network;
}

}  // namespace

std::int64_t read_layer_count(Keys& keys, std::int64_t otherwise) {
  return keys.size({"num_hidden_layers", "n_layer", "n_layers"}, kMostLayers, otherwise);
}

bool read_tied(Keys& keys, bool otherwise) {
  const bool inner = keys.truth("tie_word_embeddings", keys.truth("tie_embedding", otherwise));
  // Beside a nested text_config, the outer key is the one that counts.
  if (&keys.outer() == &keys.json()) return inner;
  const auto found = keys.outer().find("tie_word_embeddings");
  return found != keys.outer().end() && found->is_boolean() ? found->get<bool>() : inner;
}

Result<Network> read_config(std::string_view json, std::string_view label) {
  if (json.size() > kLargestConfig)
    return failure(fmt::format("{}: a configuration of more than 1 MiB is not read", label));
  const Json config = json_from_text(json_from_python(json), kDeepest);
  if (config.is_discarded())
    return failure(fmt::format("{}: it is not JSON; download it again", label));
  if (!config.is_object()) return failure(fmt::format("{}: it is not a JSON object", label));
  if (!config.contains("architectures") && !config.contains("model_type"))
    return failure(
        fmt::format("{}: it has neither \"architectures\" nor a \"model_type\"; take "
                    "the config.json of a transformers model",
                    label));
  auto network = build(config, label);
  if (network) network->name = std::string(label);
  return network;
}

std::vector<std::string_view> zoo_names() {
  std::vector<std::string_view> out;
  for (std::string_view path : embedded_paths()) {
    if (!path.starts_with(kZooFolder) || !path.ends_with(".json")) continue;
    path.remove_prefix(kZooFolder.size());
    path.remove_suffix(std::string_view(".json").size());
    out.push_back(path);
  }
  return out;
}

bool is_in_zoo(std::string_view name) {
  return embedded_file(fmt::format("{}{}.json", kZooFolder, name)).has_value();
}

Result<Network> read_network(const std::string& path) {
  if (path.starts_with(kZooPrefix)) {
    const std::string_view name = std::string_view(path).substr(kZooPrefix.size());
    const auto json = embedded_file(fmt::format("{}{}.json", kZooFolder, name));
    if (json) return read_config(*json, path);
    if (zoo::find(name.substr(0, name.find('?'))) != nullptr)
      return failure(
          fmt::format("{} is a network of operators, not a configuration that is served; take one "
                      "such as zoo:llama-3-8b, or a config.json",
                      path));
    const auto names = zoo_names();
    return failure(Code::NoNetwork, {.name = std::string(name),
                                     .detail = did_you_mean(name, {names.begin(), names.end()})});
  }
  std::error_code error;
  std::string file = path;
  if (fs::is_directory(path, error)) {
    file = (fs::path(path) / "config.json").string();
    if (!fs::exists(file, error))
      return failure(fmt::format("{}: the folder has no config.json", path));
  }
  const auto mapped = MappedFile::open(file);
  if (!mapped) return failure(mapped);
  if (weights::looks_like_gguf((*mapped)->bytes())) return read_gguf_network(file);
  auto network = read_config((*mapped)->bytes(), file);
  if (!network) {
    const ModelFormat* format = Source(file).format();
    if (format == nullptr || format->kind == SourceKind::Built) return network;
    return failure(fmt::format(
        "{}: it is {}, and a language model is served from its configuration; give the folder of "
        "a Hugging Face model, its config.json or a GGUF file",
        file, format->one));
  }
  network->name = path;
  if (file != path)
    if (auto status = use_stored_types(path, *network); !status) return failure(status);
  return network;
}

bool is_network(const std::string& gguf) { return read_gguf_network(gguf).has_value(); }

bool reads_class(const std::string& folder) {
  const auto mapped = MappedFile::open((fs::path(folder) / "config.json").string());
  if (!mapped || (*mapped)->bytes().size() > kLargestConfig) return false;
  const Json config = json_from_text(json_from_python((*mapped)->bytes()), kDeepest);
  if (!config.is_object()) return false;
  Keys keys(config, config, "");
  std::vector<std::string> names;
  keys.texts(config, "architectures", names);
  if (!names.empty()) {
    const std::string& cls = names.front();
    return find_class(cls) != nullptr ||
           (cls.ends_with("Model") &&
            find_class(cls.substr(0, cls.size() - 5) + "ForCausalLM") != nullptr);
  }
  return find_model_type(keys.text(config, "model_type")) != nullptr;
}

}  // namespace strata::llm
