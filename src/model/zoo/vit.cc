// Vision Transformer: an image as a sequence of patches.
#include <cmath>

#include <fmt/format.h>

#include "zoo/blocks.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

constexpr NormOptions kNorm = {.epsilon = 1e-6F};

// torch.nn.MultiheadAttention of a sequence with itself. Its projections are not modules that run:
// the module reads their weights.
Var self_attention(Builder& net, Var x, std::int64_t heads) {
  const auto module = net.module("self_attention", "MultiheadAttention");
  const Expr batch = net.size(x, 0);
  const Expr length = net.size(x, 1);
  const std::int64_t width = net.number(x, 2);
  const std::int64_t head = width / heads;
  x = projection(net, x, "in_proj_weight", "in_proj_bias", 3 * width);
  const auto parts = net.split(x, 2, 3);
  const auto by_head = [&](Var part, std::initializer_list<std::int64_t> order) {
    return net.transpose(net.reshape(part, {batch, length, heads, head}), order);
  };
  const float scale = 1 / std::sqrt(static_cast<float>(head));
  Var query = by_head(parts[0], {0, 2, 1, 3});
  query = net.mul(query, net.number(scale));
  const Var key = by_head(parts[1], {0, 2, 3, 1});
  const Var value = by_head(parts[2], {0, 2, 1, 3});
  const Var mixed = net.matmul(net.softmax(net.matmul(query, key), -1), value);
  x = net.reshape(net.transpose(mixed, {0, 2, 1, 3}), {batch, length, width});
  return projection(net, x, "out_proj.weight", "out_proj.bias", width);
}

Var encoder_block(Builder& net, std::string_view name, Var x, std::int64_t heads,
                  std::int64_t hidden) {
  const auto block = net.module(name, "EncoderBlock");
  const std::int64_t width = net.number(x, 2);
  const Var attended = self_attention(net, net.layer_norm("ln_1", x, kNorm), heads);
  x = net.add(net.dropout("dropout", attended), x);
  Var y = net.layer_norm("ln_2", x, kNorm);
  {
    const auto mlp = net.module("mlp", "MLPBlock");
    y = net.gelu("1", net.linear("0", y, hidden));
    y = net.dropout("4", net.linear("3", net.dropout("2", y), width));
  }
  return net.add(x, y);
}

void vit(Builder& net, const Arguments& arguments) {
  const std::int64_t side = arguments.whole("resolution");
  const std::int64_t patch = arguments.whole("patch");
  const std::int64_t width = arguments.whole("width");
  const std::int64_t heads = arguments.whole("heads");
  if (side % patch != 0)
    return net.fail(fmt::format("patches of {} do not divide an image of {}", patch, side));
  if (width % heads != 0)
    return net.fail(fmt::format("{} heads do not divide a width of {}", heads, width));

  Var x = image(net, arguments);
  const Expr batch = net.size(x, 0);
  const std::int64_t patches = (side / patch) * (side / patch);
  x = net.conv("conv_proj", x, width, {.kernel = patch, .stride = patch});
  x = net.transpose(net.reshape(x, {batch, width, patches}), {0, 2, 1});
  const Var sizes = batch.is_number() ? net.integers({batch.value(), 1, width})
                                      : net.concat({net.length(x, 0), net.integers({1, width})}, 0);
  const Var token = net.op("Expand", {net.weight("class_token", {1, 1, width}), sizes});
  x = net.concat({token, x}, 1);
  {
    const auto encoder = net.module("encoder", "Encoder");
    x = net.add(x, net.weight("pos_embedding", {1, patches + 1, width}));
    x = net.dropout("dropout", x);
    {
      const auto layers = net.module("layers", "Sequential");
      for (std::int64_t i = 0; i < arguments.whole("layers"); ++i)
        x = encoder_block(net, fmt::format("encoder_layer_{}", i), x, heads,
                          arguments.whole("mlp"));
    }
    x = net.layer_norm("ln", x, kNorm);
  }
  x = net.gather(x, net.integer(0), 1);
  const auto head = net.module("heads", "Sequential");
  net.output("output", net.linear("head", x, arguments.whole("classes")));
}

constexpr Parameter kVitParameters[] = {
    kBatch,
    kResolution,
    kClasses,
    {"patch", ParameterKind::Whole, "16", "height and width of a patch", 1, 65536},
    {"width", ParameterKind::Whole, "768", "channels of the sequence"},
    {"layers", ParameterKind::Whole, "12", "blocks of attention and MLP", 1, 1000},
    {"heads", ParameterKind::Whole, "12", "of the attention", 1, 65536},
    {"mlp", ParameterKind::Whole, "3072", "channels inside the MLP"},
    kType};

constexpr Entry kVitNetworks[] = {
    {"vit_b_16", "vision transformer on patches of 16×16, 2020", "VisionTransformer",
     kVitParameters, vit},
};

}  // namespace

std::span<const Entry> vit_networks() { return kVitNetworks; }

}  // namespace strata::zoo
