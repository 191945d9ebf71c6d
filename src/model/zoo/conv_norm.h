// Blocks of torchvision.ops that its newer networks are made of: convolution, norm and activation;
// squeeze and excitation.
#pragma once

#include <cstdint>
#include <string_view>

#include "strata/zoo/zoo.h"

namespace strata::zoo {

enum class Act : std::uint8_t { None, Relu, Relu6, Silu, Hardswish, Sigmoid, Hardsigmoid };
// Adds a module of this name; None adds nothing.
Var activation(Builder& net, std::string_view name, Var x, Act act);

struct NormAct {
  Act act = Act::Relu;
  float epsilon = 1e-5F;  // of the norm
};
// The three layers, named 0, 1 and 2, in the open module. The convolution has no bias and keeps the
// size of the image, except for its stride.
Var conv_norm_act(Builder& net, Var x, std::int64_t out, ConvOptions options, const NormAct& style);

// Like above, as a module whose name is a text or a number.
template <class Name>
Var conv_norm_act(Builder& net, Name name, Var x, std::int64_t out, const ConvOptions& options,
                  const NormAct& style) {
  const auto block = net.module(name, "Conv2dNormActivation");
  return conv_norm_act(net, x, out, options, style);
}

struct Squeeze {
  std::int64_t channels;  // between the two layers
  Act act = Act::Relu;
  Act gate = Act::Sigmoid;
};
// Scales every channel by a number that two layers make from the averages of all channels.
Var squeeze_excitation(Builder& net, Var x, const Squeeze& squeeze);

template <class Name>
Var squeeze_excitation(Builder& net, Name name, Var x, const Squeeze& squeeze) {
  const auto block = net.module(name, "SqueezeExcitation");
  return squeeze_excitation(net, x, squeeze);
}

// A dropout of whole samples: returns its input except in training.
Var stochastic_depth(Builder& net, Var x);

}  // namespace strata::zoo
