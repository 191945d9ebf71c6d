#include "read/openvino/lower.h"

#include <algorithm>
#include <optional>

#include "ops/openvino_table.h"
#include "ops/tflite_table.h"

namespace strata::openvino {

namespace {

constexpr int kOpset = 23;

// Operators with the same inputs, and no settings or those of the same name.
struct Same {
  std::string_view type, op;
  int opset = kOpset;
};
constexpr Same kSame[] = {
    {"Abs", "Abs"},
    {"Acos", "Acos"},
    {"Acosh", "Acosh"},
    {"Add", "Add"},
    {"Asin", "Asin"},
    {"Asinh", "Asinh"},
    {"Atan", "Atan"},
    {"Atanh", "Atanh"},
    {"BitwiseAnd", "BitwiseAnd"},
    {"BitwiseNot", "BitwiseNot"},
    {"BitwiseOr", "BitwiseOr"},
    {"BitwiseXor", "BitwiseXor"},
    {"Ceiling", "Ceil"},
    {"Cos", "Cos"},
    {"Cosh", "Cosh"},
    {"Divide", "Div"},
    {"Equal", "Equal"},
    {"Erf", "Erf"},
    {"Exp", "Exp"},
    {"Floor", "Floor"},
    {"FloorMod", "Mod"},
    {"Greater", "Greater"},
    {"GreaterEqual", "GreaterOrEqual"},
    {"HSwish", "HardSwish"},
    {"HSigmoid", "HardSigmoid"},
    {"IsFinite", "IsNaN"},
    {"IsInf", "IsInf"},
    {"IsNaN", "IsNaN"},
    {"Less", "Less"},
    {"LessEqual", "LessOrEqual"},
    {"Log", "Log"},
    {"LogicalAnd", "And"},
    {"LogicalNot", "Not"},
    {"LogicalOr", "Or"},
    {"LogicalXor", "Xor"},
    {"Maximum", "Max"},
    {"Minimum", "Min"},
    {"Mish", "Mish"},
    {"Mod", "Mod"},
    {"Multiply", "Mul"},
    {"Negative", "Neg"},
    {"NotEqual", "Equal"},
    {"PReLU", "PRelu"},
    {"Power", "Pow"},
    {"ReLU", "Relu"},
    {"Round", "Round"},
    {"Select", "Where"},
    {"ShapeOf", "Shape"},
    {"Sigmoid", "Sigmoid"},
    {"Sign", "Sign"},
    {"Sin", "Sin"},
    {"Sinh", "Sinh"},
    {"SoftPlus", "Softplus"},
    {"SoftSign", "Softsign"},
    {"Sqrt", "Sqrt"},
    {"Squeeze", "Squeeze"},
    {"Subtract", "Sub"},
    {"Tan", "Tan"},
    {"Tanh", "Tanh"},
    {"Tile", "Tile"},
    {"Unsqueeze", "Unsqueeze"},
    {"ScatterNDUpdate", "ScatterND"},
    {"Range", "Range"},
    {"NonZero", "NonZero"},
    {"Identity", "Identity"},
    {"ConvertLike", "CastLike"},
    {"Col2Im", "Col2Im"},
};

constexpr Same kReductions[] = {
    {"ReduceMean", "ReduceMean"},     {"ReduceSum", "ReduceSum"},
    {"ReduceMax", "ReduceMax"},       {"ReduceMin", "ReduceMin"},
    {"ReduceProd", "ReduceProd"},     {"ReduceL1", "ReduceL1"},
    {"ReduceL2", "ReduceL2"},         {"ReduceLogicalAnd", "ReduceMin"},
    {"ReduceLogicalOr", "ReduceMax"},
};

class Lowering {
 public:
  Lowering(Loading& loading, const Graph& graph, const Layer& layer, std::vector<TensorId> inputs)
      : loading_(loading), graph_(graph), layer_(layer) {
    node_.inputs = std::move(inputs);
    node_.op = layer.type;
    node_.domain = kOpenvino;
    node_.opset = 1;
  }

  Lowered read() {
    const std::string_view type = layer_.type;
    for (const Same& same : kSame)
      if (same.type == type) return done(same.op, same.opset);
    for (const Same& same : kReductions)
      if (same.type == type) {
        add("keepdims", std::int64_t{layer_.flag("keep_dims", false)});
        return done(same.op);
      }
    if (type.find("Convolution") != type.npos) return convolution();
    if (type == "MaxPool" || type == "AvgPool") return pool();
    if (type.ends_with("Sequence") && type != "ReverseSequence") return sequence();
    if (type.ends_with("DFT")) {
      if (const auto axes = elements(1)) add_list("axes", *axes);
      return node_;
    }
    if (type == "OneHot") {
      add("axis", layer_.whole("axis", -1));
      return node_;
    }
    if (type == "Inverse") {
      done("Inverse", 1);
      node_.domain = "com.microsoft";
      return node_;
    }
    if (activation() || product() || layout() || norm() || detection()) return node_;
    return kept();
  }

