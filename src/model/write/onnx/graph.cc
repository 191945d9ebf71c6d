#include "write/onnx/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/node.h"
#include "read/onnx/proto.h"
#include "write/onnx/tensor.h"
#include "write/onnx/type.h"

namespace strata::onnx {

namespace {

constexpr int kDeepest = 200;  // the same as the reader's limit

class GraphWriter {
 public:
  GraphWriter(Writing& writing, const Graph& graph, const WrittenNames* outer)
      : writing_(writing),
        graph_(graph),
        names_(graph, outer),
        defined_(graph.tensors.size()),
        stated_(graph.tensors.size()) {}

  Message write() {
    define_sources();
    for (const Node& node : graph_.nodes) {
      check_inputs(node);
      message_.message(proto::graph::kNode, node_message(node));
      for (const TensorId id : node.outputs)
        if (id != kNone) defined_[id] = true;
    }
    // ONNX's checker refuses a graph without a name.
    message_.text(proto::graph::kName, graph_.name.empty() ? "graph" : graph_.name);
    add_initializers();
    if (!graph_.doc.empty()) message_.text(proto::graph::kDocString, graph_.doc);
    add_inputs();
    add_outputs();
    add_other_types();
    return std::move(message_);
  }

 private:
  void define_sources() {
    for (const TensorId id : graph_.inputs) defined_[id] = true;
    for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
      const Tensor& tensor = graph_.tensors[id];
      if (tensor.role == Role::Captured || is_stored(tensor)) defined_[id] = true;
    }
  }

  // ONNX requires nodes to be in an order in which they can run.
  void check_inputs(const Node& node) const {
    for (const TensorId id : node.inputs) check(node, id);
    each_body(node, [&](const Graph& body) {
      for (const Tensor& tensor : body.tensors)
        if (tensor.role == Role::Captured) check(node, tensor.outer);
    });
  }
  void check(const Node& node, TensorId id) const {
    if (id == kNone || defined_[id]) return;
    std::string_view output;
    for (const TensorId out : node.outputs)
      if (out != kNone && output.empty()) output = graph_.tensors[out].name;
    wrong_model(fmt::format("{} reads {}, which no node before it, input or stored tensor provides",
                            describe(node.op, node.name, output),
                            in_quotes(graph_.tensors[id].name)));
  }

  template <class F>
  static void each_body(const Node& node, F&& take) {
    for (const Attribute& attribute : node.attributes) {
      if (const auto* body = std::get_if<Graph*>(&attribute.value)) take(**body);
      if (const auto* bodies = std::get_if<std::span<Graph* const>>(&attribute.value))
        for (const Graph* body : *bodies) take(*body);
    }
  }
  static bool is_stored(const Tensor& tensor) {
    return tensor.role == Role::Initializer && tensor.data != nullptr;
  }

  Message node_message(const Node& node) {
    Message message;
    for (const TensorId id : node.inputs) message.text(proto::node::kInput, names_.of(id));
    for (const TensorId id : node.outputs) message.text(proto::node::kOutput, names_.of(id));
    if (!node.name.empty()) message.text(proto::node::kName, node.name);
    message.text(proto::node::kOpType, node.op);
    for (const Attribute& attribute : node.attributes)
      message.message(proto::node::kAttribute, attribute_message(writing_, attribute, names_));
    if (!node.domain.empty()) message.text(proto::node::kDomain, node.domain);
    if (writing_.scopes.needed()) {
      add_metadata(message, "pkg.torch.onnx.name_scopes", writing_.scopes.names(node));
      add_metadata(message, "pkg.torch.onnx.class_hierarchy", writing_.scopes.classes(node));
    }
    return message;
  }

  static void add_metadata(Message& node, std::string_view key, std::string_view value) {
    Message entry;
    entry.text(proto::entry::kKey, key);
    entry.text(proto::entry::kValue, value);
    node.message(proto::node::kMetadata, entry);
  }

  void add_initializers() {
    for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
      const Tensor& tensor = graph_.tensors[id];
      if (!is_stored(tensor)) continue;
      const bool is_sparse = tensor.data->store == TensorData::Store::Sparse;
      message_.message(is_sparse ? proto::graph::kSparseInitializer : proto::graph::kInitializer,
                       initializer_message(writing_, *tensor.data, names_.of(id), tensor.value));
    }
  }

  void add_inputs() {
    constexpr std::int64_t kInitializersStandAlone = 4;  // from this version on
    for (const TensorId id : graph_.inputs) state(proto::graph::kInput, id);
    const bool all = graph_.parent == nullptr && writing_.model.ir_version != 0 &&
                     writing_.model.ir_version < kInitializersStandAlone;
    for (TensorId id = 0; id < graph_.tensors.size(); ++id)
      if (is_stored(graph_.tensors[id]) && (all || graph_.tensors[id].replaceable))
        state(proto::graph::kInput, id);
  }

  void add_outputs() {
    for (const TensorId id : graph_.outputs) {
      if (id == kNone || !defined_[id])
        wrong_model(
            fmt::format("the output {} of the graph {} is made by no node",
                        in_quotes(id == kNone ? std::string_view() : graph_.tensors[id].name),
                        in_quotes(graph_.name)));
      state(proto::graph::kOutput, id);
    }
  }

  void add_other_types() {
    for (const Node& node : graph_.nodes)
      for (const TensorId id : node.outputs)
        if (id != kNone && !stated_[id] && says_anything(graph_.tensors[id].type))
          state(proto::graph::kValueInfo, id);
  }

  void state(unsigned field, TensorId id) {
    stated_[id] = true;
    message_.message(field, value_message(names_.of(id), graph_.tensors[id].type));
  }

  Writing& writing_;
  const Graph& graph_;
  const WrittenNames names_;
  Message message_;
  std::vector<bool> defined_;
  std::vector<bool> stated_;
};

}  // namespace

Message graph_message(Writing& writing, const Graph& graph, const WrittenNames* outer) {
  if (writing.depth > kDeepest)
    wrong_model(fmt::format("bodies are nested more than {} deep", kDeepest));
  ++writing.depth;
  Message message = GraphWriter(writing, graph, outer).write();
  --writing.depth;
  return message;
}

}  // namespace strata::onnx
