#include "plugin_probe.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engines/plugin_result.h"
#include "strata/build/builder.h"
#include "strata/write/onnx.h"

namespace strata::plugin {

namespace {

// A product of matrices, which ONNX has in all float types.
build::Var float_network(build::Builder& net) {
  const build::Var x = net.input("x", {1, kProbeChannels, kProbeSize, kProbeSize});
  return net.relu("relu", net.matmul(x, net.weight("w", {kProbeSize, kProbeSize})));
}

// Activations in u8 and weights in i8, for which x86 has instructions.
build::Var int8_network(build::Builder& net) {
  const build::Var scale = net.number(0.05F);
  const build::Var zero = net.cast(net.number(128), DType::U8);
  const auto rounded = [&](build::Var x) {
    return net.op("DequantizeLinear", {net.op("QuantizeLinear", {x, scale, zero}), scale, zero});
  };
  std::array<float, kProbeChannels * kProbeChannels> weights{};
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 7) - 3;
  const build::Var table = net.table(weights, {kProbeChannels, kProbeChannels, 1, 1});
  const build::Var w = net.op(
      "DequantizeLinear", {net.cast(table, DType::I8), scale, net.cast(net.number(0), DType::I8)});
  const build::Var x = net.input("x", {1, kProbeChannels, kProbeSize, kProbeSize});
  return rounded(net.op("Conv", {rounded(x), w}));
}

}  // namespace

DType probe_type(const std::string& precision) {
  if (precision == "fp32") return DType::F32;
  if (precision == "fp16") return DType::F16;
  if (precision == "bf16") return DType::BF16;
  if (precision == "int8") return DType::I8;
  throw Failure{
      STRATA_UNSUPPORTED,
      fmt::format("there is no precision \"{}\"; there are fp32, fp16, bf16, int8", precision)};
}

std::string probe_model(DType dtype) {
  const bool int8 = dtype == DType::I8;
  build::Builder net("Probe", int8 ? DType::F32 : dtype);
  net.output("y", int8 ? int8_network(net) : float_network(net));
  const auto network = value_or_throw(std::move(net).finish());
  WriteOptions options;
  options.fill = [](const TensorData&, std::int64_t, std::span<std::byte> chunk) -> Status {
    std::fill(chunk.begin(), chunk.end(), std::byte{0});
    return {};
  };
  return value_or_throw(onnx_bytes(network.model, options));
}

StrataOpen probe_options(const std::string& model, const std::string& device) {
  StrataOpen open{};
  open.size = sizeof open;
  open.model = model.data();
  open.model_bytes = model.size();
  open.device = device.c_str();
  open.threads = 1;
  open.optimization = STRATA_OPT_ALL;
  open.trace = STRATA_TRACE_TIME;
  return open;
}

}  // namespace strata::plugin
