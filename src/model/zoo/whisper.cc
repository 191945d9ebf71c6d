// Whisper: an encoder for 30 seconds of sound and a decoder for its text. Modules have the names of
// Hugging Face's WhisperModel.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "zoo/multi_head.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

struct WhisperSize {
  std::string_view name;
  std::int64_t width, encoders, decoders, heads;
  std::int64_t bands = 80;  // of the mel spectrum
  std::int64_t vocabulary = 51865;
};
constexpr WhisperSize kWhisperSizes[] = {
    {"tiny", 384, 4, 4, 6},
    {"base", 512, 6, 6, 8},
    {"small", 768, 12, 12, 12},
    {"medium", 1024, 24, 24, 16},
    {"large", 1280, 32, 32, 20},
    {"large_v3", 1280, 32, 32, 20, 128, 51866},
    {"turbo", 1280, 32, 4, 20, 128, 51866},
};
constexpr std::int64_t kFrames = 3000;  // hundredths of a second
constexpr std::int64_t kSounds = kFrames / 2;
constexpr std::int64_t kTexts = 448;  // positions of the decoder

Var gelu_of(Builder& net, Var x) {
  constexpr float kRootOfTwo = 1.41421356F;
  const Var erf = net.op("Erf", {net.div(x, net.number(kRootOfTwo))});
  const Var scaled = net.mul(x, net.add(erf, net.number(1)));
  return net.mul(scaled, net.number(0.5F));
}

// A convolution along time.
Var conv_over_time(Builder& net, std::string_view name, Var x, std::int64_t out,
                   std::int64_t stride) {
  const auto leaf = net.module(name, "Conv1d");
  const Var weight = net.weight("weight", {out, net.channels(x), 3});
  return net.op("Conv", {x, weight, net.weight("bias", {out})},
                {{"kernel_shape", {3}}, {"pads", {1, 1}}, {"strides", {stride}}});
}

// A layer's caches: of the text so far, and of the sound.
struct LayerCache {
  KeysAndValues text, sound;
};

struct Attention {
  std::string_view name;
  Var to;  // keys and values are made of it; left out if they are given
  Var mask = {};
};
Var whisper_attention(Builder& net, const Attention& attention, Var x, const WhisperSize& size,
                      KeysAndValues& cache) {
  const auto module = net.module(attention.name, "WhisperAttention");
  const std::int64_t of_head = size.width / size.heads;
  const Var scale = net.number(1 / std::sqrt(static_cast<float>(of_head)));
  const Var query = by_head(net, net.mul(net.linear("q_proj", x, size.width), scale), size.heads);
  if (attention.to.id != kNone) {
    const Var key = net.linear("k_proj", attention.to, size.width, false);
    const Var value = net.linear("v_proj", attention.to, size.width);
    const Var keys = by_head(net, key, size.heads);
    cache = joined(net, cache, {keys, by_head(net, value, size.heads)});
  }
  return net.linear("out_proj", attend(net, query, cache, attention.mask), size.width);
}

Var whisper_mlp(Builder& net, Var x) {
  const std::int64_t width = net.number(x, -1);
  Var y = net.linear("fc1", net.layer_norm("final_layer_norm", x), 4 * width);
  {
    const auto leaf = net.module("activation_fn", "GELUActivation");
    y = gelu_of(net, y);
  }
  return net.add(x, net.linear("fc2", y, width));
}

Var whisper_encoder(Builder& net, Var x, const WhisperSize& size) {
  const auto encoder = net.module("encoder", "WhisperEncoder");
  x = gelu_of(net, conv_over_time(net, "conv1", x, size.width, 1));
  x = gelu_of(net, conv_over_time(net, "conv2", x, size.width, 2));
  x = net.transpose(x, {0, 2, 1});
  const Var numbers = net.op("Range", {net.integer(0), net.integer(kSounds), net.integer(1)});
  x = net.add(x, net.embedding("embed_positions", numbers, kSounds, size.width));
  {
    const auto layers = net.module("layers", "ModuleList");
    for (std::int64_t i = 0; i < size.encoders; ++i) {
      const auto layer = net.module(i, "WhisperEncoderLayer");
      KeysAndValues own;
      const Var y = net.layer_norm("self_attn_layer_norm", x);
      x = net.add(x, whisper_attention(net, {"self_attn", y}, y, size, own));
      x = whisper_mlp(net, x);
    }
  }
  return net.layer_norm("layer_norm", x);
}

