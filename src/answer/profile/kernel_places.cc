#include "profile/kernel_places.h"

#include <algorithm>
#include <tuple>

#include "strata/measure/runs_in.h"

namespace strata {

namespace {

double work_of(const Executed& executed) {
  const auto number = [](const Expr& e) {
    return e.evaluate([](std::string_view) { return std::optional(1.0); }).value_or(0);
  };
  // MACs decide; among nodes without any, other arithmetic.
  return 1e6 * number(executed.cost->macs) + number(executed.cost->flops());
}

// In the order in which they are shown: the narrowest first.
constexpr std::string_view kPrecisionNames[] = {"int4", "int8", "fp8", "fp16",
                                                "bf16", "fp32", "fp64"};

PrecisionSet precision_bit(DType type) {
  const std::string_view name = precision_name(type);
  for (std::size_t i = 0; i < std::size(kPrecisionNames); ++i)
    if (kPrecisionNames[i] == name) return static_cast<PrecisionSet>(1U << i);
  return 0;
}

}  // namespace

SourceNodes::SourceNodes(const Analysis& a) : analysis_(a), layer_of_(a.costs.nodes.size(), kNone) {
  const std::vector<std::string> keys = node_keys(*a.model);
  std::unordered_map<const Graph*, std::size_t> first;
  std::size_t next = 0;
  for (const Graph& graph : a.model->graphs) {
    first.emplace(&graph, next);
    next += graph.nodes.size();
  }
  for (std::uint32_t i = 0; i < a.costs.nodes.size(); ++i) {
    const Executed& executed = a.costs.nodes[i];
    places_.emplace(keys[first.at(executed.graph) + executed.node], i);
  }
  for (std::uint32_t l = 0; l < a.layers.list.size(); ++l)
    for (const std::uint32_t node : a.layers.nodes_of(a.layers.list[l])) layer_of_[node] = l;
}

std::uint32_t SourceNodes::find(const std::string& key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? kNone : found->second;
}

std::uint32_t SourceNodes::main_source(const Kernel& kernel) const {
  const auto& nodes = analysis_.costs.nodes;
  std::uint32_t main = kNone;
  // A conversion is never the main work; of two nodes that do as much, the first to run is.
  const auto rank = [&](std::uint32_t node) {
    return std::tuple(!only_converts(nodes[node].get().op), work_of(nodes[node]), ~node);
  };
  for (const std::string& source : kernel.sources) {
    const std::uint32_t node = find(source);
    if (node != kNone && (main == kNone || rank(node) > rank(main))) main = node;
  }
  return main;
}

PlacedKernels place_kernels(const Analysis& a, const SourceNodes& nodes,
                            std::span<const Kernel* const> kernels,
                            std::span<const Session::Absent> absent) {
  PlacedKernels out;
  std::vector<std::uint32_t>& counts_at = out.counts_at;
  counts_at.resize(a.costs.nodes.size(), kNone);
  std::vector<bool> has_kernel(a.layers.list.size());
  for (const Kernel* kernel : kernels) {
    const std::uint32_t main = out.main.emplace_back(nodes.main_source(*kernel));
    if (main == kNone) continue;
    has_kernel[nodes.layer_of(main)] = true;
    for (const std::string& source : kernel->sources)
      if (const std::uint32_t node = nodes.find(source); node != kNone) counts_at[node] = main;
  }
  std::vector<const std::string*> reasons(a.costs.nodes.size(), nullptr);
  for (const Session::Absent& missing : absent)
    if (const std::uint32_t node = nodes.find(missing.node); node != kNone)
      reasons[node] = &missing.reason;
  for (const auto& [key, node] : nodes.all())
    if (counts_at[node] == kNone && reasons[node] == nullptr) out.unassigned.push_back(key);
  std::sort(out.unassigned.begin(), out.unassigned.end());

  out.instead.resize(a.layers.list.size());
  out.fused.resize(a.layers.list.size());
  for (std::uint32_t l = 0; l < a.layers.list.size(); ++l) {
    if (has_kernel[l]) continue;
    const Layer& layer = a.layers.list[l];
    // The entry of its main node goes before the rest, and a kernel before a reason.
    std::uint32_t home = counts_at[layer.main];
    const std::string* reason = reasons[layer.main];
    for (const std::uint32_t node : a.layers.nodes_of(layer)) {
      if (home == kNone) home = counts_at[node];
      if (reason == nullptr) reason = reasons[node];
    }
    out.fused[l] = home != kNone;
    if (home != kNone)
      out.instead[l] = layer_path(*a.model, a.costs, a.layers.list[nodes.layer_of(home)]);
    else if (reason != nullptr)
      out.instead[l] = *reason;
  }
  return out;
}

void use_precisions(Analysis& a, const SourceNodes& nodes, std::span<const Kernel* const> kernels) {
  for (const Kernel* kernel : kernels) {
    const PrecisionSet bit = precision_bit(kernel->dtype);
    if (bit == 0 || kernel->kind != KernelKind::Compute) continue;
    for (const std::string& source : kernel->sources) {
      const std::uint32_t node = nodes.find(source);
      if (node == kNone) continue;
      const bool converts = only_converts(a.costs.nodes[node].get().op);
      // Beside a kernel that computes, one that converts may share its list of nodes.
      if (only_converts(kernel->op) && !converts) continue;
      a.by_node[node].edit().precisions |= bit;
      if (!converts) a.by_layer[nodes.layer_of(node)].edit().precisions |= bit;
    }
  }
}

std::string precision_text(PrecisionSet precisions) {
  std::string text;
  for (std::size_t i = 0; i < std::size(kPrecisionNames); ++i)
    if (((precisions >> i) & 1U) != 0)
      text += (text.empty() ? "" : "+") + std::string(kPrecisionNames[i]);
  return text;
}

}  // namespace strata
