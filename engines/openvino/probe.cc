#include "probe.h"

#include <algorithm>

#include <fmt/format.h>

#include "engines/plugin_probe.h"
#include "failure.h"
#include "session.h"

namespace strata::openvino {

void probe(const std::string& device, const std::string& precision) {
  const DType dtype = plugin::probe_type(precision);
  const bool int8 = dtype == DType::I8;
  const std::string model = plugin::probe_model(int8 ? dtype : DType::F32);
  StrataOpen open = plugin::probe_options(model, device);
  open.precision = precision.c_str();
  Session session(open);
  plugin::run_probe(session);
  const auto& kernels = session.graph().kernels;
  const auto wanted = [&](std::int32_t type) {
    if (int8)
      return type == static_cast<std::int32_t>(DType::I8) ||
             type == static_cast<std::int32_t>(DType::U8);
    return type == static_cast<std::int32_t>(dtype);
  };
  const std::string_view work = int8 ? "Convolution" : "";
  const bool runs = std::any_of(kernels.begin(), kernels.end(), [&](const RunningKernel& kernel) {
    const bool counts =
        work.empty() ? kernel.op == "FullyConnected" || kernel.op == "MatMul" : kernel.op == work;
    return counts && wanted(kernel.types.computes_in);
  });
  if (!runs)
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("{} runs in another precision on this processor", precision)};
}

}  // namespace strata::openvino
