#include "infer/runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "infer/inputs.h"
#include "ops/openvino_table.h"
#include "ops/registry.h"

namespace strata {

namespace {

// Bodies are inferred repeatedly until their types settle, and nested bodies multiply. A model that
// takes this many node visits beyond one per node ends with an error.
constexpr double kExtraVisits = 200e3, kExtraVisitsPerByte = 20;

// Numbers that are not negative and whose product does not overflow.
bool has_plain_sizes(const Dims& dims) {
  std::int64_t count = 1;
  for (const Expr& size : dims)
    if (!size.is_number() || size.value() < 0 ||
        __builtin_mul_overflow(count, size.value(), &count))
      return false;
  return count <= Expr::kMaxNumber;
}

}  // namespace

Runner::Runner(Model& model, const InferOptions& options) : model_(model), options_(options) {
  std::uint64_t nodes = 0;
  for (const Graph& graph : model.graphs) nodes += graph.nodes.size();
  visits_left_ =
      nodes + static_cast<std::uint64_t>(std::clamp(
                  (kExtraVisits + kExtraVisitsPerByte * static_cast<double>(model.file_bytes)) *
                      options.limit,
                  0.0, 1e18));
  // Shapes that a file states for its intermediate values hold only for the inputs it states,
  // unless they are formulas of the inputs' sizes.
  trust_declared_ = model.states_types ||
                    (options.input_shapes.empty() && options.sizes.empty() && !options.batch &&
                     options.input_values.empty() && options.input_types.empty());
  states_dtypes_ = !model.opsets.empty() && model.opsets.front().domain == kOpenvino;
  add_input_names(model, taken_);
}

Expr Runner::fresh_symbol(const Node& node, std::string_view hint, const Expr& at_most) {
  auto [known, is_new] = fresh_.try_emplace({node.outputs.data(), std::string(hint), asked_++});
  if (!is_new) return known->second;
  std::string name(hint);
  int& last = last_number_[name];
  while (!taken_.insert(name).second)
    name = fmt::format("{}_{}", hint, last = std::max(last, 1) + 1);
  for (const auto& [given, number] : options_.sizes)
    if (given == name) return known->second = Expr(number);
  const std::string what =
      node.name.empty() ? std::string(node.op) : fmt::format("{} \"{}\"", node.op, node.name);
  data_symbols_.push_back({name, fmt::format("known only when {} runs", what), true, at_most});
  return known->second = Expr::symbol(name);
}

Status Runner::infer_body(Graph& body, std::span<const TypeInfo> inputs,
                          std::span<const Value* const> values) {
  for (Tensor& tensor : body.tensors) {
    if (tensor.role == Role::Captured && tensor.outer != kNone) {
      const Tensor& outer = body.parent->tensors[tensor.outer];
      tensor.type = outer.type;
      tensor.value = outer.value;
      tensor.data = outer.data;
    } else if (tensor.role == Role::Activation) {
      tensor.type = {};
      tensor.value = nullptr;
    }
  }
  for (std::size_t i = 0; i < body.inputs.size() && i < inputs.size(); ++i) {
    Tensor& input = body.tensors[body.inputs[i]];
    input.type = inputs[i];
    input.value = i < values.size() ? values[i] : nullptr;
  }
  const std::uint32_t asked = std::exchange(asked_, 0);
  Status status = run(body);
  asked_ = asked;
  return status;
}

Status Runner::run(Graph& graph) {
  for (const Node& node : graph.nodes)
    if (auto status = visit_next(graph, node); !status) return status;
  return {};
}

Status Runner::run(Graph& graph, Rebatch& rebatch) {
  NodeList nodes;
  nodes.reserve(graph.nodes.size());
  const auto add = [&](const Node& node) {
    for (const TensorId id : node.outputs)
      if (id != kNone) graph.tensors[id].producer = static_cast<NodeId>(nodes.size());
    nodes.push_back(node);
    return visit_next(graph, node);
  };
  for (Node node : graph.nodes) {  // a copy, which is changed
    for (const Node& before : rebatch.adjust(node))
      if (auto status = add(before); !status) return status;
    if (auto status = add(node); !status) return status;
    rebatch.made(node);
  }
  graph.nodes = std::move(nodes);
  return {};
}

Status Runner::visit_next(Graph& graph, const Node& node) {
  if (visits_left_-- == 0)
    return failure(
        Code::OverLimit, {},
        "the bodies of control flow are nested so deeply that their shapes do not settle; "
        "unroll or flatten the loops");
  return visit(graph, node);
}

Status Runner::visit(Graph& graph, const Node& node) {
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  bool callable = rule != nullptr && rule->shape != nullptr;
  if (callable && !rule->takes_unranked)
    for (TensorId id : node.inputs)
      callable = callable && (id == kNone || graph.tensors[id].type->ranked);
  if (rule == nullptr && unsupported_ops_.insert(node.op).second)
    unsupported_.push_back(node.domain.empty() ? std::string(node.op)
                                               : fmt::format("{}.{}", node.domain, node.op));

  // The types that the file states for the outputs, for when no rule can tell.
  InlineVector<Shared<TypeInfo>, 1> declared;
  bool any_declared = false;
  for (TensorId id : node.outputs)
    any_declared = any_declared || (id != kNone && graph.tensors[id].type->ranked);
  if (any_declared) {
    declared.resize(node.outputs.size());
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kNone) std::swap(declared[i], graph.tensors[node.outputs[i]].type);
  }