 private:
  Lowered done(std::string_view op, int opset = kOpset) {
    node_.op = op;
    node_.domain = {};
    node_.opset = opset;
    return node_;
  }
  bool is(std::string_view op, int opset = kOpset) { return done(op, opset), true; }

  template <class T>
  void add(std::string_view name, T value) {
    node_.attributes.push_back({name, value});
  }
  void add_list(std::string_view name, std::span<const std::int64_t> list) {
    loading_.count_list_items(list.size());
    node_.attributes.push_back({name, loading_.model.keep(list)});
  }
  void keep_inputs(std::size_t count) {
    if (node_.inputs.size() > count) node_.inputs.resize(count);
  }
  TensorId input(std::size_t i) const { return i < node_.inputs.size() ? node_.inputs[i] : kNone; }
  const Dims& dims(std::size_t i) const {
    static const Dims kEmpty;
    return input(i) == kNone ? kEmpty : graph_.tensors[input(i)].type->dims;
  }

  // The elements of a constant input, if they are known.
  std::optional<std::vector<std::int64_t>> elements(std::size_t i) const {
    if (input(i) == kNone) return std::nullopt;
    const TensorData* data = graph_.tensors[input(i)].data;
    if (data == nullptr || data->store != TensorData::Store::Raw) return std::nullopt;
    const auto value = decode(*data);
    if (!value) return std::nullopt;
    std::vector<std::int64_t> numbers;
    for (const Scalar& item : value->items) {
      const Expr number = item.whole();
      if (!number.is_number()) return std::nullopt;
      numbers.push_back(number.value());
    }
    return numbers;
  }
  std::optional<std::int64_t> element(std::size_t i) const {
    const auto all = elements(i);
    return all && all->size() == 1 ? std::optional((*all)[0]) : std::nullopt;
  }

  void add_window() {
    if (const auto strides = layer_.wholes("strides"); !strides.empty())
      add_list("strides", strides);
    if (const auto dilations = layer_.wholes("dilations"); !dilations.empty())
      add_list("dilations", dilations);
    const std::string_view pad = layer_.text("auto_pad", "explicit");
    if (pad == "same_upper" || pad == "same_lower" || pad == "valid") {
      add("auto_pad", pad == "same_upper"   ? std::string_view("SAME_UPPER")
                      : pad == "same_lower" ? std::string_view("SAME_LOWER")
                                            : std::string_view("VALID"));
      return;
    }
    std::vector<std::int64_t> pads = layer_.wholes("pads_begin");
    const auto ends = layer_.wholes("pads_end");
    pads.insert(pads.end(), ends.begin(), ends.end());
    if (!pads.empty()) add_list("pads", pads);
  }

  // Weights of groups have the groups as an axis of their own; the reader joins it with the next.
  Lowered convolution() {
    const std::string_view type = layer_.type;
    const bool grouped = type.starts_with("Group");
    const bool transposed = type.find("Backprop") != type.npos;
    if (type.starts_with("Deformable") || type.starts_with("Binary")) return kept();
    add_window();
    if (grouped && layer_.inputs.size() > 1 && !layer_.inputs[1].dims.empty())
      add("group", std::max<std::int64_t>(1, layer_.inputs[1].dims[0]));
    if (transposed) {
      if (const auto more = layer_.wholes("output_padding"); !more.empty())
        add_list("output_padding", more);
      if (const auto sizes = elements(2)) add_list("output_shape", *sizes);
    }
    keep_inputs(2);
    return done(transposed ? "ConvTranspose" : "Conv");
  }

  Lowered pool() {
    add_list("kernel_shape", layer_.wholes("kernel"));
    add_window();
    if (layer_.text("rounding_type").starts_with("ceil")) add("ceil_mode", std::int64_t{1});
    if (layer_.type == "AvgPool")
      add("count_include_pad", std::int64_t{!layer_.flag("exclude-pad", true)});
    return done(layer_.type == "AvgPool" ? "AveragePool" : "MaxPool");
  }

  bool activation() {
    const std::string_view type = layer_.type;
    if (type == "Clamp") {
      add("min", layer_.real("min", 0));
      add("max", layer_.real("max", 0));
      return is("Clip", 6);
    }
    if (type == "Gelu") {
      if (layer_.text("approximation_mode") == "TANH") add("approximate", std::string_view("tanh"));
      return is("Gelu");
    }
    if (type == "Swish") return keep_inputs(1), is("Swish", 24);
    if (type == "HardSigmoid") return keep_inputs(1), is("HardSigmoid");
    if (type == "Selu") return keep_inputs(1), is("Selu");
    if (type == "Elu") return add("alpha", layer_.real("alpha", 1)), is("Elu");
    if (type == "SoftMax" || type == "Softmax")
      return add("axis", layer_.whole("axis", 1)), is("Softmax");
    if (type == "LogSoftmax" || type == "LogSoftMax")
      return add("axis", layer_.whole("axis", 1)), is("LogSoftmax");
    return false;
  }

