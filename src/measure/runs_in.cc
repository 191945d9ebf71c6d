#include "strata/measure/runs_in.h"

#include <unordered_map>

namespace strata {

std::string_view precision_name(DType type) {
  switch (type) {
    case DType::F32:
      return "fp32";
    case DType::F64:
      return "fp64";
    case DType::F16:
      return "fp16";
    case DType::BF16:
      return "bf16";
    case DType::I8:
    case DType::U8:
      return "int8";
    case DType::I4:
    case DType::U4:
      return "int4";
    default:
      return is_float(type) ? "fp8" : "";
  }
}

Result<KernelPlan> plan_kernels(const Engine& engine, const ModelSource& model,
                                SessionOptions options) {
  options.trace_time = true;
  auto session =
      model.path.empty() ? engine.open(model.bytes, options) : engine.open(model.path, options);
  if (!session) return tl::unexpected(session.error());
  auto kernels = session->plan();
  if (!kernels) return tl::unexpected(kernels.error());
  return KernelPlan{std::move(*kernels), session->absent()};
}

std::vector<NodeKernel> kernels_of_nodes(const Model& model, const KernelPlan& plan) {
  const std::vector<std::string> keys = node_keys(model);
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < keys.size(); ++i) places.emplace(keys[i], i);
  std::vector<NodeKernel> nodes(keys.size());
  for (const Kernel& kernel : plan.kernels)
    for (const std::string& source : kernel.sources) {
      const auto found = places.find(source);
      if (found == places.end()) continue;
      NodeKernel& node = nodes[found->second];
      if (!node.kernel.empty() && !precision_name(node.dtype).empty()) continue;
      node = {kernel.name, kernel.op, kernel.dtype, ""};
    }
  for (const Session::Absent& absent : plan.absent)
    if (const auto found = places.find(absent.node); found != places.end())
      nodes[found->second].absent = absent.reason;
  return nodes;
}

}  // namespace strata
