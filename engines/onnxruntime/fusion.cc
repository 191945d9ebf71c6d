#include "fusion.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "fusion_state.h"

namespace strata::ort {

namespace {

bool ends_with_number(std::string_view& name, std::string_view before) {
  const std::size_t at = name.rfind(before);
  if (at == name.npos || at + before.size() == name.size()) return false;
  if (name.find_first_not_of("0123456789", at + before.size()) != name.npos) return false;
  name = name.substr(0, at);
  return true;
}

// The name without what the optimizer puts around names to make new ones.
std::string_view plain_name(std::string_view name) {
  constexpr std::string_view kCast = "InsertedPrecisionFreeCast_";
  if (name.starts_with(kCast)) name.remove_prefix(kCast.size());
  ends_with_number(name, "_token_");
  return name;
}

bool is_reorder(std::string_view op) { return op == "ReorderInput" || op == "ReorderOutput"; }

// True for operators that only change the order or type of their input.
bool only_moves(std::string_view op) {
  return is_reorder(op) || op == "Transpose" || op == "Cast" || op.starts_with("Memcpy");
}

StrataKernelKind kind_without_sources(std::string_view op) {
  if (op == "Cast") return STRATA_KERNEL_CAST;
  if (is_reorder(op) || op == "Transpose") return STRATA_KERNEL_LAYOUT;
  return STRATA_KERNEL_OTHER;
}

class Assigner {
 public:
  Assigner(FusionState& state, Fusion& out) : state_(state), source_(state.source), out_(out) {}

  void run(const Model& optimized, const Graph& source_main) {
    for (const Graph& graph : optimized.graphs) note_values(graph);
    walk(optimized.graph(), &source_main);
  }

 private:
  // One graph of the optimized model.
  struct Walk {
    const Graph* graph;
    const Graph* source;             // the graph that it was made from; may be null
    std::vector<ValueNumber> alias;  // by tensor: the source value that it holds
    std::vector<KernelNumber> maker;
    std::unordered_map<KernelNumber, Node> pending;  // kernels whose work is not known yet
    const Walk* outer;
  };
  // Kernels that do the work of some source nodes together, and what they read.
  struct Group {
    std::vector<KernelNumber> kernels;
    std::unordered_set<std::uint32_t> reads;  // equal classes
    std::vector<NodeNumber> claimed;
    std::unordered_map<NodeNumber, bool> makes;  // by node: whether its inputs are there
    std::unordered_set<NodeNumber> taken;
  };

  void note_values(const Graph& graph);
  void walk(const Graph& graph, const Graph* source_graph, const Walk* outer = nullptr);
  void add_aliases(Walk& at, const Graph& graph);
  void assign(Walk& at, const Node& node, KernelNumber kernel);
  void walk_bodies(const Walk& at, const Node& node);
  void gather(Walk& at, const Node& node, KernelNumber kernel, Group& group);
  ValueNumber by_kernel_name(const Walk& at, const Node& node) const;
  ValueNumber extended(const Walk& at, const Node& node, ValueNumber target) const;
  ValueNumber in_whole_numbers(ValueNumber target) const;
  NodeNumber reader_of(ValueNumber value, std::string_view op, ValueNumber with) const;
  void claim(NodeNumber node, Group& group);
  bool can_make(ValueNumber value, Group& group) const;
  void take(ValueNumber value, Group& group);
  void finish(const Walk& at, const Node& node, KernelNumber kernel, const Group& group);

  std::uint32_t class_of(ValueNumber v) const { return source_.value(v).equal_class; }
  bool is_free(NodeNumber n) const { return state_.kernel_of[n] == kNone; }

  FusionState& state_;
  const SourceValues& source_;
  Fusion& out_;
  std::unordered_set<std::uint32_t> made_;  // equal classes that some optimized node makes
};

// Records which source values still exist, and which are now stored.
void Assigner::note_values(const Graph& graph) {
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.role != Role::Initializer && tensor.role != Role::Activation) continue;
    const bool made = tensor.role == Role::Activation;
    const ValueNumber v = source_.find_value(made ? plain_name(tensor.name) : tensor.name, nullptr);
    if (v == kNone) continue;
    if (made)
      made_.insert(class_of(v));
    else if (source_.value(v).producer != kNone)
      state_.stored[v] = true;
  }
}

