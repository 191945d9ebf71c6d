// Classes with rules of their own for experts, activations or images.
#include <algorithm>
#include <iterator>

#include "base/in_quotes.h"
#include "llm/ordinary_decoder.h"

namespace strata::llm {

namespace {

// The curve between the matrices of an MLP learns two numbers.
void read_apertus(Keys& keys, Network& network) {
  static constexpr OrdinaryDecoder kRow{.qkv_bias = {"attention_bias", false},
                                        .out_bias = {"attention_bias", false},
                                        .mlp_bias = {"mlp_bias", false},
                                        .qk_norm = QkNorm::Head,
                                        .mlp = Mlp::Plain};
  read_ordinary(keys, network, kRow);
  keys.truth("qk_norm", true);
  keys.truth("post_norm", false);
  for (Layer& layer : network.layers) layer.curve = 2;
}

void make_sparse(Layer& layer, std::int64_t experts, std::int64_t chosen, std::int64_t ffn,
                 std::int64_t shared) {
  layer.mlp = Mlp::Experts;
  layer.experts = experts;
  layer.chosen = chosen;
  layer.ffn = ffn;
  layer.shared = shared;
}

void read_ernie_experts(Keys& keys, Network& network) {
  static constexpr OrdinaryDecoder kRow{.qkv_bias = {"use_bias", false},
                                        .out_bias = {"use_bias", false},
                                        .mlp_bias = {"use_bias", false},
                                        .kv_heads = 4,
                                        .tied = true};
  read_ordinary(keys, network, kRow);
  const std::int64_t experts = keys.size({"moe_num_experts"}, kMostExperts, 64);
  const std::int64_t chosen = keys.size({"moe_k"}, experts, std::min<std::int64_t>(6, experts));
  const std::int64_t ffn = keys.size({"moe_intermediate_size"}, kMostFfn, 1536);
  const std::int64_t shared = keys.size_or_none({"moe_num_shared_experts"}, kMostExperts, 2);
  const std::int64_t first = keys.size_or_none({"moe_layer_start_index"}, kMostLayers, 1);
  const std::int64_t last =
      keys.size_or_none({"moe_layer_end_index"}, kMostLayers,
                        std::max<std::int64_t>(0, std::ssize(network.layers) - 1));
  const std::int64_t every = keys.size({"moe_layer_interval"}, kMostLayers, 1);
  if (keys.good() && shared * ffn > kMostFfn) keys.wrong("its shared experts are too wide");
  if (!keys.good()) return;
  for (std::int64_t i = 0; i < std::ssize(network.layers); ++i) {
    if (i < first || i > last || (i + 1) % every != 0) continue;
    Layer& layer = network.layers[static_cast<std::size_t>(i)];
    make_sparse(layer, experts, chosen, ffn, shared * ffn);
    layer.router_bias = true;  // it balances the load, and is a parameter
  }
}

// A number, or the same one for each layer in a list.
std::int64_t size_of_all(Keys& keys, const char* key, std::int64_t most, std::int64_t otherwise) {
  const auto* value = keys.at(keys.json(), key);
  if (value == nullptr || !value->is_array()) return keys.size_or_none({key}, most, otherwise);
  const std::vector<std::int64_t> sizes = keys.wholes(key);
  const bool are_equal = !sizes.empty() && std::all_of(sizes.begin(), sizes.end(),
                                                       [&](auto size) { return size == sizes[0]; });
  if (keys.good() && (!are_equal || sizes[0] < 0 || sizes[0] > most))
    keys.wrong(
        fmt::format("its {} is not the same in all layers, which strata does not count", key));
  return are_equal ? sizes[0] : otherwise;
}

void read_hunyuan_experts(Keys& keys, Network& network) {
  static constexpr OrdinaryDecoder kRow{.qkv_bias = {"attention_bias", false},
                                        .out_bias = {"attention_bias", false},
                                        .qk_norm = QkNorm::Head};
  read_ordinary(keys, network, kRow);
  const std::int64_t experts =
      std::max<std::int64_t>(size_of_all(keys, "num_experts", kMostExperts, 1), 1);
  const std::int64_t chosen =
      std::clamp<std::int64_t>(size_of_all(keys, "moe_topk", kMostExperts, 1), 1, experts);
  if (!keys.good()) return;
  // transformers makes every expert and the shared one as wide as the MLP.
  for (Layer& layer : network.layers)
    if (experts > 1) make_sparse(layer, experts, chosen, layer.ffn, layer.ffn);
}

std::int64_t qwen_vision(Keys& vision) {
  const std::int64_t width = vision.size({"hidden_size"}, 1 << 16, 1280);
  const std::int64_t ffn = vision.size({"intermediate_size"}, 1 << 18, 3420);
  const std::int64_t layers = vision.size({"depth"}, kMostLayers, 32);
  const std::int64_t out = vision.size({"out_hidden_size"}, 1 << 18, 3584);
  const std::int64_t patch = vision.size({"patch_size"}, 1 << 8, 14);
  const std::int64_t merge = vision.size({"spatial_merge_size"}, 64, 2);
  const std::int64_t frames = vision.size({"temporal_patch_size"}, 64, 2);
  // Two RMSNorms, attention and a gated MLP with biases; four patches become one token.
  const std::int64_t layer =
      2 * width + 4 * (width * width + width) + 3 * width * ffn + 2 * ffn + width;
  const std::int64_t merged = width * merge * merge;
  return 3 * frames * patch * patch * width + layers * layer + width + merged * merged + merged +
         merged * out + out;
}

// Attention and a plain MLP with biases, two LayerNorms.
std::int64_t plain_vision_layer(std::int64_t width, std::int64_t ffn) {
  return 4 * (width * width + width) + 2 * width * ffn + ffn + width + 4 * width;
}

// A norm, then two matrices that make one token of some patches.
std::int64_t patch_merger(std::int64_t norm, std::int64_t merged, std::int64_t out) {
  return 2 * norm + merged * merged + merged + merged * out + out;
}

std::int64_t qwen2_vision(Keys& vision) {
  const std::int64_t width = vision.size({"embed_dim"}, 1 << 16, 1280);
  const std::int64_t ratio = vision.size({"mlp_ratio"}, 64, 4);
  const std::int64_t layers = vision.size({"depth"}, kMostLayers, 32);
  const std::int64_t out = vision.size({"hidden_size"}, 1 << 18, 3584);
  const std::int64_t patch = vision.size({"patch_size"}, 1 << 8, 14);
  const std::int64_t merge = vision.size({"spatial_merge_size"}, 64, 2);
  const std::int64_t frames = vision.size({"temporal_patch_size"}, 64, 2);
  return 3 * frames * patch * patch * width + layers * plain_vision_layer(width, ratio * width) +
         patch_merger(width, width * merge * merge, out);
}

// Layers named in `deepstack_visual_indexes` hand what they see to the language model, too.
std::int64_t qwen3_vision(Keys& vision, std::int64_t usual_stacked) {
  const std::int64_t width = vision.size({"hidden_size"}, 1 << 16, 1152);
  const std::int64_t ffn = vision.size({"intermediate_size"}, 1 << 18, 4304);
  const std::int64_t layers = vision.size({"depth"}, kMostLayers, 27);
  const std::int64_t out = vision.size({"out_hidden_size"}, 1 << 18, 3584);
  const std::int64_t patch = vision.size({"patch_size"}, 1 << 8, 16);
  const std::int64_t merge = vision.size({"spatial_merge_size"}, 64, 2);
  const std::int64_t frames = vision.size({"temporal_patch_size"}, 64, 2);
  const std::int64_t places = vision.size({"num_position_embeddings"}, 1 << 20, 2304);
  const std::int64_t stacked = vision.has("deepstack_visual_indexes")
                                   ? std::ssize(vision.wholes("deepstack_visual_indexes"))
                                   : usual_stacked;
  const std::int64_t merged = width * merge * merge;
  return 3 * frames * patch * patch * width + width + places * width +
         layers * plain_vision_layer(width, ffn) + patch_merger(width, merged, out) +
         stacked * patch_merger(merged, merged, out);
}

template <class Count>
void add_vision(Keys& keys, Network& network, const Count& count) {
  Keys whole(keys.outer(), keys.outer(), "");
  Keys vision = whole.inside("vision_config");
  const std::int64_t parameters = count(vision);
  keys.take_problem(whole);
  keys.take_problem(vision);
  network.towers.push_back({"vision tower", parameters});
}

constexpr OrdinaryDecoder kQwen2Text{.qkv_bias = {"", true}, .window = WindowRule::Qwen};

// Older files have the keys of the text beside `vision_config`, newer ones in `text_config`.
void read_qwen2_vl(Keys& keys, Network& network) {
  read_ordinary(keys, network, kQwen2Text);
  add_vision(keys, network, qwen2_vision);
}

void read_qwen25_vl(Keys& keys, Network& network) {
  read_ordinary(keys, network, kQwen2Text);
  add_vision(keys, network, qwen_vision);
}

template <const char* Text, std::int64_t UsualStacked>
void read_qwen3_vl(Keys& keys, Network& network) {
  for (const auto& classes : {decoder_classes(), linear_classes()})
    for (const ClassReader& reader : classes)
      if (reader.name == Text) reader.read(keys, network);
  if (!keys.good() || &keys.json() == &keys.outer()) return;
  add_vision(keys, network, [](Keys& vision) { return qwen3_vision(vision, UsualStacked); });
}
constexpr char kQwen3[] = "Qwen3ForCausalLM", kQwen3Moe[] = "Qwen3MoeForCausalLM",
               kQwen35[] = "Qwen3_5ForCausalLM", kQwen35Moe[] = "Qwen3_5MoeForCausalLM";

// Pixtral's transformer, and a projector that joins patches.
void read_mistral3(Keys& keys, Network& network) {
  static constexpr OrdinaryDecoder kRow{
      .kv_heads = 8, .window = WindowRule::AllLayers, .usual_window = 0};
  const std::string inside = keys.word("model_type");
  if (!inside.empty() && inside != "mistral" && inside != "mistral3" && inside != "ministral3")
    return keys.wrong(fmt::format("its language model is a {}, which strata does not read in it",
                                  in_quotes(inside.substr(0, 60))));
  read_ordinary(keys, network, kRow);
  if (&keys.json() == &keys.outer()) return;
  Keys whole(keys.outer(), keys.outer(), "");
  Keys vision = whole.inside("vision_config");
  const std::int64_t width = vision.size({"hidden_size"}, 1 << 16, 1024);
  const std::int64_t ffn = vision.size({"intermediate_size"}, 1 << 18, 4096);
  const std::int64_t layers = vision.size({"num_hidden_layers"}, kMostLayers, 24);
  const std::int64_t patch = vision.size({"patch_size"}, 1 << 8, 16);
  const std::int64_t heads = vision.size({"num_attention_heads"}, kMostHeads, 16);
  const std::int64_t head =
      vision.size({"head_dim"}, kMostHead, std::max<std::int64_t>(width / heads, 1));
  const std::int64_t merge = whole.size({"spatial_merge_size"}, 64, 2);
  const bool bias = whole.truth("multimodal_projector_bias", false);
  keys.take_problem(whole);
  keys.take_problem(vision);
  const std::int64_t layer = 4 * width * heads * head + 3 * width * ffn + 2 * width;
  network.towers.push_back({"vision tower", 3 * patch * patch * width + width + layers * layer});
  const std::int64_t hidden = network.hidden;
  network.towers.push_back({"projector", width + merge * merge * width * width + width * hidden +
                                             hidden * hidden + (bias ? 2 * hidden : 0)});
}

// CLIP's transformer, and a projector of two layers.
void read_llava(Keys& keys, Network& network) {
  const std::string type = keys.word("model_type");
  const ClassReader* text = nullptr;
  for (const ClassReader& reader : decoder_classes())
    if (reader.model_type == type) text = &reader;
  if (text == nullptr)
    return keys.wrong(fmt::format("its language model is a {}, which strata does not read in it",
                                  in_quotes(type.substr(0, 60))));
  text->read(keys, network);
  if (!keys.good() || &keys.json() == &keys.outer()) return;
  Keys whole(keys.outer(), keys.outer(), "");
  Keys vision = whole.inside("vision_config");
  const std::string kind = vision.word("model_type");
  if (!kind.empty() && kind != "clip_vision_model") {
    network.notes.push_back(fmt::format("its vision tower is a {}, which is not counted",
                                        in_quotes(kind.substr(0, 60))));
    return;
  }
  const std::int64_t width = vision.size({"hidden_size"}, 1 << 16, 1024);
  const std::int64_t ffn = vision.size({"intermediate_size"}, 1 << 18, 4096);
  const std::int64_t layers = vision.size({"num_hidden_layers"}, kMostLayers, 24);
  const std::int64_t image = vision.size({"image_size"}, 1 << 14, 336);
  const std::int64_t patch = vision.size({"patch_size"}, 1 << 10, 14);
  const bool is_next = whole.word("model_type") == "llava_next";
  keys.take_problem(whole);
  keys.take_problem(vision);
  const std::int64_t side = image / patch, hidden = network.hidden;
  network.towers.push_back({"vision tower", layers * plain_vision_layer(width, ffn) +
                                                3 * patch * patch * width + width +
                                                (side * side + 1) * width + 4 * width});
  network.towers.push_back(
      {"projector", width * hidden + hidden * hidden + 2 * hidden + (is_next ? hidden : 0)});
}

constexpr ClassReader kClasses[] = {
    {"LlavaForConditionalGeneration", "llava", read_llava},
    {"LlavaNextForConditionalGeneration", "llava_next", read_llava},
    {"ApertusForCausalLM", "apertus", read_apertus},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe", read_ernie_experts},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", read_hunyuan_experts},
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", read_qwen2_vl},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", read_qwen25_vl},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", read_qwen3_vl<kQwen3, 3>},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", read_qwen3_vl<kQwen3Moe, 3>},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", read_qwen3_vl<kQwen35, 0>},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", read_qwen3_vl<kQwen35Moe, 0>},
    {"Mistral3ForConditionalGeneration", "mistral3", read_mistral3},
};

}  // namespace

std::span<const ClassReader> newer_classes() { return kClasses; }

}  // namespace strata::llm
