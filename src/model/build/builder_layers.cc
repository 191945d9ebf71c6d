// The builder's layers: how each torch.nn module is written in ONNX.
#include <array>

#include <fmt/format.h>

#include "strata/build/builder.h"

namespace strata::build {

namespace {

// Begin and end of both axes, in the order of ONNX's `pads`.
std::array<std::int64_t, 4> both_ends(Pair pad) { return {pad.h, pad.w, pad.h, pad.w}; }
std::array<std::int64_t, 2> sizes(Pair pair) { return {pair.h, pair.w}; }

}  // namespace

Var Builder::conv(std::string_view name, Var x, std::int64_t out, const ConvOptions& options) {
  const auto leaf = module(name, "Conv2d");
  const std::int64_t in = channels(x);
  if (options.groups < 1 || in % options.groups != 0 || out % options.groups != 0) {
    fail(fmt::format("convolution \"{}\": {} groups do not divide {} and {} channels", name,
                     options.groups, in, out));
    return {};
  }
  const Var w = weight("weight", {out, in / options.groups, options.kernel.h, options.kernel.w});
  const auto kernel = sizes(options.kernel);
  const auto stride = sizes(options.stride);
  const auto dilation = sizes(options.dilation);
  const auto pads = both_ends(options.pad);
  const Setting settings[] = {{"dilations", dilation},
                              {"group", options.groups},
                              {"kernel_shape", kernel},
                              {"pads", pads},
                              {"strides", stride}};
  if (!options.bias) return op("Conv", std::array{x, w}, settings);
  return op("Conv", std::array{x, w, weight("bias", {out})}, settings);
}

Var Builder::batch_norm(std::string_view name, Var x, const NormOptions& options) {
  const auto leaf = module(name, options.cls.empty() ? "BatchNorm2d" : options.cls);
  const std::int64_t width = channels(x);
  const Var gain = weight("weight", {width});
  const Var shift = weight("bias", {width});
  const Var mean = weight("running_mean", {width});
  const Var variance = weight("running_var", {width});
  return op("BatchNormalization", {x, gain, shift, mean, variance},
            {{"epsilon", options.epsilon}, {"momentum", 0.9}});
}

Var Builder::layer_norm(std::string_view name, Var x, const NormOptions& options) {
  const auto leaf = module(name, options.cls.empty() ? "LayerNorm" : options.cls);
  const std::int64_t width = number(x, -1);
  const Var gain = weight("weight", {width});
  return op("LayerNormalization", {x, gain, weight("bias", {width})},
            {{"axis", -1}, {"epsilon", options.epsilon}});
}

// Squares of half-precision numbers easily overflow, so they are computed in f32.
Var Builder::rms_norm(std::string_view name, Var x, const NormOptions& options) {
  const auto leaf = module(name, options.cls.empty() ? "RMSNorm" : options.cls);
  const bool narrow = dtype() != DType::F32;
  const Var wide = narrow ? cast(x, DType::F32) : x;
  const Var epsilon = op("Constant", {}, {{"value_float", options.epsilon}});
  const Var square = mean(mul(wide, wide), {-1}, true);
  const Var scaled = div(wide, op("Sqrt", {add(square, epsilon)}));
  return mul(narrow ? cast(scaled, dtype()) : scaled, weight("weight", {number(x, -1)}));
}

// With two axes, one Gemm. With more, a MatMul with the transposed stored weight, and a sum, as
// exporters write it.
Var Builder::linear(std::string_view name, Var x, std::int64_t out, bool bias) {
  const auto leaf = module(name, "Linear");
  const std::int64_t in = number(x, -1);
  if (shape(x).size() == 2) {
    const Var w = weight("weight", {out, in});
    if (!bias) return op("Gemm", {x, w}, {{"transB", 1}});
    return op("Gemm", {x, w, weight("bias", {out})}, {{"transB", 1}});
  }
  const Var w = op("Transpose", {weight("weight", {out, in})}, {{"perm", {1, 0}}});
  x = matmul(x, w);
  return bias ? add(weight("bias", {out}), x) : x;
}

Var Builder::embedding(std::string_view name, Var ids, std::int64_t entries, std::int64_t width) {
  const auto leaf = module(name, "Embedding");
  return gather(weight("weight", {entries, width}), ids, 0);
}

Var Builder::activation(std::string_view name, std::string_view cls, std::string_view op_name,
                        Var x) {
  const auto leaf = module(name, cls);
  return op(op_name, {x});
}

Var Builder::relu(std::string_view name, Var x) { return activation(name, "ReLU", "Relu", x); }
Var Builder::sigmoid(std::string_view name, Var x) {
  return activation(name, "Sigmoid", "Sigmoid", x);
}
Var Builder::hardswish(std::string_view name, Var x) {
  return activation(name, "Hardswish", "HardSwish", x);
}
Var Builder::identity(std::string_view name, Var x) {
  return activation(name, "Identity", "Identity", x);
}
Var Builder::dropout(std::string_view name, Var x) {
  return activation(name, "Dropout", "Dropout", x);
}

Var Builder::relu6(std::string_view name, Var x) {
  const auto leaf = module(name, "ReLU6");
  return op("Clip", {x, bound(0), bound(6)});
}

Var Builder::silu(std::string_view name, Var x) {
  const auto leaf = module(name, "SiLU");
  return mul(x, sigmoid(x));
}

// One operation per statement: C++ does not specify which argument of a call is evaluated first,
// and every compiler should produce the same nodes.
Var Builder::gelu(std::string_view name, Var x) {
  const auto leaf = module(name, "GELU");
  constexpr float kRootOfTwo = 1.41421356F;
  const Var erf = op("Erf", {div(x, number(kRootOfTwo))});
  const Var scaled = mul(x, add(erf, number(1)));
  return mul(scaled, number(0.5F));
}

Var Builder::gelu_tanh(std::string_view name, Var x) {
  const auto leaf = module(name, "GELU");
  constexpr float kRootOfTwoOverPi = 0.797884561F;
  const Var cube = mul(mul(x, x), x);
  const Var sum = add(x, mul(cube, number(0.044715F)));
  const Var tanh = op("Tanh", {mul(sum, number(kRootOfTwoOverPi))});
  const Var scaled = mul(x, add(tanh, number(1)));
  return mul(scaled, number(0.5F));
}

Var Builder::pool(std::string_view op_name, Var x, const PoolOptions& options) {
  const auto kernel = sizes(options.kernel);
  const auto stride = sizes(options.stride);
  const auto pads = both_ends(options.pad);
  const int ceil = options.ceil ? 1 : 0;
  if (op_name == "MaxPool")
    return op(op_name, {x},
              {{"ceil_mode", ceil}, {"kernel_shape", kernel}, {"pads", pads}, {"strides", stride}});
  return op(op_name, {x},
            {{"ceil_mode", ceil},
             {"count_include_pad", options.count_padding ? 1 : 0},
             {"kernel_shape", kernel},
             {"pads", pads},
             {"strides", stride}});
}

Var Builder::max_pool(Var x, const PoolOptions& options) { return pool("MaxPool", x, options); }
Var Builder::avg_pool(Var x, const PoolOptions& options) { return pool("AveragePool", x, options); }
Var Builder::max_pool(std::string_view name, Var x, const PoolOptions& options) {
  const auto leaf = module(name, "MaxPool2d");
  return max_pool(x, options);
}
Var Builder::avg_pool(std::string_view name, Var x, const PoolOptions& options) {
  const auto leaf = module(name, "AvgPool2d");
  return avg_pool(x, options);
}

// If the windows divide the input evenly, it is an ordinary pool (without stated padding, as
// exporters write it and readers recognise it); ONNX has no operator for other windows.
Var Builder::adaptive_avg_pool(Var x, Pair out) {
  if (out.h == 1 && out.w == 1) return op("GlobalAveragePool", {x});
  const std::int64_t h = number(x, 2);
  const std::int64_t w = number(x, 3);
  if (h % out.h != 0 || w % out.w != 0) {
    fail(
        fmt::format("an average over {}×{} to {}×{} has windows of several sizes, which ONNX has "
                    "no operator for; choose a resolution that divides",
                    h, w, out.h, out.w));
    return {};
  }
  const auto window = sizes({h / out.h, w / out.w});
  return op("AveragePool", {x}, {{"kernel_shape", window}, {"strides", window}});
}

Var Builder::adaptive_avg_pool(std::string_view name, Var x, Pair out) {
  const auto leaf = module(name, "AdaptiveAvgPool2d");
  return adaptive_avg_pool(x, out);
}

}  // namespace strata::build
