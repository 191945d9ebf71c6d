#include "probe.h"

#include <algorithm>

#include <fmt/format.h>

#include "engines/plugin_probe.h"
#include "failure.h"
#include "session.h"

namespace strata::ort {

void probe(const std::string& device, const std::string& precision) {
  const std::string model = plugin::probe_model(plugin::probe_type(precision));
  Session session(plugin::probe_options(model, device));
  plugin::run_probe(session);
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