// `sound` is left out if the caches hold its keys and values.
Var whisper_decoder(Builder& net, Var ids, Var sound, const WhisperSize& size,
                    std::vector<LayerCache>& caches) {
  const auto decoder = net.module("decoder", "WhisperDecoder");
  Var x = net.embedding("embed_tokens", ids, size.vocabulary, size.width);
  const auto [numbers, mask] = token_positions(net, ids, caches[0].text);
  Var positions;
  {
    const auto leaf = net.module("embed_positions", "WhisperPositionalEmbedding");
    positions = net.gather(net.weight("weight", {kTexts, size.width}), numbers, 0);
  }
  x = net.add(x, positions);
  {
    const auto layers = net.module("layers", "ModuleList");
    for (std::size_t i = 0; i < caches.size(); ++i) {
      const auto layer = net.module(static_cast<std::int64_t>(i), "WhisperDecoderLayer");
      Var y = net.layer_norm("self_attn_layer_norm", x);
      x = net.add(x, whisper_attention(net, {"self_attn", y, mask}, y, size, caches[i].text));
      y = net.layer_norm("encoder_attn_layer_norm", x);
      x = net.add(x, whisper_attention(net, {"encoder_attn", sound}, y, size, caches[i].sound));
      x = whisper_mlp(net, x);
    }
  }
  return net.layer_norm("layer_norm", x);
}

void whisper(Builder& net, const Arguments& arguments) {
  // There is one: other words were refused when the arguments were read.
  const auto is_given = [&](const WhisperSize& one) { return one.name == arguments.word("size"); };
  const auto size = *std::find_if(std::begin(kWhisperSizes), std::end(kWhisperSizes), is_given);
  const bool cached = arguments.word("cache") == "on";
  const Expr batch = arguments.size("batch");
  const Expr length = arguments.size("sequence");
  const Expr past = cached ? arguments.size("past") : Expr(0);
  if ((length + past).number().value_or(0) > kTexts)
    return net.fail(
        fmt::format("there are {} positions, and {} tokens", kTexts, (length + past).text()));
  std::vector<LayerCache> caches(static_cast<std::size_t>(size.decoders));
  Var sound;
  if (!cached)
    sound = whisper_encoder(net, net.input("input_features", {batch, size.bands, kFrames}), size);
  const Var ids = net.input("decoder_input_ids", DType::I64, {batch, length});
  const std::int64_t head = size.width / size.heads;
  for (std::size_t i = 0; cached && i < caches.size(); ++i) {
    caches[i].text = input_cache(net, i, ".decoder", {batch, size.heads, past, head});
    caches[i].sound = input_cache(net, i, ".encoder", {batch, size.heads, kSounds, head});
  }
  net.output("last_hidden_state", whisper_decoder(net, ids, sound, size, caches));
  for (std::size_t i = 0; cached && i < caches.size(); ++i)
    output_cache(net, i, ".decoder", caches[i].text);
}

constexpr Parameter kWhisperParameters[] = {
    {"size", ParameterKind::Choice, "tiny", "width and number of layers", 0, 0,
     "tiny|base|small|medium|large|large_v3|turbo"},
    {"batch", ParameterKind::Size, "1", "recordings at once"},
    kTokens,
    {"cache", ParameterKind::Choice, "off", "one step of the decoder, given what came before", 0, 0,
     "off|on"},
    kEarlierTokens,
    kType};

constexpr Entry kWhisperNetworks[] = {
    {"whisper", "encoder of sound and decoder of its text, 2022", "WhisperModel",
     kWhisperParameters, whisper},
};

}  // namespace

std::span<const Entry> whisper_networks() { return kWhisperNetworks; }

}  // namespace strata::zoo