  // Types of elements that the file states even where it leaves sizes open.
  InlineVector<DType, 1> stated;
  if (states_dtypes_)
    for (const TensorId id : node.outputs)
      stated.push_back(id == kNone ? DType::Undefined : graph.tensors[id].type->dtype);

  if (callable) {
    asked_ = 0;
    ShapeContext context(*this, graph, node);
    const Status status = rule->shape(context);
    // Types that the file states take precedence over a rule that may not fit its dialect.
    if (!status && !(any_declared && model_.states_types)) return status;
  }
  if (any_declared && trust_declared_)
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kNone && declared[i]->ranked) {
        Tensor& output = graph.tensors[node.outputs[i]];
        const bool differs = model_.states_types && !(output.type->dims == declared[i]->dims &&
                                                      output.type->dtype == declared[i]->dtype);
        if (differs) output.value = nullptr;
        if (differs || !output.type->ranked) output.type = std::move(declared[i]);
      }
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (stated[i] == DType::Undefined) continue;
    Tensor& output = graph.tensors[node.outputs[i]];
    if (output.type->dtype != stated[i]) output.type.edit().dtype = stated[i];
  }
  return check_outputs(graph, node);
}

Status Runner::check_outputs(const Graph& graph, const Node& node) const {
  for (TensorId id : node.outputs) {
    if (id == kNone) continue;
    const Dims& dims = graph.tensors[id].type->dims;
    if (has_plain_sizes(dims)) continue;
    for (const Expr& size : dims)
      if (size.is_number() && size.value() < 0)
        return failure(fmt::format("{}: output \"{}\" would have the negative size {} in {}",
                                   describe(graph, node), graph.tensors[id].name, size.text(),
                                   text(dims)));
    if (elements(dims).is_overflow())
      return failure(
          fmt::format("{}: output \"{}\" would have more elements than can be counted ({}); check "
                      "its inputs' shapes",
                      describe(graph, node), graph.tensors[id].name, text(dims)));
  }
  return {};
}

Inference Runner::finish() {
  Inference result;
  // Not those of the start: whoever builds a model adds inputs as it goes.
  result.symbols = input_symbols(model_);
  for (Inference::Symbol& symbol : data_symbols_) result.symbols.push_back(std::move(symbol));
  result.unsupported = std::move(unsupported_);
  return result;
}

}  // namespace strata
