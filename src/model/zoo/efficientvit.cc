// The image encoder of EfficientViT-SAM L0: convolutions at high resolution, linear
// attention at low, and a neck that sums three scales. Modules are named as in the
// authors' code.
#include "zoo/efficientvit.h"

#include <array>
#include <string_view>

#include "zoo/registry.h"

namespace strata::zoo {
namespace {

constexpr float kEpsilon = 1e-6F;         // of all norms
constexpr std::int64_t kHead = 32;        // channels of an attention head
constexpr std::int64_t kNeckWidth = 256;  // and of the embedding
constexpr std::int64_t kEmbedding = 64;   // height and width of the embedding

struct ConvLayer {
  std::int64_t kernel = 1, stride = 1, groups = 1;
  bool norm = true;  // without one the convolution has a bias
  bool act = true;
};

// Convolution, norm and GELU, the last two where they are wanted.
Var conv_layer(Builder& net, std::string_view name, Var x, std::int64_t out,
               const ConvLayer& layer) {
  const auto module = net.module(name, "ConvLayer");
  x = net.conv("conv", x, out,
               {.kernel = layer.kernel,
                .stride = layer.stride,
                .pad = layer.kernel / 2,
                .groups = layer.groups,
                .bias = !layer.norm});
  if (layer.norm) x = net.batch_norm("norm", x, {.epsilon = kEpsilon});
  return layer.act ? net.gelu_tanh("act", x) : x;
}

Var res_block(Builder& net, Var x) {
  const auto module = net.module("main", "ResBlock");
  const std::int64_t width = net.channels(x);
  x = conv_layer(net, "conv1", x, width, {.kernel = 3});
  return conv_layer(net, "conv2", x, width, {.kernel = 3, .act = false});
}

struct Expansion {
  std::int64_t factor;  // of the channels in the middle
  std::int64_t stride = 1;
};

Var fused_mb_conv(Builder& net, Var x, std::int64_t out, Expansion expansion) {
  const auto module = net.module("main", "FusedMBConv");
  const std::int64_t middle = net.channels(x) * expansion.factor;
  x = conv_layer(net, "spatial_conv", x, middle, {.kernel = 3, .stride = expansion.stride});
  return conv_layer(net, "point_conv", x, out, {.act = false});
}

Var mb_conv(Builder& net, Var x, std::int64_t out, Expansion expansion) {
  const auto module = net.module("main", "MBConv");
  const std::int64_t middle = net.channels(x) * expansion.factor;
  x = conv_layer(net, "inverted_conv", x, middle, {.norm = false});
  x = conv_layer(net, "depth_conv", x, middle,
                 {.kernel = 3, .stride = expansion.stride, .groups = middle, .norm = false});
  return conv_layer(net, "point_conv", x, out, {.act = false});
}

// softmax is replaced by a ReLU on both sides, so that keys meet values first: the
// work grows with the number of positions and not with its square.
Var linear_attention(Builder& net, Var qkv) {
  const Expr batch = net.size(qkv, 0);
  const std::int64_t h = net.number(qkv, 2);
  const std::int64_t w = net.number(qkv, 3);
  const std::int64_t heads = net.channels(qkv) / (3 * kHead);
  const auto parts = net.split(net.reshape(qkv, {batch, heads, 3 * kHead, h * w}), 2, 3);
  const Var query = net.relu("kernel_func", parts[0]);
  const Var key = net.relu("kernel_func", parts[1]);
  // A row of ones under the values gives the sums that the result is divided by.
  const Var value =
      net.op("Pad", {parts[2], net.integers({0, 0, 0, 0, 0, 0, 1, 0}), net.number(1)});
  const Var context = net.matmul(value, net.transpose(key, {0, 1, 3, 2}));
  const std::int64_t rows[] = {kHead, 1};
  const auto sums = net.split(net.matmul(context, query), 2, rows);
  // Small enough to change nothing but a division by zero, in each type.
  const Var epsilon = net.number(net.dtype() == DType::F16 ? 1e-7F : 1e-15F);
  const Var out = net.div(sums[0], net.add(sums[1], epsilon));
  return net.reshape(out, {batch, heads * kHead, h, w});
}

// Queries, keys and values as they are, and averaged over 5×5.
Var multi_scale_attention(Builder& net, Var x) {
  const auto module = net.module("main", "LiteMLA");
  const std::int64_t width = net.channels(x);
  const std::int64_t all = 3 * width;
  Var qkv, aggregated;
  {
    const auto layer = net.module("qkv", "ConvLayer");
    qkv = net.conv("conv", x, all, {.bias = false});
  }
  {
    const auto scales = net.module("aggreg", "ModuleList");
    const auto scale = net.module("0", "Sequential");
    aggregated = net.conv("0", qkv, all, {.kernel = 5, .pad = 2, .groups = all, .bias = false});
    aggregated = net.conv("1", aggregated, all, {.groups = all / kHead, .bias = false});
  }
  x = linear_attention(net, net.concat({qkv, aggregated}, 1));
  return conv_layer(net, "proj", x, width, {.act = false});
}

Var attention_block(Builder& net, std::int64_t number, Var x) {
  const auto module = net.module(number, "EfficientViTBlock");
  {
    const auto context = net.module("context_module", "ResidualBlock");
    x = net.add(multi_scale_attention(net, x), x);
  }
  const auto local = net.module("local_module", "ResidualBlock");
  return net.add(mb_conv(net, x, net.channels(x), {6}), x);
}

enum class Kind : std::uint8_t { Fused, Separate, Attention };

struct Stage {
  std::string_view name;  // in its list
  std::int64_t width;
  Kind kind;
  std::int64_t blocks;  // after the one that halves the map
  std::int64_t expand;
};
constexpr Stage kStages[] = {{"1", 64, Kind::Fused, 1, 4},
                             {"2", 128, Kind::Fused, 1, 4},
                             {"3", 256, Kind::Separate, 4, 4},
                             {"4", 512, Kind::Attention, 4, 6}};

// The first block halves the map, widens it and has no shortcut.
Var residual_block(Builder& net, std::int64_t number, Var x, const Stage& stage) {
  const auto block = net.module(number, "ResidualBlock");
  const bool first = number == 0;
  const Expansion expansion{first ? 4 * stage.expand : stage.expand, first ? 2 : 1};
  const Var y = stage.kind == Kind::Fused ? fused_mb_conv(net, x, stage.width, expansion)
                                          : mb_conv(net, x, stage.width, expansion);
  return first ? y : net.add(y, x);
}

// The outputs of the last three stages.
std::array<Var, 3> backbone(Builder& net, Var x) {
  const auto module = net.module("backbone", "EfficientViTLargeBackbone");
  const auto stages = net.module("stages", "ModuleList");
  {
    const auto first = net.module("0", "OpSequential");
    const auto list = net.module("op_list", "ModuleList");
    x = conv_layer(net, "0", x, 32, {.kernel = 3, .stride = 2});
    const auto block = net.module("1", "ResidualBlock");
    x = net.add(res_block(net, x), x);
  }
  std::array<Var, 4> outputs;
  for (std::size_t s = 0; s < outputs.size(); ++s) {
    const Stage& stage = kStages[s];
    const auto sequence = net.module(stage.name, "OpSequential");
    const auto list = net.module("op_list", "ModuleList");
    for (std::int64_t i = 0; i <= stage.blocks; ++i)
      x = i > 0 && stage.kind == Kind::Attention ? attention_block(net, i, x)
                                                 : residual_block(net, i, x, stage);
    outputs[s] = x;
  }
  return {outputs[1], outputs[2], outputs[3]};
}

// A 1×1 convolution, and the map brought to the embedding's size.
Var neck_input(Builder& net, std::int64_t number, Var x) {
  const auto sequence = net.module(number, "OpSequential");
  const auto list = net.module("op_list", "ModuleList");
  x = conv_layer(net, "0", x, kNeckWidth, {.act = false});
  if (net.number(x, 2) == kEmbedding && net.number(x, 3) == kEmbedding) return x;
  const auto upsample = net.module("1", "UpSampleLayer");
  return net.resize(x, kEmbedding, "cubic");
}

Var neck(Builder& net, const std::array<Var, 3>& features) {
  const auto module = net.module("neck", "SamNeck");
  std::array<Var, 3> scales;
  {
    const auto inputs = net.module("input_ops", "ModuleList");
    for (std::size_t i = 0; i < scales.size(); ++i)
      scales[i] = neck_input(net, static_cast<std::int64_t>(i), features[2 - i]);
  }
  Var x = net.add(net.add(scales[0], scales[1]), scales[2]);
  {
    const auto sequence = net.module("middle", "OpSequential");
    const auto list = net.module("op_list", "ModuleList");
    for (std::int64_t i = 0; i < 4; ++i) {
      const auto block = net.module(i, "ResidualBlock");
      x = net.add(fused_mb_conv(net, x, kNeckWidth, {1}), x);
    }
  }
  const auto outputs = net.module("output_ops", "ModuleList");
  const auto sequence = net.module("0", "OpSequential");
  const auto list = net.module("op_list", "ModuleList");
  return conv_layer(net, "0", x, kNeckWidth, {.norm = false, .act = false});
}

// Over the channels of each position.
Var layer_norm_2d(Builder& net, std::string_view name, Var x) {
  const auto module = net.module(name, "LayerNorm2d");
  const std::int64_t width = net.channels(x);
  const Var centred = net.sub(x, net.mean(x, {1}, true));
  const Var variance = net.mean(net.mul(centred, centred), {1}, true);
  x = net.div(centred, net.op("Sqrt", {net.add(variance, net.number(kEpsilon))}));
  const Var gain = net.unsqueeze(net.weight("weight", {width}), {1, 2});
  const Var shift = net.unsqueeze(net.weight("bias", {width}), {1, 2});
  return net.add(net.mul(x, gain), shift);
}

void efficientvit_sam_l0(Builder& net, const Arguments& arguments) {
  const Var embedding = neck(net, backbone(net, image(net, arguments)));
  net.output("image_embeddings", layer_norm_2d(net, "norm", embedding));
}

constexpr Parameter kEfficientvitParameters[] = {
    kBatch,
    {"resolution", ParameterKind::Whole, "512", "height and width of the image", 192, 65536},
    kType};

constexpr Entry kEfficientvitNetworks[] = {
    {"efficientvit_sam_l0", "image encoder for segmentation, linear attention, 2024",
     "EfficientViTSamImageEncoder", kEfficientvitParameters, efficientvit_sam_l0},
};

// The authors' classifiers have the encoder's backbone and a head instead of the neck.
constexpr std::string_view kBlockRoots[] = {kEfficientvitNetworks[0].cls, "EfficientViTCls"};
constexpr BlockScheme::Name kBlockStages[] = {{"backbone.stages.0", "stage0"},
                                              {"backbone.stages.1", "stage1"},
                                              {"backbone.stages.2", "stage2"},
                                              {"backbone.stages.3", "stage3"},
                                              {"backbone.stages.4", "stage4"},
                                              {"neck", "neck"},
                                              {"head", "head"}};
constexpr std::string_view kContainers[] = {"ModuleList", "OpSequential", "SamNeck", "ClsHead"};
constexpr BlockScheme::Name kBlockKinds[] = {{"ConvLayer", "independent"},
                                             {"ResBlock", "res"},
                                             {"FusedMBConv", "fmb"},
                                             {"MBConv", "mb"},
                                             {"EfficientViTBlock", "att"}};

}  // namespace

const BlockScheme& efficientvit_blocks() {
  static constexpr BlockScheme kScheme = {kBlockRoots, kBlockStages, kContainers, kBlockKinds};
  return kScheme;
}

std::span<const Entry> efficientvit_networks() { return kEfficientvitNetworks; }

}  // namespace strata::zoo
