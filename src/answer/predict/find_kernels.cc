#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cost/torch_view.h"
#include "ops/registry.h"
#include "predict/kernel_class.h"
#include "predict/kernel_graph.h"
#include "profile/open_sizes.h"

namespace strata {

namespace {

constexpr std::array<std::string_view, 3> kRuntimes = {"eager", "compiled", "engine"};

class KernelFinder {
 public:
  KernelFinder(const Model& model, const Costs& costs, Runtime runtime)
      : model_(model), costs_(costs), is_torch_(runtime != Runtime::Engine) {
    const Graph& graph = model.graph();
    owner_.resize(graph.tensors.size());
    unordered_.resize(graph.tensors.size());
    for (std::uint32_t i = 0; i < owner_.size(); ++i) owner_[i] = i;
  }

  std::vector<KernelNode> nodes() {
    std::vector<KernelNode> list;
    for (std::uint32_t i = 0; i < costs_.nodes.size(); ++i) {
      const Executed& executed = costs_.nodes[i];
      const NodeCost& cost = *executed.cost;
      const Node node = executed.get();
      const bool own = executed.graph == &model_.graph();
      const bool has_input = own && !node.inputs.empty() && node.inputs[0] != kNone;
      const bool is_part = is_torch_ && own && node.domain.empty();
      const bool is_view = has_input && is_part ? is_torch_view(node, cost) : cost.view;
      if (is_view && has_input)
        for (const TensorId id : node.outputs)
          if (id != kNone) owner_[id] = owner_[node.inputs[0]];
      if (is_view || cost.folded || cost.at_load || executed.times.is(0)) continue;
      KernelNode one = kernel_node(i, executed, node, own);
      one.is_part = is_part;
      const Op op = traits_of(node).op;
      one.is_product = op == Op::Mul || op == Op::Div;
      if (cost.view) read_and_write_all(one, node);
      if (one.read_bytes + one.write_bytes + one.macs + one.flops > 0 ||
          one.kind == KernelClass::Unknown)
        list.push_back(std::move(one));
    }
    return list;
  }

  OpenSizes open;

 private:
  double number(const Expr& size) {
    if (OpenSizes::has_number(size) || OpenSizes::depends_on_inputs(model_.graph(), size))
      return open.number(size);
    return 0;
  }
  double elements(const Graph& graph, TensorId id) {
    const TypeInfo& type = *graph.tensors[id].type;
    if (!type.ranked) return 0;
    Expr product = 1;
    for (const Expr& size : type.dims) product *= size;
    return number(product);
  }
  static double element_bytes(const Graph& graph, TensorId id) {
    return static_cast<double>(bits(graph.tensors[id].type->dtype)) / 8;
  }

  // PyTorch transposes and splits without moving anything; the reshape after that copies.
  bool is_torch_view(const Node& node, const NodeCost& cost) {
    const TorchView view = torch_view(model_.graph(), node, !unordered_[node.inputs[0]]);
    for (const TensorId id : node.outputs)
      if (id != kNone) unordered_[id] = !view.ordered;
    return view.shares && cost.flops().is(0);
  }
  void read_and_write_all(KernelNode& one, const Node& node) {
    const double bytes = one.outputs * element_bytes(model_.graph(), node.outputs[0]);
    one.read_bytes = one.write_bytes = bytes;
    one.read_sizes.assign(one.reads.size(), bytes);
  }

  KernelNode kernel_node(std::uint32_t index, const Executed& executed, const Node& node,
                         bool own) {
    const NodeCost& cost = *executed.cost;
    const Graph& graph = *executed.graph;
    KernelNode out{
        .index = index, .phase = node.phase, .times = number(executed.times), .in_network = own};
    if (cost.certainty != Certainty::Unknown) {
      out.macs = number(cost.macs);
      out.flops = number(cost.adds + cost.muls + cost.specials);
    }
    out.read_bytes = number(cost.read_bytes);
    out.write_bytes = number(cost.write_bytes);
    out.weight_bytes = number(cost.weight_bytes);
    double largest = 0, activations = 0;
    for (const TensorId id : node.inputs) {
      if (id == kNone || weight_of(graph, id).data != nullptr) continue;
      const double count = elements(graph, id);
      largest = std::max(largest, count);
      const TensorId owner = own ? owner_[id] : id;
      if (std::find(out.reads.begin(), out.reads.end(), owner) != out.reads.end()) continue;
      out.reads.push_back(owner);
      out.read_sizes.push_back(count * element_bytes(graph, id));
      activations += out.read_sizes.back();
    }
    // A slice reads a part of its input.
    const double read = std::max(0.0, out.read_bytes - out.weight_bytes);
    if (activations > read && activations > 0)
      for (double& size : out.read_sizes) size *= read / activations;
    for (const TensorId id : node.outputs) {
      if (id == kNone) continue;
      if (out.outputs == 0) out.outputs = elements(graph, id);
      if (own) out.writes.push_back(owner_[id]);
    }
    for (const auto& ids : {node.outputs, node.inputs})
      for (const TensorId id : ids)
        if (id != kNone && out.element_bytes == 0 && is_float(graph.tensors[id].type->dtype))
          out.element_bytes = element_bytes(graph, id);
    out.inputs = largest;
    out.kind = class_of_node(costs_, index, out.macs, out.flops, out.outputs, out.inputs);
    return out;
  }

  const Model& model_;
  const Costs& costs_;
  bool is_torch_;
  std::vector<TensorId> owner_;  // by tensor: whose memory it is
  std::vector<bool> unordered_;  // by tensor: its elements are not contiguous
};

}  // namespace

std::string_view name_of(Runtime runtime) { return kRuntimes[static_cast<std::size_t>(runtime)]; }

std::optional<Runtime> runtime_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kRuntimes.size(); ++i)
    if (kRuntimes[i] == name) return static_cast<Runtime>(i);
  return std::nullopt;
}

Result<std::map<Runtime, std::vector<FusedKernel>>> find_kernels(const Model& model,
                                                                 const Costs& costs,
                                                                 const std::set<Runtime>& runtimes,
                                                                 std::vector<std::string>& notes) {
  std::map<Runtime, std::vector<FusedKernel>> out;
  std::optional<std::vector<KernelNode>> of_torch;  // eager and compiled run the same operators
  for (const Runtime runtime : runtimes) {
    std::vector<KernelNode> nodes;
    if (runtime != Runtime::Engine && of_torch) {
      nodes = *of_torch;
    } else {
      KernelFinder finder(model, costs, runtime);
      nodes = finder.nodes();
      if (auto status = finder.open.status("the work of its layers"); !status)
        return failure(status);
      if (out.empty()) finder.open.add_note(notes);
      if (runtime != Runtime::Engine && runtimes.size() > 1) of_torch = nodes;
    }
    KernelGraph graph(std::move(nodes), model.graph().tensors.size(), model.graph().outputs);
    if (runtime == Runtime::Engine)
      graph.fuse_epilogues();
    else
      graph.join_operators();
    if (runtime != Runtime::Eager) graph.fuse_equal_sizes();
    out[runtime] = graph.kernels();
  }
  return out;
}

Result<std::vector<FusedKernel>> find_kernels(const Model& model, const Costs& costs,
                                              Runtime runtime, std::vector<std::string>& notes) {
  auto found = find_kernels(model, costs, std::set<Runtime>{runtime}, notes);
  if (!found) return failure(found);
  return std::move(found->begin()->second);
}

}  // namespace strata
