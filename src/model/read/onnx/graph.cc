#include "read/onnx/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/mapped_file.h"
#include "read/onnx/attribute.h"
#include "read/onnx/calls.h"
#include "read/onnx/folded_norm.h"
#include "read/onnx/learned.h"
#include "read/onnx/order.h"
#include "read/onnx/proto.h"
#include "read/onnx/tensor.h"

namespace strata::onnx {

struct GraphBuilder::Parts {
  std::vector<std::string_view> nodes;
  std::vector<TensorData*> initializers;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> declared;
};

GraphBuilder::Parts GraphBuilder::collect(std::string_view message) {
  constexpr std::size_t kWorthForgetting = std::size_t{64} << 10;
  Parts parts;
  std::string_view tensor;  // the last one; the tag after it has been read, so nothing around its
                            // weights will be touched again
  for (Fields f(loading_.source, message); f.next();) {
    if (tensor.size() >= kWorthForgetting && loading_.source.lets_go) MappedFile::forget(tensor);
    tensor = {};
    switch (f.number()) {
      case proto::graph::kNode:
        parts.nodes.push_back(f.bytes());
        break;
      case proto::graph::kName:
        graph_.name = f.bytes();
        break;
      case proto::graph::kDocString:
        graph_.doc = f.bytes();
        break;
      case proto::graph::kInitializer:
        tensor = f.bytes();
        parts.initializers.push_back(read_tensor(loading_, tensor));
        break;
      case proto::graph::kSparseInitializer:
        parts.initializers.push_back(read_sparse_tensor(loading_, f.bytes()));
        break;
      case proto::graph::kInput:
        parts.inputs.push_back(f.bytes());
        break;
      case proto::graph::kOutput:
        parts.outputs.push_back(f.bytes());
        break;
      case proto::graph::kValueInfo:
        parts.declared.push_back(f.bytes());
        break;
      default:
        f.skip();
    }
  }
  return parts;
}

void GraphBuilder::read(const Environment& here, std::string_view message) {
  const Parts parts = collect(message);
  const std::size_t expected =
      parts.nodes.size() + parts.nodes.size() / 8 + parts.initializers.size() + parts.inputs.size();
  graph_.nodes.reserve(parts.nodes.size());
  graph_.tensors.reserve(expected);
  here.names.reserve(expected);
  if (graph_.parent == nullptr) loading_.scopes.reserve(parts.nodes.size());

  std::vector<ValueText> declared;
  declared.reserve(parts.declared.size());
  for (const std::string_view value : parts.declared)
    declared.push_back(read_value_info(loading_.source, value));
  add_initializers(here, parts);
  add_inputs(here, parts);
  for (const std::string_view node : parts.nodes) add_node(here, node);
  mark_learned(loading_, here.names, parts.initializers, declared, inputs_say_kind_);
  add_outputs(here, parts);
  for (const ValueText& value : declared) add_declared_type(here, value);
  close(here);
  put_in_order(loading_, graph_);
}

namespace {

bool is_repeated(const Tensor& first, const TensorData& data) {
  if (first.data == nullptr) return false;
  return first.data->dtype == data.dtype && std::ranges::equal(first.data->dims, data.dims) &&
         first.data->bytes == data.bytes && first.data->location == data.location &&
         first.data->offset == data.offset;
}

}  // namespace

void GraphBuilder::add_initializers(const Environment& here, const Parts& parts) {
  for (const TensorData* data : parts.initializers) {
    if (data->name.empty()) loading_.source.wrong("a stored tensor has no name");
    // ONNX Runtime saves the initializers of bodies twice.
    const TensorId same = graph_.parent != nullptr ? here.names.find(data->name) : kNone;
    if (same != kNone && is_repeated(graph_.tensors[same], *data)) continue;
    Tensor& tensor = graph_.tensors[here.names.define(data->name)];
    tensor.role = Role::Initializer;
    tensor.data = data;
    TypeInfo& type = tensor.type.edit();
    type.dtype = data->dtype;
    type.ranked = true;
    for (const std::int64_t size : data->dims) type.dims.push_back(size);
  }
}

void GraphBuilder::add_inputs(const Environment& here, const Parts& parts) {
  const bool is_network = graph_.parent == nullptr;
  for (const std::string_view message : parts.inputs) {
    const ValueText value = read_value_info(loading_.source, message);
    if (value.name.empty()) loading_.source.wrong("an input of the graph has no name");
    inputs_say_kind_ = inputs_say_kind_ || value.has_kind;
    TensorId id = here.names.find(value.name);
    if (id != kNone && graph_.tensors[id].role == Role::Initializer) {
      // Files from before 2019 list every weight as an input. The operator that runs a
      // body counts the body's inputs, so there it stays an input.
      if (is_network) {
        graph_.tensors[id].replaceable = true;
        continue;
      }
      graph_.tensors[id].data = nullptr;
    } else {
      id = here.names.define(value.name);
    }
    Tensor& tensor = graph_.tensors[id];
    tensor.role = Role::Input;
    tensor.type = read_type(loading_, value.type, value.name,
                            is_network ? OpenSizes::Symbols : OpenSizes::Unknown);
    graph_.inputs.push_back(id);
  }
}

void GraphBuilder::add_outputs(const Environment& here, const Parts& parts) {
  for (const std::string_view message : parts.outputs) {
    const ValueText value = read_value_info(loading_.source, message);
    if (value.name.empty()) loading_.source.wrong("an output of the graph has no name");
    const TensorId id = here.names.use(value.name);
    if (id == kNone)
      loading_.source.wrong(fmt::format("the output {} of a body is an argument that was left out",
                                        in_quotes(value.name)));
    graph_.outputs.push_back(id);
    add_declared_type(here, value);
  }
}

void GraphBuilder::add_declared_type(const Environment& here, const ValueText& value) {
  const TensorId id = here.names.find(value.name);
  if (id == kNone || graph_.tensors[id].role != Role::Activation) return;
  graph_.tensors[id].type = read_type(loading_, value.type, value.name, OpenSizes::Unknown);
}

void GraphBuilder::add_node(const Environment& here, std::string_view message) {
  const NodeText text = read_node(loading_.source, message);
  const AtNode at(loading_.source, text);
  loading_.count_node();
  if (!loading_.functions.empty())
    if (const Function* function = loading_.functions.find(text.domain, text.op, text.overload))
      return inline_call(loading_, here, text, *function);

  Node node;
  node.op = text.op;
  node.domain = text.domain;
  node.name = here.call == nullptr ? text.name : loading_.make_name(here.call->prefix, text.name);
  node.opset = opset_at(loading_, here, text.domain);
  const auto inputs = loading_.model.keep_span<TensorId>(text.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = here.names.use(text.inputs[i]);
  node.inputs = inputs;
  node.scope = loading_.scopes.place(here.scope, text,
                                     text.rewrites.empty() ? ModuleName() : layer_of(text, node));
  add_attributes(here, text, node);
  const auto outputs = loading_.model.keep_span<TensorId>(text.outputs.size());
  const auto number = static_cast<NodeId>(graph_.nodes.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = kNone;
    if (text.outputs[i].empty()) continue;
    outputs[i] = here.names.define(text.outputs[i]);
    graph_.tensors[outputs[i]].producer = number;
  }
  node.outputs = outputs;
  graph_.nodes.push_back(node);
}

// The layer that a folded norm follows.
ModuleName GraphBuilder::layer_of(const NodeText& text, const Node& node) {
  if (node.inputs.size() < 2 || node.inputs[1] == kNone) return {};
  const TypeInfo& weight = graph_.tensors[node.inputs[1]].type;
  const ModuleName layer = layer_before_norm(text, weight.dims.size());
  if (!layer.path.empty()) loading_.folded_norms.add(text, layer);
  return layer;
}

void GraphBuilder::add_attributes(const Environment& here, const NodeText& text, Node& node) {
  if (text.attributes.empty()) return;
  Environment at = here;
  at.scope = node.scope;
  const auto attributes = loading_.model.keep_span<Attribute>(text.attributes.size());
  std::size_t count = 0;
  for (const std::string_view message : text.attributes) {
    Attribute& attribute = *std::construct_at(&attributes[count]);
    if (read_attribute(loading_, at, here, message, attribute)) ++count;
  }
  node.attributes = attributes.first(count);
}

// Every tensor that is still open comes from an enclosing graph, or from nowhere.
void GraphBuilder::close(const Environment& here) {
  Names* outer = here.names.outer();
  for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
    if (!is_open(graph_.tensors[id])) continue;
    if (outer == nullptr) nobody_defines(id);
    const TensorId source = captured(*outer, graph_.tensors[id].name);
    graph_.tensors[id].role = Role::Captured;
    graph_.tensors[id].outer = source;
  }
  for (const TensorId id : made_up_) {
    Tensor& tensor = graph_.tensors[id];
    while (!here.names.claim(tensor.name, id)) tensor.name = loading_.make_name(tensor.name, "_");
  }
}

// The tensor of the parent graph that has this name in `outer`. If `outer` is several graphs
// further out, each graph in between gets its own tensor for it.
TensorId GraphBuilder::captured(Names& outer, std::string_view name) {
  TensorId id = outer.use(name);
  std::vector<Graph*> between;
  for (Graph* graph = graph_.parent; graph != &outer.graph(); graph = graph->parent)
    between.push_back(graph);
  for (auto graph = between.rbegin(); graph != between.rend(); ++graph) {
    loading_.count_tensor();
    Tensor& tensor = (*graph)->tensors.emplace_back();
    tensor.name = name;
    tensor.role = Role::Captured;
    tensor.outer = id;
    id = static_cast<TensorId>((*graph)->tensors.size() - 1);
  }
  return id;
}

void GraphBuilder::nobody_defines(TensorId id) const {
  const std::string name = in_quotes(graph_.tensors[id].name);
  // The first node that reads it, following bodies that capture it.
  const Graph* graph = &graph_;
  for (std::size_t level = 0; level < loading_.model.graphs.size(); ++level) {
    for (const Node& node : graph->nodes)
      if (std::find(node.inputs.begin(), node.inputs.end(), id) != node.inputs.end())
        loading_.source.wrong(
            fmt::format("{} reads {}, which no node, input or stored tensor provides",
                        describe(node.op, node.name,
                                 node.outputs.empty() || node.outputs[0] == kNone
                                     ? std::string_view()
                                     : graph->tensors[node.outputs[0]].name),
                        name));
    const Graph* inner = nullptr;
    for (const Graph& body : loading_.model.graphs) {
      if (body.parent != graph || inner != nullptr) continue;
      for (TensorId i = 0; i < body.tensors.size() && inner == nullptr; ++i)
        if (body.tensors[i].role == Role::Captured && body.tensors[i].outer == id) {
          inner = &body;
          id = i;
        }
    }
    if (inner == nullptr) break;
    graph = inner;
  }
  loading_.source.wrong(fmt::format("the output {} of the graph {} is made by no node", name,
                                    in_quotes(graph->name)));
}

Graph* read_body(Loading& loading, const Environment& here, const Environment& meaning,
                 std::string_view message) {
  if (here.depth >= loading.options.max_depth)
    loading.source.wrong(fmt::format("bodies and functions are nested more than {} deep",
                                     loading.options.max_depth));
  Graph& body = loading.model.graphs.emplace_back();
  body.parent = &here.graph.graph();
  GraphBuilder builder(loading, body);
  Names names(loading, body, &meaning.names);
  builder.read({builder, names, meaning.call, here.scope, here.depth + 1}, message);
  return &body;
}

}  // namespace strata::onnx
