// For plugins: a small network that finds out whether a precision works.
#pragma once

#include <string>
#include <vector>

#include "strata/engine/plugin.h"
#include "strata/graph/dtype.h"

namespace strata::plugin {

inline constexpr std::int64_t kProbeChannels = 8, kProbeSize = 8;

// fp32, fp16, bf16 or int8 as a type; throws Failure for any other word.
DType probe_type(const std::string& precision);

// An ONNX file: a product of matrices with elements of this type or, for I8, a convolution in fp32
// between QuantizeLinear and DequantizeLinear.
std::string probe_model(DType dtype);

// Options to open it with; they point into the arguments.
StrataOpen probe_options(const std::string& model, const std::string& device);

// Runs it once, on zeros.
template <class Session>
void run_probe(Session& session) {
  const std::vector<std::int64_t> dims = {1, kProbeChannels, kProbeSize, kProbeSize};
  const std::vector<float> zeros(kProbeChannels * kProbeSize * kProbeSize);
  const StrataPort& port = session.inputs()[0];
  const bool is_float = port.dtype == static_cast<std::int32_t>(DType::F32);
  const StrataTensor input = {port.name,   port.dtype,   4,
                              dims.data(), zeros.data(), zeros.size() * (is_float ? 4 : 2)};
  session.bind({&input, 1});
  session.run();
}

}  // namespace strata::plugin