  bool product() {
    const std::string_view type = layer_.type;
    if (type == "Einsum") return add("equation", layer_.text("equation")), is("Einsum");
    if (type == "ScaledDotProductAttention") {
      // ONNX's operator has heads as an axis.
      for (std::size_t i = 0; i < 3 && i < layer_.inputs.size(); ++i)
        if (layer_.inputs[i].has_rank && layer_.inputs[i].dims.size() != 4) return false;
      keep_inputs(4);
      add("is_causal", std::int64_t{layer_.flag("causal", false)});
      return is("Attention");
    }
    if (type != "MatMul") return false;
    const bool first = layer_.flag("transpose_a", false),
               second = layer_.flag("transpose_b", false);
    // A row of ONNX Runtime's operators says which sides are transposed, for any rank.
    const auto& ports = layer_.inputs;
    const bool is_gemm = (first || second) && ports.size() == 2 && ports[0].has_rank &&
                         ports[0].dims.size() == 2 && ports[1].dims.size() == 2;
    if (!first && !second) return is("MatMul");
    add("transA", std::int64_t{first});
    add("transB", std::int64_t{second});
    if (is_gemm) return is("Gemm");
    done("FusedMatMul", 1);
    node_.domain = "com.microsoft";
    return true;
  }

  void move_axis(std::size_t from, std::string_view name, std::int64_t otherwise) {
    add(name, element(from).value_or(otherwise));
    if (from < node_.inputs.size())
      node_.inputs.erase(node_.inputs.begin() + static_cast<std::ptrdiff_t>(from));
  }

  bool layout() {
    const std::string_view type = layer_.type;
    if (type == "Reshape") {
      add("allowzero", std::int64_t{!layer_.flag("special_zero", true)});
      return is("Reshape");
    }
    if (type == "Transpose") {
      const auto order = elements(1);
      if (!order && node_.inputs.size() > 1 && dims(1).size() == 1 && !dims(1)[0].is(0))
        return false;
      if (order && !order->empty()) add_list("perm", *order);
      return keep_inputs(1), is("Transpose");
    }
    if (type == "Concat") return add("axis", layer_.whole("axis", 0)), is("Concat");
    if (type == "Split") {
      add("num_outputs", layer_.whole("num_splits", 1));
      move_axis(1, "axis", 0);
      return is("Split");
    }
    if (type == "VariadicSplit") return variadic_split();
    if (type == "Gather") {
      if (layer_.whole("batch_dims", 0) != 0) return false;
      return move_axis(2, "axis", 0), is("Gather");
    }
    if (type == "GatherElements") return add("axis", layer_.whole("axis", 0)), is("GatherElements");
    if (type == "GatherND") return add("batch_dims", layer_.whole("batch_dims", 0)), is("GatherND");
    if (type == "ScatterElementsUpdate") return move_axis(3, "axis", 0), is("ScatterElements");
    if (type == "Slice") {
      if (node_.inputs.size() == 5) std::swap(node_.inputs[3], node_.inputs[4]);
      if (node_.inputs.size() == 4) node_.inputs.insert(node_.inputs.begin() + 3, kNone);
      return is("Slice");
    }
    if (type == "StridedSlice") {
      for (const std::string_view mask :
           {"begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask", "ellipsis_mask"}) {
        std::int64_t all = 0;
        const auto flags = layer_.wholes(mask);
        for (std::size_t i = 0; i < flags.size() && i < 31; ++i)
          if (flags[i] == 1) all |= std::int64_t{1} << i;
        add(mask, all);
      }
      done("STRIDED_SLICE", 1);
      node_.domain = kTflite;
      return true;
    }
    if (type == "Pad") {
      auto begins = elements(1);
      const auto ends = elements(2);
      if (!begins || !ends) return false;
      begins->insert(begins->end(), ends->begin(), ends->end());
      add_list("pads", *begins);
      return keep_inputs(1), is("Pad", 2);
    }
    if (type == "Broadcast") return keep_inputs(2), is("Expand");
    if (type == "DepthToSpace" || type == "SpaceToDepth") {
      add("blocksize", layer_.whole("block_size", 1));
      return is(type);
    }
    if (type == "ReverseSequence") {
      add("batch_axis", layer_.whole("batch_axis", 0));
      add("time_axis", layer_.whole("seq_axis", 1));
      return is("ReverseSequence");
    }
    if (type == "TopK") {
      add("axis", layer_.whole("axis", -1));
      add("largest", std::int64_t{layer_.text("mode", "max") == "max"});
      return is("TopK");
    }
    if (type == "CumSum") return is("CumSum");
    if (type == "Convert" && !layer_.outputs.empty()) {
      add("to", static_cast<std::int64_t>(layer_.outputs[0].dtype));
      return is("Cast");
    }
    if (type == "Interpolate") return interpolate();
    if (type == "GridSample") return is("GridSample");
    return false;
  }

