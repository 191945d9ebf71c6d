// A text decoder built like Llama, as a network of the zoo.
#include <fmt/format.h>

#include "zoo/decoder.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

void llama(Builder& net, const Arguments& arguments) {
  DecoderShape shape;
  shape.vocab = arguments.whole("vocab");
  shape.width = arguments.whole("width");
  shape.layers = arguments.whole("layers");
  shape.heads = arguments.whole("heads");
  shape.kv_heads = arguments.whole("kv_heads");
  shape.ffn = arguments.whole("ffn");
  shape.head = shape.width / shape.heads;
  if (shape.width % (2 * shape.heads) != 0)
    return net.fail(fmt::format("a width of {} gives {} heads no even number of channels",
                                shape.width, shape.heads));
  build_decoder(net, shape,
                {arguments.size("batch"), arguments.size("sequence"),
                 arguments.word("cache") == "on", arguments.size("past")});
}

constexpr Parameter kTexts{"batch", ParameterKind::Size, "1", "texts at once"};
constexpr Parameter kSequence{"sequence", ParameterKind::Size, "128", "tokens given"};
constexpr Parameter kCache{
    "cache", ParameterKind::Choice, "off", "keys and values of earlier tokens are given", 0, 0,
    "off|on"};
constexpr Parameter kPast{"past", ParameterKind::Size, "128", "earlier tokens, with a cache"};

// The shape of TinyLlama-1.1B.
constexpr Parameter kDecoderParameters[] = {
    kTexts,
    kSequence,
    kCache,
    kPast,
    {"vocab", ParameterKind::Whole, "32000", "tokens there are", 1, 1 << 24},
    {"width", ParameterKind::Whole, "2048", "channels of a token"},
    {"layers", ParameterKind::Whole, "22", "blocks of attention and MLP", 1, 1000},
    {"heads", ParameterKind::Whole, "32", "queries of the attention", 1, 65536},
    {"kv_heads", ParameterKind::Whole, "4", "keys and values of the attention", 1, 65536},
    {"ffn", ParameterKind::Whole, "5632", "channels inside the MLP"},
    kType};

constexpr Parameter kSmallParameters[] = {
    kTexts,
    {"sequence", ParameterKind::Size, "16", "tokens given"},
    kCache,
    {"past", ParameterKind::Size, "16", "earlier tokens, with a cache"},
    {"vocab", ParameterKind::Whole, "1000", "tokens there are", 1, 1 << 24},
    {"width", ParameterKind::Whole, "64", "channels of a token"},
    {"layers", ParameterKind::Whole, "2", "blocks of attention and MLP", 1, 1000},
    {"heads", ParameterKind::Whole, "4", "queries of the attention", 1, 65536},
    {"kv_heads", ParameterKind::Whole, "2", "keys and values of the attention", 1, 65536},
    {"ffn", ParameterKind::Whole, "176", "channels inside the MLP"},
    kType};

constexpr Entry kDecoderNetworks[] = {
    {"llama", "decoder for text, 1.1 billion parameters, 2023", "LlamaForCausalLM",
     kDecoderParameters, llama},
    {"llama_small", "the same decoder, small enough for a demonstration", "LlamaForCausalLM",
     kSmallParameters, llama},
};

}  // namespace

std::span<const Entry> decoder_networks() { return kDecoderNetworks; }

}  // namespace strata::zoo