void Assigner::add_aliases(Walk& at, const Graph& graph) {
  at.alias.assign(graph.tensors.size(), kNone);
  at.maker.assign(graph.tensors.size(), kNone);
  for (TensorId t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.role == Role::Captured && at.outer != nullptr && tensor.outer != kNone)
      at.alias[t] = at.outer->alias[tensor.outer];
    if (at.alias[t] == kNone) at.alias[t] = source_.find_value(plain_name(tensor.name), at.source);
  }
}

void Assigner::walk(const Graph& graph, const Graph* source_graph, const Walk* outer) {
  Walk at{&graph, source_graph, {}, {}, {}, outer};
  add_aliases(at, graph);
  for (const Node& node : graph.nodes) {
    const auto kernel = static_cast<KernelNumber>(out_.kernels.size());
    out_.kernels.push_back({std::string(node.name),
                            std::string(node.op),
                            STRATA_KERNEL_OTHER,
                            {},
                            kernel_types(graph, node)});
    for (const TensorId output : node.outputs)
      if (output != kNone) at.maker[output] = kernel;
    assign(at, node, kernel);
    walk_bodies(at, node);
  }
  for (const auto& [kernel, node] : at.pending)
    out_.kernels[kernel].kind = kind_without_sources(node.op);
}

void Assigner::walk_bodies(const Walk& at, const Node& node) {
  const NodeNumber origin = source_.find_node(node.name, at.source);
  for (const Attribute& attribute : node.attributes) {
    const auto* body = std::get_if<Graph*>(&attribute.value);
    if (body == nullptr) continue;
    const Graph* origin_body = nullptr;
    if (origin != kNone)
      if (const Attribute* same = source_.node(origin).node.attribute(attribute.name))
        if (const auto* graph = std::get_if<Graph*>(&same->value)) origin_body = *graph;
    walk(**body, origin_body, &at);
  }
}

// The value that a kernel makes, if only the kernel's name reveals it.
ValueNumber Assigner::by_kernel_name(const Walk& at, const Node& node) const {
  constexpr std::string_view kBlocked = "_nchwc", kNorm = "_bn";
  std::string_view name = plain_name(node.name);
  if (const NodeNumber same = source_.find_node(name, at.source); same != kNone) {
    const auto& origin = source_.node(same);
    if (origin.node.op == node.op && !origin.outputs.empty())
      return extended(at, node, origin.outputs[0]);
    if (node.op.ends_with(origin.node.op) && !origin.outputs.empty())
      return in_whole_numbers(origin.outputs[0]);
  }
  if (!name.ends_with(kBlocked)) return kNone;
  name.remove_suffix(kBlocked.size());
  if (name.ends_with(kNorm)) name.remove_suffix(kNorm.size());  // a norm, now a convolution
  const ValueNumber value = source_.find_value(plain_name(name), at.source);
  return value == kNone ? kNone : extended(at, node, value);
}

// A free node with this operator that reads `value`, and `with` unless that is kNone.
NodeNumber Assigner::reader_of(ValueNumber value, std::string_view op, ValueNumber with) const {
  for (const NodeNumber n : source_.value(value).readers) {
    const auto& facts = source_.node(n);
    if (!is_free(n) || facts.outputs.empty() || facts.outputs[0] == kNone) continue;
    if (facts.passes_on) {  // look past it
      if (const NodeNumber behind = reader_of(facts.outputs[0], op, with); behind != kNone)
        return behind;
      continue;
    }
    if (facts.node.op != op) continue;
    if (with == kNone) return n;
    for (const ValueNumber input : facts.inputs)
      if (class_of(input) == class_of(with)) return n;
  }
  return kNone;
}

