#include "strata/measure/runs_in.h"

#include "strata/base/text_map.h"

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
  if (!session) return failure(session);
  auto kernels = session->plan();
  if (!kernels) return failure(kernels);
  return KernelPlan{std::move(*kernels), session->absent()};
}

bool only_converts(std::string_view op) {
  return op == "QuantizeLinear" || op == "DequantizeLinear" || op == "DynamicQuantizeLinear" ||
         op == "Cast";
}

namespace {

// Rates how likely it is that this kernel, one of several that share the work, does the node's
// part.
int likeness(const Kernel& kernel, const Node& node) {
  if (std::string_view(kernel.op).ends_with(node.op)) return 3;
  if (precision_name(kernel.dtype).empty()) return 0;
  return only_converts(kernel.op) || kernel.op == "Transpose" ? 1 : 2;
}

}  // namespace

std::vector<NodeKernel> kernels_of_nodes(const Model& model, const KernelPlan& plan) {
  const std::vector<std::string> keys = node_keys(model);
  std::vector<Node> nodes;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) nodes.push_back(node);
  TextMap<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < keys.size(); ++i) places.emplace(keys[i], i);
  std::vector<NodeKernel> found(keys.size());
  std::vector<int> best(keys.size(), -1);
  for (const Kernel& kernel : plan.kernels)
    for (const std::string& source : kernel.sources) {
      const auto place = places.find(source);
      if (place == places.end()) continue;
      const int own = likeness(kernel, nodes[place->second]);
      if (own <= best[place->second]) continue;
      best[place->second] = own;
      found[place->second] = {kernel.name, kernel.op, kernel.dtype, ""};
    }
  for (const Session::Absent& absent : plan.absent)
    if (const auto place = places.find(absent.node); place != places.end())
      found[place->second].absent = absent.reason;
  return found;
}

}  // namespace strata
