#include "probe.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "failure.h"
#include "session.h"
#include "strata/build/builder.h"
#include "strata/write/onnx.h"

namespace strata::ort {

namespace {

constexpr std::int64_t kChannels = 8, kSize = 8;

// A product of matrices, which ONNX has in all float types.
build::Var float_network(build::Builder& net) {
  const build::Var x = net.input("x", {1, kChannels, kSize, kSize});
  return net.relu("relu", net.matmul(x, net.weight("w", {kSize, kSize})));
}

// Activations in u8 and weights in i8, for which x86 has instructions.
build::Var int8_network(build::Builder& net) {
  const build::Var scale = net.number(0.05F);
  const build::Var zero = net.cast(net.number(128), DType::U8);
  const auto rounded = [&](build::Var x) {
    return net.op("DequantizeLinear", {net.op("QuantizeLinear", {x, scale, zero}), scale, zero});
  };
  std::array<float, kChannels * kChannels> weights{};
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 7) - 3;
  const build::Var w = net.op(
      "DequantizeLinear", {net.cast(net.table(weights, {kChannels, kChannels, 1, 1}), DType::I8),
                           scale, net.cast(net.number(0), DType::I8)});
  const build::Var x = net.input("x", {1, kChannels, kSize, kSize});
  return rounded(net.op("Conv", {rounded(x), w}));
}

std::string probe_model(const std::string& precision) {
  const DType dtype = precision == "fp16"   ? DType::F16
                      : precision == "bf16" ? DType::BF16
                                            : DType::F32;
  build::Builder net("Probe", dtype);
  net.output("y", precision == "int8" ? int8_network(net) : float_network(net));
  auto network = std::move(net).finish();
  if (!network) throw Failure{STRATA_FAILED, network.error().message};
  WriteOptions options;
  options.fill = [](const TensorData&, std::int64_t, std::span<std::byte> chunk) -> Status {
    std::fill(chunk.begin(), chunk.end(), std::byte{0});
    return {};
  };
  auto bytes = onnx_bytes(network->model, options);
  if (!bytes) throw Failure{STRATA_FAILED, bytes.error().message};
  return std::move(*bytes);
}

}  // namespace

void probe(const std::string& device, const std::string& precision) {
  constexpr std::string_view kPrecisions[] = {"fp32", "fp16", "bf16", "int8"};
  if (std::find(std::begin(kPrecisions), std::end(kPrecisions), precision) == std::end(kPrecisions))
    throw Failure{STRATA_UNSUPPORTED, fmt::format("there is no precision \"{}\"; there are fp32, "
                                                  "fp16, bf16, int8",
                                                  precision)};
  const std::string model = probe_model(precision);
  StrataOpen open{};
  open.size = sizeof open;
  open.model = model.data();
  open.model_bytes = model.size();
  open.device = device.c_str();
  open.threads = 1;
  open.optimization = STRATA_OPT_ALL;
  open.trace = STRATA_TRACE_TIME;
  Session session(open);
  const std::vector<std::int64_t> dims = {1, kChannels, kSize, kSize};
  const std::vector<float> zeros(kChannels * kSize * kSize);
  const StrataPort& port = session.ports().inputs()[0];
  const std::size_t bytes = zeros.size() * (port.dtype == 1 ? sizeof(float) : 2);
  const StrataTensor input = {port.name, port.dtype, 4, dims.data(), zeros.data(), bytes};
  session.bind({&input, 1});
  session.run();
  const auto& kernels = session.fusion().kernels;
  const auto runs = [&](std::string_view op) {
    return std::any_of(kernels.begin(), kernels.end(), [&](const FusedKernel& kernel) {
      return kernel.op.find(op) != kernel.op.npos;
    });
  };
  if (precision == "int8" && !runs("QLinear"))
    throw Failure{STRATA_UNSUPPORTED, "int8 convolutions run in fp32, between conversions"};
  if (precision != "int8" && runs("Cast"))
    throw Failure{
        STRATA_UNSUPPORTED,
        fmt::format("{} runs in fp32, between casts: there are no kernels for it", precision)};
}

}  // namespace strata::ort
