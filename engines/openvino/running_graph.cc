#include "running_graph.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "engines/onnxruntime/fusion.h"
#include "strata/base/text_map.h"
#include "strata/graph/dtype.h"

namespace strata::openvino {

namespace {

std::string fact(const ov::Node& node, const char* key) {
  const auto& facts = node.get_rt_info();
  const auto found = facts.find(key);
  return found != facts.end() && found->second.is<std::string>() ? found->second.as<std::string>()
                                                                 : "";
}

// ONNX's number for a type as OpenVINO writes it; 0: there is none.
std::int32_t type_number(std::string_view name) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f32", DType::F32},     {"bf16", DType::BF16}, {"f16", DType::F16}, {"i8", DType::I8},
      {"u8", DType::U8},       {"i32", DType::I32},   {"i64", DType::I64}, {"u32", DType::U32},
      {"u64", DType::U64},     {"i16", DType::I16},   {"u16", DType::U16}, {"f64", DType::F64},
      {"boolean", DType::Bool}};
  for (const auto& [text, type] : kTypes)
    if (text == name) return static_cast<std::int32_t>(type);
  return 0;
}

int order_of(const ov::Node& node) {
  const std::string text = fact(node, "execOrder");
  int order = 0;
  std::from_chars(text.data(), text.data() + text.size(), order);
  return order;
}

// Builds strata's form of the running graph, in which values carry the names of source values: the
// rule that finds the source nodes of a kernel is the one for ONNX Runtime's optimized models.
class Reader {
 public:
  Reader(const Model& source, const Marks& marks) : source_(source), marks_(marks) {
    model_.graphs.emplace_back();
  }

  RunningGraph read(const ov::Model& running) {
    for (const auto& op : ops_in_order(running)) add(*op);
    ort::Fusion fusion = ort::assign_sources(source_, model_);
    out_.absent = std::move(fusion.absent);
    for (std::size_t i = 0; i < out_.kernels.size(); ++i) {
      out_.kernels[i].kind = fusion.kernels[i].kind;
      out_.kernels[i].sources = std::move(fusion.kernels[i].sources);
    }
    return std::move(out_);
  }

 private:
  // The optimizer of ONNX Runtime has these under other names.
  static std::string_view known_op(std::string_view op) {
    if (op == "Reorder") return "ReorderInput";
    if (op == "Convert") return "Cast";
    return op;
  }

  TensorId add_tensor(const ov::Node& node, std::size_t output, std::string_view value) {
    const auto id = static_cast<TensorId>(model_.graph().tensors.size());
    Tensor tensor;
    tensor.name = model_.keep(value);
    std::string_view types = types_;
    for (std::size_t i = 0; i < output; ++i)
      types.remove_prefix(std::min(types.find(',') + 1, types.size()));
    const auto number = type_number(types.substr(0, types.find(',')));
    tensor.type = TypeInfo::unranked(static_cast<DType>(number));
    model_.graph().tensors.push_back(tensor);
    ids_[{&node, output}] = id;
    return id;
  }

  void add(const ov::Node& node) {
    const std::string op = fact(node, "layerType");
    if (op == "Output" || op == "Result") return;
    types_ = fact(node, "outputPrecisions");
    const std::string key = node.get_friendly_name();
    const bool stored = op == "Const";
    const auto* mark = marks_.last_in(stored ? key : fact(node, "originalLayersNames"));
    std::vector<TensorId> outputs;
    for (std::size_t i = 0; i < node.get_output_size(); ++i) {
      std::string_view value;
      if (mark != nullptr && mark->values.size() == node.get_output_size()) value = mark->values[i];
      if (mark != nullptr && mark->values.size() != node.get_output_size() && i == 0)
        value = mark->values[0];
      if (op == "Input") value = key;
      outputs.push_back(add_tensor(node, i, value));
    }
    Graph& graph = model_.graph();
    if (stored || op == "Input") {
      for (const TensorId id : outputs) {
        graph.tensors[id].role = stored ? Role::Initializer : Role::Input;
        if (!stored) graph.inputs.push_back(id);
      }
      if (stored && node.get_output_partial_shape(0).is_static())
        out_.weight_bytes += static_cast<std::int64_t>(
            (ov::shape_size(node.get_output_shape(0)) * node.get_output_element_type(0).bitwidth() +
             7) /
            8);
      return;
    }
    std::vector<TensorId> inputs;
    for (const auto& input : node.input_values())
      if (const auto found = ids_.find({input.get_node(), input.get_index()}); found != ids_.end())
        inputs.push_back(found->second);
    Node made;
    made.op = model_.keep(known_op(op));
    made.domain = "openvino";
    made.name = model_.keep(fmt::format("kernel {}", out_.kernels.size()));
    made.inputs = model_.keep(std::span<const TensorId>(inputs));
    made.outputs = model_.keep(std::span<const TensorId>(outputs));
    for (const TensorId id : outputs)
      graph.tensors[id].producer = static_cast<NodeId>(graph.nodes.size());
    graph.nodes.push_back(made);
    add_kernel(node, key, op, inputs, outputs);
  }

  void add_kernel(const ov::Node& node, const std::string& key, const std::string& op,
                  const std::vector<TensorId>& inputs, const std::vector<TensorId>& outputs) {
    RunningKernel kernel;
    kernel.key = key;
    kernel.name = marks_.readable(key);
    for (int copy = 2; !names_.insert(kernel.name).second; ++copy)
      kernel.name = fmt::format("{} ({})", marks_.readable(key), copy);
    kernel.op = op;
    kernel.primitive = fact(node, "primitiveType");
    const auto type = [&](TensorId id) {
      return static_cast<std::int32_t>(model_.graph().tensors[id].type->dtype);
    };
    for (const TensorId id : inputs) kernel.types.inputs.push_back(type(id));
    for (const TensorId id : outputs) kernel.types.outputs.push_back(type(id));
    kernel.types.computes_in = type_number(fact(node, "runtimePrecision"));
    for (const auto& output : node.outputs()) {
      std::vector<std::int64_t> dims;
      if (const auto& shape = output.get_partial_shape(); shape.is_static())
        for (const auto& dim : shape) dims.push_back(dim.get_length());
      kernel.output_dims.push_back(std::move(dims));
    }
    out_.kernels.push_back(std::move(kernel));
  }

  const Model& source_;
  const Marks& marks_;
  Model model_;
  std::map<std::pair<const ov::Node*, std::size_t>, TensorId> ids_;
  TextSet<std::string> names_;
  std::string types_;  // of the outputs of the node that is being added
  RunningGraph out_;
};

}  // namespace

std::vector<std::shared_ptr<ov::Node>> ops_in_order(const ov::Model& running) {
  auto ops = running.get_ordered_ops();
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return order_of(*a) < order_of(*b); });
  return ops;
}

bool is_kernel(const ov::Node& node) {
  const std::string op = fact(node, "layerType");
  return op != "Const" && op != "Input" && op != "Output" && op != "Result";
}

RunningGraph read_running_graph(const Model& source, const Marks& marks, const ov::Model& running) {
  return Reader(source, marks).read(running);
}

}  // namespace strata::openvino
