// GoogLeNet (Inception v1) with norms, without the auxiliary heads of training.
#include "zoo/blocks.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

// Convolution and norm as modules, then a ReLU that is not a module.
Var basic_conv(Builder& net, Var x, std::int64_t out, ConvOptions options) {
  options.bias = false;
  x = net.conv("conv", x, out, options);
  return net.relu(net.batch_norm("bn", x, {.epsilon = 1e-3F}));
}

Var basic_conv(Builder& net, std::string_view name, Var x, std::int64_t out,
               const ConvOptions& options) {
  const auto block = net.module(name, "BasicConv2d");
  return basic_conv(net, x, out, options);
}

struct Widths {
  std::int64_t one, three_in, three, five_in, five, pooled;
};

// The branch that was once called 5×5 has always been 3×3 in torchvision.
Var inception(Builder& net, std::string_view name, Var x, const Widths& widths) {
  const auto module = net.module(name, "Inception");
  const auto conv = [](std::int64_t out, const ConvOptions& options) {
    return [out, options](Builder& builder, Var input) {
      return basic_conv(builder, input, out, options);
    };
  };
  constexpr ConvOptions kThree{.kernel = 3, .pad = 1};
  const Var one = basic_conv(net, "branch1", x, widths.one, {});
  const Var three = Sequence(net, "branch2", x)
                        .block("BasicConv2d", conv(widths.three_in, {}))
                        .block("BasicConv2d", conv(widths.three, kThree))
                        .end();
  const Var five = Sequence(net, "branch3", x)
                       .block("BasicConv2d", conv(widths.five_in, {}))
                       .block("BasicConv2d", conv(widths.five, kThree))
                       .end();
  const Var pooled = Sequence(net, "branch4", x)
                         .max_pool({.kernel = 3, .stride = 1, .pad = 1, .ceil = true})
                         .block("BasicConv2d", conv(widths.pooled, {}))
                         .end();
  return net.concat({one, three, five, pooled}, 1);
}

void googlenet(Builder& net, const Arguments& arguments) {
  constexpr PoolOptions kHalf{.kernel = 3, .stride = 2, .ceil = true};
  Var x = image(net, arguments);
  x = basic_conv(net, "conv1", x, 64, {.kernel = 7, .stride = 2, .pad = 3});
  x = net.max_pool("maxpool1", x, kHalf);
  x = basic_conv(net, "conv2", x, 64, {});
  x = basic_conv(net, "conv3", x, 192, {.kernel = 3, .pad = 1});
  x = net.max_pool("maxpool2", x, kHalf);
  x = inception(net, "inception3a", x, {64, 96, 128, 16, 32, 32});
  x = inception(net, "inception3b", x, {128, 128, 192, 32, 96, 64});
  x = net.max_pool("maxpool3", x, kHalf);
  x = inception(net, "inception4a", x, {192, 96, 208, 16, 48, 64});
  x = inception(net, "inception4b", x, {160, 112, 224, 24, 64, 64});
  x = inception(net, "inception4c", x, {128, 128, 256, 24, 64, 64});
  x = inception(net, "inception4d", x, {112, 144, 288, 32, 64, 64});
  x = inception(net, "inception4e", x, {256, 160, 320, 32, 128, 128});
  x = net.max_pool("maxpool4", x, {.kernel = 2, .stride = 2, .ceil = true});
  x = inception(net, "inception5a", x, {256, 160, 320, 32, 128, 128});
  x = inception(net, "inception5b", x, {384, 192, 384, 48, 128, 128});
  x = net.flatten(net.adaptive_avg_pool("avgpool", x, 1));
  x = net.dropout("dropout", x);
  net.output("output", net.linear("fc", x, arguments.whole("classes")));
}

constexpr Entry kGooglenetNetworks[] = {
    {"googlenet", "parallel convolutions of several sizes, 2014", "GoogLeNet", kImageParameters,
     googlenet, true},
};

}  // namespace

std::span<const Entry> googlenet_networks() { return kGooglenetNetworks; }

}  // namespace strata::zoo