// Blocked convolutions are named after the value that they made before a sum (a fourth input) and
// an activation were fused into them.
ValueNumber Assigner::extended(const Walk& at, const Node& node, ValueNumber target) const {
  if (!node.domain.starts_with("com.microsoft")) return target;
  bool summed = false;
  if (node.inputs.size() >= 4 && node.inputs[3] != kNone)
    if (const ValueNumber with = at.alias[node.inputs[3]]; with != kNone)
      for (const std::string_view op : {"Add", "Sum"})
        if (const NodeNumber add = reader_of(target, op, with); add != kNone && !summed) {
          target = source_.node(add).outputs[0];
          summed = true;
        }
  const Attribute* activation = node.attribute("activation");
  const auto* op = activation ? std::get_if<std::string_view>(&activation->value) : nullptr;
  if (op == nullptr) return target;
  const NodeNumber producer = source_.value(target).producer;
  const bool has_it = producer != kNone && source_.node(producer).node.op == *op;
  if (has_it && !summed) return target;
  if (const NodeNumber n = reader_of(target, *op, kNone); n != kNone)
    target = source_.node(n).outputs[0];
  return target;
}

// QLinearConv and NhwcMaxPool are named after the node whose result they make in whole numbers,
// including an activation.
ValueNumber Assigner::in_whole_numbers(ValueNumber target) const {
  for (const std::string_view op : {"Relu", "Clip"})
    if (const NodeNumber n = reader_of(target, op, kNone); n != kNone)
      if (const NodeNumber q = reader_of(source_.node(n).outputs[0], "QuantizeLinear", kNone);
          q != kNone)
        return source_.node(q).outputs[0];
  const NodeNumber q = reader_of(target, "QuantizeLinear", kNone);
  return q == kNone ? target : source_.node(q).outputs[0];
}

// Collects the kernel, and before it the kernels that it reads from and whose work is not known
// yet.
void Assigner::gather(Walk& at, const Node& node, KernelNumber kernel, Group& group) {
  group.kernels.push_back(kernel);
  for (const TensorId input : node.inputs) {
    if (input == kNone) continue;
    if (at.alias[input] != kNone) {
      group.reads.insert(class_of(at.alias[input]));
      continue;
    }
    const auto found = at.pending.find(at.maker[input]);
    if (at.maker[input] == kNone || found == at.pending.end()) continue;
    const Node behind = found->second;
    const KernelNumber number = found->first;
    at.pending.erase(found);
    gather(at, behind, number, group);
  }
  for (const Attribute& attribute : node.attributes)  // values that bodies capture are read, too
    if (const auto* body = std::get_if<Graph*>(&attribute.value))
      for (const Tensor& tensor : (*body)->tensors)
        if (tensor.role == Role::Captured && tensor.outer != kNone)
          if (const ValueNumber v = at.alias[tensor.outer]; v != kNone)
            group.reads.insert(class_of(v));
}

// True if the group can make the value from its inputs.
bool Assigner::can_make(ValueNumber value, Group& group) const {
  if (group.reads.contains(class_of(value)) || state_.stored[value]) return true;
  const NodeNumber producer = source_.value(value).producer;
  if (producer == kNone) return source_.value(value).stored;
  const auto& facts = source_.node(producer);
  // Shapes may be replaced by equivalent ones: `0,-1,64`.
  if (facts.constant || facts.shape_only) return true;
  if (made_.contains(class_of(value))) return false;  // another kernel makes it
  if (const auto known = group.makes.find(producer); known != group.makes.end())
    return known->second;
  const bool all = std::all_of(facts.inputs.begin(), facts.inputs.end(),
                               [&](ValueNumber v) { return can_make(v, group); });
  group.makes[producer] = all;
  return all;
}

// Claims the nodes that make a value which the group can make.
void Assigner::take(ValueNumber value, Group& group) {
  if (group.reads.contains(class_of(value)) || state_.stored[value]) return;
  const NodeNumber producer = source_.value(value).producer;
  if (producer == kNone || !group.taken.insert(producer).second) return;
  const auto& facts = source_.node(producer);
  if (facts.constant || facts.shape_only) {
    // A quantized kernel takes its weights as they are stored.
    if (facts.node.op == "DequantizeLinear" && is_free(producer)) claim(producer, group);
    return;
  }
  if (is_free(producer)) claim(producer, group);
  for (const ValueNumber input : facts.inputs) take(input, group);
}

