#include "read/tflite/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "ops/tflite_table.h"
#include "read/tflite/loops.h"
#include "read/tflite/names.h"
#include "read/tflite/schema_table.h"
#include "read/tflite/tensor.h"

namespace strata::tflite {

namespace {

constexpr int kDeepest = 32;  // graphs in graphs; a cycle of calls ends here

}  // namespace

Table GraphReader::table_of(std::int32_t number, std::string_view reader) const {
  if (number < 0 || static_cast<std::uint32_t>(number) >= tensors_.count)
    throw Broken{
        fmt::format("it is damaged: {} refers to tensor {} of {}", reader, number, tensors_.count)};
  return loading_.wire.table_at(tensors_, static_cast<std::uint32_t>(number));
}

TensorId GraphReader::new_tensor(const Table& table, std::int32_t number, Role role) {
  const auto id = static_cast<TensorId>(number);
  Tensor& tensor = graph_.tensors[id];
  tensor.name = table.text(slot::kTensorName);
  tensor.role = role;
  tensor.type = type_of_tensor(loading_, table, role == Role::Input);
  count_quantization(loading_, table);
  ids_[static_cast<std::size_t>(number)] = id;
  return id;
}

TensorId GraphReader::tensor(std::int32_t number, Use use, std::string_view reader) {
  if (number == -1) return kNone;
  const Table table = table_of(number, reader);
  const TensorId known = ids_[static_cast<std::size_t>(number)];
  if (use == Use::Makes) {
    if (known != kNone)
      throw Broken{fmt::format("it is damaged: tensor {} is made or read before {} makes it",
                               in_quotes(table.text(slot::kTensorName)), reader)};
    return new_tensor(table, number, Role::Activation);
  }
  if (known != kNone) return known;
  const TensorData* data = table.number<std::uint8_t>(slot::kTensorIsVariable, 0) != 0
                               ? state_of_tensor(loading_, table)
                               : data_of_tensor(loading_, table);
  const auto sizes = integers_of(loading_, table, slot::kTensorShape);
  const bool is_empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  if (data == nullptr && is_empty) data = empty_tensor(loading_, table);
  if (data == nullptr)
    throw Broken{fmt::format("it is damaged: {} reads tensor {}, which nothing before it makes",
                             reader, in_quotes(table.text(slot::kTensorName)))};
  const TensorId id = new_tensor(table, number, Role::Initializer);
  Tensor& made = graph_.tensors[id];
  made.data = data;
  // The sizes of stored elements are not open.
  if (!made.type->ranked) {
    Dims dims;
    for (const std::int64_t size : data->dims) dims.push_back(size);
    made.type = TypeInfo::tensor(data->dtype, std::move(dims));
  }
  return id;
}

TensorId GraphReader::unpacked(const OperatorName& name, std::span<const std::int32_t> inputs,
                               std::span<const std::int32_t> outputs) {
  const bool is_dense = name.op == "DENSIFY";
  if (name.domain != kTflite || (name.op != "DEQUANTIZE" && !is_dense)) return kNone;
  if (inputs.size() != 1 || outputs.size() != 1 || inputs[0] < 0 || outputs[0] < 0) return kNone;
  table_of(outputs[0], name.op);  // is checked
  if (is_output_[static_cast<std::size_t>(outputs[0])]) return kNone;
  const TensorId id = tensor(inputs[0], Use::Reads, name.op);
  const Tensor& stored = graph_.tensors[id];
  if (stored.role != Role::Initializer || stored.data->learned == Learned::No) return kNone;
  Counts& counts = loading_.counts;
  ++(is_dense                       ? counts.unpacked_sparse
     : is_float(stored.data->dtype) ? counts.unpacked_halves
                                    : counts.unpacked_integers);
  return id;
}

void GraphReader::read_bodies(const OperatorName& name, const OptionTexts& options,
                              std::vector<Attribute>& attributes) {
  for (const Body& body : options.bodies) {
    if (depth_ >= kDeepest)
      throw Broken{
          fmt::format("its subgraphs are nested more than {} deep, or call each other", kDeepest),
          Code::OverLimit};
    if (body.subgraph < 0 || body.subgraph >= std::int64_t{loading_.subgraphs.count})
      throw Broken{fmt::format("it is damaged: {} runs subgraph {} of {}", in_quotes(name.op),
                               body.subgraph, loading_.subgraphs.count)};
    Graph& graph = loading_.model.graphs.emplace_back();
    graph.parent = &graph_;
    GraphReader(loading_, graph, depth_ + 1).read(static_cast<std::uint32_t>(body.subgraph));
    if (name.op == "WHILE") graph.runs = Expr::unknown();  // its condition decides
    attributes.push_back({body.attribute, &graph});
  }
}

// The condition runs once more than the body.
void GraphReader::count_iterations(std::span<const Attribute> attributes) {
  Graph *condition = nullptr, *body = nullptr;
  for (const Attribute& attribute : attributes)
    if (Graph* const* graph = std::get_if<Graph*>(&attribute.value))
      (attribute.name == "cond_subgraph_index" ? condition : body) = *graph;
  if (condition == nullptr || body == nullptr) return;
  body->runs = iterations_of(graph_, inputs_of_node_, *condition, *body);
  if (body->runs.is_number()) condition->runs = body->runs + 1;
}

// Attributes for what ONNX's operators state and TFLite's leave to their tensors: the type of an
// output that differs from the first input's, and the groups of a convolution.
void GraphReader::add_stated(std::vector<Attribute>& attributes,
                             std::span<const std::int32_t> inputs) {
  if (inputs_of_node_.empty() || outputs_of_node_.empty()) return;
  const TensorId in = inputs_of_node_[0], out = outputs_of_node_[0];
  if (in == kNone || out == kNone) return;
  const DType type = graph_.tensors[out].type->dtype;
  if (type != graph_.tensors[in].type->dtype)
    attributes.push_back({"dtype", static_cast<std::int64_t>(type)});
  const bool is_conv = std::any_of(attributes.begin(), attributes.end(),
                                   [](const Attribute& a) { return a.name == "dilations"; });
  if (!is_conv || inputs.size() < 2 || inputs[0] < 0 || inputs_of_node_[1] == kNone) return;
  const TypeInfo& weights = graph_.tensors[inputs_of_node_[1]].type;
  const auto sizes =
      integers_of(loading_, table_of(inputs[0], "a convolution"), slot::kTensorShape);
  if (!weights.ranked || weights.dims.size() != 4 || sizes.size() != 4 || sizes[3] < 1) return;
  const bool is_depthwise =
      std::any_of(attributes.begin(), attributes.end(),
                  [](const Attribute& a) { return a.name == "depth_multiplier"; });
  const auto inner = weights.dims[3].number();
  if (!is_depthwise && (!inner || *inner < 1 || sizes[3] % *inner != 0)) return;
  attributes.push_back({"group", is_depthwise ? std::int64_t{sizes[3]} : sizes[3] / *inner});
  const std::int64_t window[] = {weights.dims[1].value(), weights.dims[2].value()};
  attributes.push_back(
      {"kernel_shape", loading_.model.keep(std::span<const std::int64_t>(window))});
}

void GraphReader::read_operator(const Table& op) {
  const auto index = op.number<std::uint32_t>(slot::kOperatorOpcodeIndex, 0);
  if (index >= loading_.operators.size())
    throw Broken{fmt::format("it is damaged: an operator has kind {} of {}", index,
                             loading_.operators.size())};
  const OperatorName& name = loading_.operators[index];
  const auto inputs = integers_of(loading_, op, slot::kOperatorInputs);
  const auto outputs = integers_of(loading_, op, slot::kOperatorOutputs);
  if (const TensorId id = unpacked(name, inputs, outputs); id != kNone) {
    TensorId& made = ids_[static_cast<std::size_t>(outputs[0])];
    if (made != kNone)
      throw Broken{fmt::format("it is damaged: {} makes a tensor that is there already", name.op)};
    made = id;
    return;
  }
  loading_.count_node();
  read_options(loading_, op, name, options_);
  std::vector<Attribute> attributes = options_.attributes;
  if (!options_.bodies.empty()) {
    const OptionTexts own = options_;  // bodies are read with readers of their own
    read_bodies(name, own, attributes);
  }
  if (name.op == "CALL_ONCE") ++loading_.counts.initializations;

  inputs_of_node_.clear();
  for (const std::int32_t number : inputs)
    inputs_of_node_.push_back(tensor(number, Use::Reads, name.op));
  if (name.op == "WHILE") count_iterations(attributes);
  const auto id = static_cast<NodeId>(graph_.nodes.size());
  outputs_of_node_.clear();
  for (const std::int32_t number : outputs) {
    outputs_of_node_.push_back(tensor(number, Use::Makes, name.op));
    if (outputs_of_node_.back() != kNone) graph_.tensors[outputs_of_node_.back()].producer = id;
  }
  Node node;
  node.op = name.op;
  node.domain = name.domain;
  node.opset = name.version;
  const TensorId first = outputs_of_node_.empty() ? kNone : outputs_of_node_[0];
  if (first != kNone) node.name = layer_name(graph_.tensors[first].name, name.op);
  add_stated(attributes, inputs);
  node.inputs = loading_.model.keep(std::span<const TensorId>(inputs_of_node_));
  node.outputs = loading_.model.keep(std::span<const TensorId>(outputs_of_node_));
  node.attributes = loading_.model.keep(std::span<const Attribute>(attributes));
  onnx::NodeText text;
  text.name = node.name;
  node.scope = loading_.scopes.place(onnx::ScopeTree::kRoot, text);
  graph_.nodes.push_back(node);
}

void GraphReader::read(std::uint32_t subgraph) {
  const Table table = loading_.wire.table_at(loading_.subgraphs, subgraph);
  loading_.subgraphs_read.push_back(subgraph);
  graph_.name = table.text(slot::kSubGraphName);
  tensors_ = table.list(slot::kSubGraphTensors, sizeof(std::uint32_t));
  // Many subgraphs may share one list.
  for (std::uint32_t i = 0; i < tensors_.count; ++i) loading_.count_tensor();
  // They keep their numbers, which decide ties where memory is planned. One that nothing uses has
  // no name and no type.
  graph_.tensors.resize(tensors_.count);
  ids_.assign(tensors_.count, kNone);
  is_output_.assign(tensors_.count, false);
  for (const std::int32_t number : integers_of(loading_, table, slot::kSubGraphInputs)) {
    const Table input = table_of(number, "its list of inputs");
    if (ids_[static_cast<std::size_t>(number)] != kNone)
      throw Broken{fmt::format("it is damaged: tensor {} is twice an input",
                               in_quotes(input.text(slot::kTensorName)))};
    graph_.inputs.push_back(new_tensor(input, number, Role::Input));
  }
  const auto outputs = integers_of(loading_, table, slot::kSubGraphOutputs);
  for (const std::int32_t number : outputs) {
    table_of(number, "its list of outputs");
    is_output_[static_cast<std::size_t>(number)] = true;
  }
  const List operators = table.list(slot::kSubGraphOperators, sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < operators.count; ++i)
    read_operator(loading_.wire.table_at(operators, i));
  for (const std::int32_t number : outputs)
    graph_.outputs.push_back(tensor(number, Use::Reads, "its list of outputs"));
}

}  // namespace strata::tflite