  // A length of -1 is the rest, which TFLite's operator has too: data, lengths, axis.
  bool variadic_split() {
    const auto lengths = elements(2);
    const bool has_rest =
        lengths && std::find(lengths->begin(), lengths->end(), -1) != lengths->end();
    if (!has_rest) return move_axis(1, "axis", 0), is("Split");
    std::swap(node_.inputs[1], node_.inputs[2]);
    done("SPLIT_V", 1);
    node_.domain = kTflite;
    return true;
  }

  // Sizes and factors are of the axes alone that another input names.
  bool interpolate() {
    const std::string_view mode = layer_.text("mode", "linear");
    add("mode", mode == "nearest" ? std::string_view("nearest")
                : mode == "cubic" ? std::string_view("cubic")
                                  : std::string_view("linear"));
    const bool by_sizes = layer_.text("shape_calculation_mode", "sizes") == "sizes";
    const bool is_old = layer_.version == "opset4";
    const std::size_t axes_at = is_old ? 3 : 2;
    if (const auto axes = elements(axes_at)) add_list("axes", *axes);
    const TensorId sizes = input(1), factors = input(is_old ? 2 : 1);
    node_.inputs = {input(0), kNone, by_sizes ? kNone : factors, by_sizes ? sizes : kNone};
    return is("Resize");
  }

  bool norm() {
    const std::string_view type = layer_.type;
    if (type == "BatchNormInference") {
      if (layer_.version == "opset1" && node_.inputs.size() == 5)
        std::rotate(node_.inputs.begin(), node_.inputs.begin() + 2, node_.inputs.begin() + 3);
      return is("BatchNormalization", 15);
    }
    if (type == "MVN") {
      if (const auto axes = elements(1)) add_list("axes", *axes);
      return keep_inputs(1), is("MeanVarianceNormalization");
    }
    if (type == "NormalizeL2") return keep_inputs(1), is("LpNormalization");
    if (type == "LRN") return add("size", layer_.whole("size", 1)), keep_inputs(1), is("LRN");
    if (type == "GroupNormalization")
      return add("num_groups", layer_.whole("num_groups", 1)), is("GroupNormalization");
    return false;
  }

  bool detection() {
    const std::string_view type = layer_.type;
    if (type == "NonMaxSuppression") return keep_inputs(5), is("NonMaxSuppression");
    if (type == "ROIAlign") {
      add("output_height", layer_.whole("pooled_h", 1));
      add("output_width", layer_.whole("pooled_w", 1));
      add("sampling_ratio", layer_.whole("sampling_ratio", 0));
      add("mode", layer_.text("mode", "avg"));
      return is("RoiAlign");
    }
    return false;
  }

  // Batches come first: X, states, lengths, W, R, B.
  Lowered sequence() {
    const std::string_view type = layer_.type;
    const bool has_cell = type == "LSTMSequence";
    const std::size_t lengths = has_cell ? 3 : 2;
    const auto all = node_.inputs;
    if (all.size() < lengths + 4) return kept();
    node_.inputs = {all[0],       all[lengths + 1], all[lengths + 2],         all[lengths + 3],
                    all[lengths], all[1],           has_cell ? all[2] : kNone};
    add("layout", std::int64_t{1});
    add("hidden_size", layer_.whole("hidden_size", 1));
    const std::string_view direction = layer_.text("direction", "forward");
    add("direction", direction);
    if (type == "GRUSequence")
      add("linear_before_reset", std::int64_t{layer_.flag("linear_before_reset", false)});
    return done(type.substr(0, type.size() - std::string_view("Sequence").size()), 22);
  }

  // Settings of operators that are none of ONNX's own.
  Lowered kept() {
    for (const XmlAttribute& attribute : layer_.data) add(attribute.name, attribute.value);
    return node_;
  }

  Loading& loading_;
  const Graph& graph_;
  const Layer& layer_;
  Lowered node_;
};

}  // namespace

Lowered lowered(Loading& loading, const Graph& graph, const Layer& layer,
                std::vector<TensorId> inputs) {
  return Lowering(loading, graph, layer, std::move(inputs)).read();
}

}  // namespace strata::openvino