void Assigner::claim(NodeNumber node, Group& group) {
  state_.kernel_of[node] = group.kernels.front();
  group.claimed.push_back(node);
}

void Assigner::assign(Walk& at, const Node& node, KernelNumber kernel) {
  std::vector<ValueNumber> targets;
  for (const TensorId output : node.outputs)
    if (output != kNone && at.alias[output] != kNone) targets.push_back(at.alias[output]);
  if (targets.empty()) {
    const ValueNumber input =
        node.inputs.empty() || node.inputs[0] == kNone ? kNone : at.alias[node.inputs[0]];
    const ValueNumber target = by_kernel_name(at, node);
    if (target != kNone) {
      at.alias[node.outputs[0]] = target;
      targets.push_back(target);
    } else if (only_moves(node.op) && input != kNone) {
      at.alias[node.outputs[0]] = input;
      out_.kernels[kernel].kind = kind_without_sources(node.op);
      return;
    } else {
      at.pending.emplace(kernel, node);
      return;
    }
  }
  Group group;
  gather(at, node, kernel, group);
  const NodeNumber namesake = source_.find_node(plain_name(node.name), at.source);
  if (namesake != kNone && is_free(namesake) && source_.node(namesake).node.op == node.op)
    targets.insert(targets.end(), source_.node(namesake).outputs.begin(),
                   source_.node(namesake).outputs.end());
  for (const ValueNumber target : targets) {
    const NodeNumber producer = target == kNone ? kNone : source_.value(target).producer;
    if (producer == kNone || !is_free(producer)) continue;
    const auto& facts = source_.node(producer);
    // It only moves its input, which is not the work of a source node, unless it is this very node.
    if (group.reads.contains(class_of(target)) && facts.node.op != node.op) continue;
    claim(producer, group);
    group.taken.insert(producer);
    for (const ValueNumber input : facts.inputs)
      if (can_make(input, group)) take(input, group);
  }
  finish(at, node, kernel, group);
}

void Assigner::finish(const Walk& at, const Node& node, KernelNumber kernel, const Group& group) {
  // The kernel before a reordering computed what the reordering seems to compute.
  KernelNumber home = kernel;
  if (is_reorder(node.op) && group.kernels.size() == 1 && !group.claimed.empty())
    if (const KernelNumber before = at.maker[node.inputs[0]]; before != kNone) home = before;
  std::vector<std::string> sources;
  bool transposes = false;
  for (const NodeNumber n : group.claimed) {
    state_.kernel_of[n] = home;
    sources.push_back(source_.node(n).key);
    transposes = transposes || source_.node(n).node.op == "Transpose";
  }
  for (const KernelNumber number : group.kernels) {
    FusedKernel& fused = out_.kernels[number];
    fused.kind = kind_without_sources(fused.op);
    const bool moves = fused.op == "Cast" || (fused.op == "Transpose" && !transposes);
    if (home != kernel || sources.empty() || (moves && group.kernels.size() > 1)) continue;
    fused.kind = STRATA_KERNEL_COMPUTE;
    fused.sources = sources;
  }
  if (home != kernel) add_sources(out_, home, sources);
}

}  // namespace

void add_sources(Fusion& fusion, KernelNumber kernel, const std::vector<std::string>& sources) {
  const std::vector<std::string> before = fusion.kernels[kernel].sources;
  for (FusedKernel& fused : fusion.kernels)
    if (&fused == &fusion.kernels[kernel] || (!before.empty() && fused.sources == before)) {
      fused.sources.insert(fused.sources.end(), sources.begin(), sources.end());
      fused.kind = STRATA_KERNEL_COMPUTE;
    }
}

Fusion assign_sources(const Model& source, const Model& optimized) {
  Fusion out;
  FusionState state(source);
  Assigner(state, out).run(optimized, source.graph());
  place_the_rest(state, out);
  return out;
}

}  // namespace strata::ort
