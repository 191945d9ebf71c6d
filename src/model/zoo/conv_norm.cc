#include "zoo/conv_norm.h"

namespace strata::zoo {

Var activation(Builder& net, std::string_view name, Var x, Act act) {
  switch (act) {
    case Act::None:
      return x;
    case Act::Relu:
      return net.relu(name, x);
    case Act::Relu6:
      return net.relu6(name, x);
    case Act::Silu:
      return net.silu(name, x);
    case Act::Hardswish:
      return net.hardswish(name, x);
    case Act::Sigmoid:
      return net.sigmoid(name, x);
    case Act::Hardsigmoid: {
      const auto leaf = net.module(name, "Hardsigmoid");
      return net.op("HardSigmoid", {x}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
    }
  }
  return x;
}

Var conv_norm_act(Builder& net, Var x, std::int64_t out, ConvOptions options,
                  const NormAct& style) {
  options.pad = (options.kernel.h - 1) / 2;
  options.bias = false;
  x = net.conv("0", x, out, options);
  x = net.batch_norm("1", x, {.epsilon = style.epsilon});
  return activation(net, "2", x, style.act);
}

Var squeeze_excitation(Builder& net, Var x, const Squeeze& squeeze) {
  Var scale = net.adaptive_avg_pool("avgpool", x, 1);
  scale = net.conv("fc1", scale, squeeze.channels);
  scale = activation(net, "activation", scale, squeeze.act);
  scale = net.conv("fc2", scale, net.channels(x));
  scale = activation(net, "scale_activation", scale, squeeze.gate);
  return net.mul(scale, x);
}

Var stochastic_depth(Builder& net, Var x) {
  const auto module = net.module("stochastic_depth", "StochasticDepth");
  return net.op("Dropout", {x});
}

}  // namespace strata::zoo
