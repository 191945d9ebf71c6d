#include "read/executorch/xnnpack.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "ops/tflite_table.h"

namespace strata::executorch {

namespace {

constexpr std::uint32_t kInvalid = 0xffffffff;  // no such value

// The header in front of the graph: its identifier, its length, and where the parts are.
constexpr std::string_view kHeader = "XH00", kGraph = "XN01", kOldGraph = "XN00";
constexpr std::size_t kIdentifierAt = 4, kGraphAt = 10, kGraphBytesAt = 14, kConstantsAt = 18;

struct Parts {
  std::string_view graph, constants;
};

Parts parts_of(std::string_view program) {
  if (program.substr(kIdentifierAt, kHeader.size()) != kHeader) return {program, {}};
  const Wire wire(program);
  const std::size_t at = wire.read<std::uint32_t>(kGraphAt);
  const std::size_t size = wire.read<std::uint32_t>(kGraphBytesAt);
  const std::size_t constants = wire.read<std::uint32_t>(kConstantsAt);
  wire.need(at, size);
  wire.need(constants, 0);
  return {program.substr(at, size), program.substr(constants)};
}

// Indexed by XNNPACK's numbers of types.
constexpr DType kTypes[] = {
    DType::Undefined, DType::F32, DType::F16, DType::I8,  DType::U8,
    DType::I32,       DType::I8,  DType::I32, DType::I4,  DType::I8,
    DType::I4,        DType::I8,  DType::I32, DType::F32, DType::BF16,
};

// The operator that computes what a node of XNNPACK's does.
struct Equal {
  std::string_view node, domain, op;
};
constexpr std::string_view kAtenOps = "aten";
constexpr Equal kEqual[] = {
    {"Add", kTflite, "ADD"},
    {"Subtract", kTflite, "SUB"},
    {"Multiply", kTflite, "MUL"},
    {"Div", kTflite, "DIV"},
    {"FullyConnected", kTflite, "FULLY_CONNECTED"},
    {"Conv2d", kTflite, "CONV_2D"},
    {"DepthwiseConv2d", kTflite, "DEPTHWISE_CONV_2D"},
    {"ConvTranspose2d", kTflite, "TRANSPOSE_CONV"},
    {"AvgPooling2d", kTflite, "AVERAGE_POOL_2D"},
    {"MaxPooling2d", kTflite, "MAX_POOL_2D"},
    {"StaticResizeBilinear2D", kTflite, "RESIZE_BILINEAR"},
    {"Softmax", kAtenOps, "_softmax"},
    {"Sigmoid", kAtenOps, "sigmoid"},
    {"StaticTranspose", kAtenOps, "permute_copy"},
    {"StaticConstantPad", kAtenOps, "constant_pad_nd"},
    {"Minimum", kAtenOps, "minimum"},
    {"Maximum", kAtenOps, "maximum"},
    {"Floor", kAtenOps, "floor"},
    {"Ceiling", kAtenOps, "ceil"},
    {"GlobalAvgPooling2d", kAtenOps, "mean.dim"},
    {"StaticReshape", kAtenOps, "view_copy"},
    {"SquareRoot", kAtenOps, "sqrt"},
    {"ReciprocalSquareRoot", kAtenOps, "rsqrt"},
    {"Hardswish", kAtenOps, "hardswish"},
    {"LeakyReLU", kAtenOps, "leaky_relu"},
    {"Negate", kAtenOps, "neg"},
    {"Square", kAtenOps, "square"},
    {"ELU", kAtenOps, "elu"},
    {"Abs", kAtenOps, "abs"},
    {"PReLU", kAtenOps, "prelu"},
    {"Concatenate2", kAtenOps, "cat"},
    {"Concatenate3", kAtenOps, "cat"},
    {"Concatenate4", kAtenOps, "cat"},
    {"Concatenate5", kAtenOps, "cat"},
    {"StaticSlice", kAtenOps, "slice_copy.Tensor"},
    {"ScaledDotProductAttention", kAtenOps, "scaled_dot_product_attention"},
    {"BatchMatrixMultiply", kAtenOps, "matmul"},
    {"Log", kAtenOps, "log"},
    {"Gelu", kAtenOps, "gelu"},
    {"Tanh", kAtenOps, "tanh"},
    {"Exp", kAtenOps, "exp"},
    {"Sin", kAtenOps, "sin"},
    {"Cos", kAtenOps, "cos"},
    {"Copy", kAtenOps, "clone"},
};
// Nodes without a row are unknown, by XNNPACK's names.
constexpr std::string_view kXnnpack = "xnnpack";

class XnnReader {
 public:
  XnnReader(PlanReader& plan, const Parts& parts, std::span<const std::int32_t> args,
            std::string_view scope)
      : plan_(plan),
        loading_(plan.loading()),
        parts_(parts),
        wire_(parts.graph),
        graph_(wire_.root()),
        args_(args),
        scope_(scope) {}

  void read() {
    read_values();
    const List nodes = graph_.list(slot::kXNNGraphXnodes, sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < nodes.count; ++i) read_node(wire_.table_at(nodes, i));
    loading_.counts.opened_nodes += nodes.count;
  }

 private:
  // A value, by the number that nodes name.
  struct Value {
    Table tensor;
    TensorId id = kNone;
  };
  struct Fields {
    std::vector<std::uint32_t> inputs, outputs;
    std::vector<std::string_view> labels;  // of inputs: `filter`
    std::vector<Attribute> attributes;
  };

  void read_values();
  void read_node(const Table& node);
  Fields fields_of(const XnnNode& kind, const Table& node);
  Value& value(std::uint32_t number);
  TypeInfo type_of(const Value& value);
  TensorId use(std::uint32_t number, std::string_view layer, std::string_view label);
  TensorId make(std::uint32_t number, std::string_view layer);
  TensorId constant(const Value& value, std::uint32_t buffer, std::string_view name);
  const TensorData* shared(const TensorData& data);
  void adapt(std::string_view kind, Fields& fields);
  void adapt_window(std::string_view kind, Fields& fields);
  void add_activation(const Table& node, Node& made, Fields& fields);

  std::int64_t take(Fields& fields, std::string_view name) {
    const auto at = std::find_if(fields.attributes.begin(), fields.attributes.end(),
                                 [&](const Attribute& a) { return a.name == name; });
    if (at == fields.attributes.end()) return 0;
    const auto* number = std::get_if<std::int64_t>(&at->value);
    const std::int64_t taken = number == nullptr ? 0 : *number;
    fields.attributes.erase(at);
    return taken;
  }
  std::span<const std::int64_t> kept(std::initializer_list<std::int64_t> items) {
    return loading_.model.keep(std::span<const std::int64_t>(items.begin(), items.size()));
  }

  PlanReader& plan_;
  Loading& loading_;
  const Parts parts_;
  const Wire wire_;
  const Table graph_;
  const std::span<const std::int32_t> args_;
  const std::string_view scope_;
  NumberMap<Value> values_;
  bool is_used_again_ = false;  // the weight of the node being read
};

void XnnReader::read_values() {
  const List list = graph_.list(slot::kXNNGraphXvalues, sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < list.count; ++i) {
    loading_.count_entry();
    const Table entry = wire_.table_at(list, i);
    constexpr std::uint8_t kQuantized = 2;
    Table tensor = entry.table(slot::kXValueXvalueUnion);
    if (entry.number<std::uint8_t>(slot::kXValueXvalueUnionType, 0) == kQuantized)
      tensor = tensor.table(slot::kXNNQuantizedTensorValueTensorValue);
    if (!tensor.exists())
      throw Broken{"it is damaged: a value of an XNNPACK delegate has no tensor"};
    values_[tensor.number<std::uint32_t>(slot::kXNNTensorValueIdOut, 0)] = {tensor, kNone};
  }
}

XnnReader::Value& XnnReader::value(std::uint32_t number) {
  const auto known = values_.find(number);
  if (known == values_.end())
    throw Broken{fmt::format(
        "it is damaged: a node of an XNNPACK delegate refers to value {}, which there is not",
        number)};
  return known->second;
}

TypeInfo XnnReader::type_of(const Value& value) {
  const auto number = value.tensor.number<std::int16_t>(slot::kXNNTensorValueDatatype, 0);
  const DType dtype = number < 0 || static_cast<std::size_t>(number) >= std::size(kTypes)
                          ? DType::Undefined
                          : kTypes[number];
  Dims dims;
  for (const std::uint32_t size :
       loading_.integers<std::uint32_t>(wire_, value.tensor, slot::kXNNTensorValueDims))
    dims.push_back(std::int64_t{size});
  return TypeInfo::tensor(dtype, std::move(dims));
}

TensorId XnnReader::constant(const Value& value, std::uint32_t buffer, std::string_view name) {
  const TypeInfo type = type_of(value);
  TensorData data;
  data.name = name;
  data.dtype = type.dtype;
  std::vector<std::int64_t> dims;
  for (const Expr& size : type.dims) dims.push_back(size.value());
  data.dims = loading_.model.keep(std::span<const std::int64_t>(dims));
  const List places = graph_.list(slot::kXNNGraphConstantData, sizeof(std::uint32_t));
  if (buffer >= places.count)
    throw Broken{fmt::format("it is damaged: an XNNPACK delegate refers to constant {} of {}",
                             buffer, places.count)};
  const Table place = wire_.table_at(places, buffer);
  const std::string_view key = place.text(slot::kConstantDataOffsetNamedKey);
  const auto offset = place.number<std::uint64_t>(slot::kConstantDataOffsetOffset, 0);
  std::string_view bytes;
  if (!key.empty())
    bytes = loading_.storage.named(key);
  else if (offset <= parts_.constants.size())
    bytes = parts_.constants.substr(offset);
  const auto needed = strata::bytes(data.elements(), data.dtype).number();
  if (bytes.empty()) {
    ++loading_.counts.outside;  // in a file of weights beside this one
  } else if (!needed || static_cast<std::uint64_t>(*needed) > bytes.size()) {
    throw Broken{
        fmt::format("it is damaged, or not downloaded to the end: constant {} of an XNNPACK "
                    "delegate has {} bytes "
                    "where its shape needs {}",
                    buffer, bytes.size(), strata::bytes(data.elements(), data.dtype).text())};
  } else {
    data.store = TensorData::Store::Raw;
    data.bytes = bytes.substr(0, static_cast<std::size_t>(*needed));
  }
  const TensorId id = plan_.new_tensor(name, type, Role::Initializer);
  loading_.model.graph().tensors[id].data = shared(data);
  return id;
}

// Constants with equal elements have one place in the file. A matrix that another node has as well
// is the same weight, used again, and so are the vectors beside it; vectors alone may be equal by
// chance, as biases of zeros are.
const TensorData* XnnReader::shared(const TensorData& data) {
  const auto is_same = [&](const TensorData& other) {
    return other.dtype == data.dtype &&
           std::equal(other.dims.begin(), other.dims.end(), data.dims.begin(), data.dims.end());
  };
  const bool is_matrix = data.dims.size() > 1;
  if (data.store == TensorData::Store::Raw && (is_matrix || is_used_again_)) {
    const auto place = static_cast<std::uint64_t>(data.bytes.data() - loading_.wire.bytes().data());
    const auto known = loading_.weight_at.find(place);
    if (known != loading_.weight_at.end() && is_same(*known->second)) {
      is_used_again_ = true;
      return known->second;
    }
  }
  const TensorData* kept = &loading_.model.stored.emplace_back(data);
  if (data.store == TensorData::Store::Raw)
    loading_
        .weight_at[static_cast<std::uint64_t>(data.bytes.data() - loading_.wire.bytes().data())] =
        kept;
  return kept;
}

TensorId XnnReader::use(std::uint32_t number, std::string_view layer, std::string_view label) {
  if (number == kInvalid) return kNone;
  Value& known = value(number);
  if (known.id != kNone) return known.id;
  const auto buffer = known.tensor.number<std::uint32_t>(slot::kXNNTensorValueConstantBufferIdx, 0);
  if (buffer != 0)
    return known.id = constant(known, buffer, loading_.kept(fmt::format("{}.{}", layer, label)));
  constexpr std::uint32_t kInput = 1;
  const auto flags = known.tensor.number<std::uint32_t>(slot::kXNNTensorValueFlags, 0);
  const auto external = known.tensor.number<std::uint32_t>(slot::kXNNTensorValueExternalId, 0);
  if ((flags & kInput) == 0 || external >= args_.size() ||
      !plan_.values().is_tensor(args_[external]))
    throw Broken{fmt::format("it is damaged: {} reads value {}, which nothing before it makes",
                             layer, number)};
  return known.id = plan_.use(args_[external], layer, label);
}

TensorId XnnReader::make(std::uint32_t number, std::string_view layer) {
  Value& known = value(number);
  constexpr std::uint32_t kOutput = 2;
  const auto flags = known.tensor.number<std::uint32_t>(slot::kXNNTensorValueFlags, 0);
  const auto external = known.tensor.number<std::uint32_t>(slot::kXNNTensorValueExternalId, 0);
  const bool is_output = (flags & kOutput) != 0 && external < args_.size() &&
                         plan_.values().is_tensor(args_[external]);
  return known.id = is_output ? plan_.make(args_[external], layer)
                              : plan_.new_tensor(layer, type_of(known), Role::Activation);
}

XnnReader::Fields XnnReader::fields_of(const XnnNode& kind, const Table& node) {
  Fields fields;
  for (const XnnField& field : std::span(kXnnFields).subspan(kind.first, kind.count)) {
    if (field.name == "flags" || field.name == "num_dims") continue;
    if (field.name.starts_with("output_") && field.name.ends_with("_id")) {
      fields.outputs.push_back(node.number<std::uint32_t>(field.slot, 0));
    } else if (field.name.ends_with("_id")) {
      fields.inputs.push_back(node.number<std::uint32_t>(field.slot, 0));
      fields.labels.push_back(field.name.substr(0, field.name.size() - 3));
    } else if (field.is_list) {
      const auto list = loading_.integers<std::uint32_t>(wire_, node, field.slot);
      std::vector<std::int64_t> items(list.begin(), list.end());
      fields.attributes.push_back(
          {field.name, loading_.model.keep(std::span<const std::int64_t>(items))});
    } else if (field.is_float) {
      fields.attributes.push_back({field.name, node.number<float>(field.slot, 0)});
    } else {
      fields.attributes.push_back(
          {field.name, std::int64_t{node.number<std::uint32_t>(field.slot, 0)}});
    }
  }
  return fields;
}

// Windows have the attributes of TensorFlow Lite's operators.
void XnnReader::adapt_window(std::string_view kind, Fields& fields) {
  const bool is_pool = kind.ends_with("Pooling2d");
  const auto pair = [&](std::string_view name, std::string_view height, std::string_view width) {
    const std::int64_t h = take(fields, height), w = take(fields, width);
    fields.attributes.push_back({name, kept({h, w})});
  };
  const std::int64_t top = take(fields, "padding_top"), right = take(fields, "padding_right");
  const std::int64_t bottom = take(fields, "padding_bottom"), left = take(fields, "padding_left");
  fields.attributes.push_back({"pads", kept({top, left, bottom, right})});
  if (is_pool) {
    pair("kernel_shape", "pooling_height", "pooling_width");
    pair("strides", "stride_height", "stride_width");
    take(fields, "dilation_height"), take(fields, "dilation_width");  // 0 if it has none
    return;
  }
  pair("kernel_shape", "kernel_height", "kernel_width");
  pair("strides", "subsampling_height", "subsampling_width");
  pair("dilations", "dilation_height", "dilation_width");
  pair("output_padding", "adjustment_height", "adjustment_width");
  take(fields, "group_input_channels");
  take(fields, "group_output_channels");
  fields.attributes.push_back({"group", take(fields, "groups")});
}

void XnnReader::adapt(std::string_view kind, Fields& fields) {
  if (kind.find("Conv2d") != kind.npos || kind == "ConvTranspose2d" ||
      kind.ends_with("Pooling2d")) {
    if (kind != "GlobalAvgPooling2d") adapt_window(kind, fields);
  }
  if (kind.starts_with("Concatenate")) {
    // It states five inputs, and its name says how many of them count.
    const auto count = static_cast<std::size_t>(kind.back() - '0');
    fields.inputs.resize(std::min(fields.inputs.size(), count));
    fields.attributes = {{"tensors", static_cast<std::int64_t>(count)},
                         {"dim", take(fields, "axis")}};
  } else if (kind == "Softmax") {
    fields.attributes.push_back({"dim", std::int64_t{-1}});
  } else if (kind == "StaticTranspose") {
    fields.attributes[0].name = "dims";
  } else if (kind == "StaticReshape") {
    fields.attributes[0].name = "size";
  } else if (kind == "GlobalAvgPooling2d") {
    fields.attributes.push_back({"dim", kept({1, 2})});
  } else if (kind == "FullyConnected") {
    fields.attributes.push_back({"keep_num_dims", std::int64_t{1}});
  } else if (kind == "ScaledDotProductAttention" && fields.inputs.size() == 5) {
    fields.inputs.erase(fields.inputs.begin() + 3);  // the factor
  }
}

// Bounds of the output, which XNNPACK applies in the same pass.
void XnnReader::add_activation(const Table& node, Node& made, Fields& fields) {
  const Table bounds = node.table(slot::kXNodeOutputMinMax);
  const bool is_clamp = made.op == "Clamp";
  const float least = bounds.number<float>(slot::kOutputMinMaxOutputMin, 0);
  const float most = bounds.number<float>(slot::kOutputMinMaxOutputMax, 0);
  const bool has_least = bounds.exists() && std::isfinite(least);
  const bool has_most = bounds.exists() && std::isfinite(most);
  if (is_clamp) {
    made.domain = kAtenOps;
    made.op = has_least && has_most ? "hardtanh" : least == 0 && has_least ? "relu" : "clamp";
    if (made.op != "relu") {
      fields.attributes.push_back({has_least && has_most ? "min_val" : "min", least});
      fields.attributes.push_back({has_least && has_most ? "max_val" : "max", most});
    }
    return;
  }
  if (!has_least && !has_most) return;
  const std::string_view name = !has_most || !has_least    ? "RELU"
                                : least == -1 && most == 1 ? "RELU_N1_TO_1"
                                                           : "RELU6";
  fields.attributes.push_back({"activation", name});
}

std::string lower(std::string_view name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

void XnnReader::read_node(const Table& node) {
  const auto number = node.number<std::uint8_t>(slot::kXNodeXnodeUnionType, 0);
  if (number == 0 || number > kXnnNodes.size())
    throw Broken{fmt::format(
        "an XNNPACK delegate has a node of kind {}, which strata does not know", number)};
  const XnnNode& kind = kXnnNodes[number - 1u];
  Fields fields = fields_of(kind, node.table(slot::kXNodeXnodeUnion));
  adapt(kind.name, fields);
  Node made;
  made.op = kind.name;
  made.domain = kXnnpack;
  made.opset = 1;
  for (const Equal& equal : kEqual)
    if (equal.node == kind.name) made.domain = equal.domain, made.op = equal.op;
  made.name = loading_.numbered(scope_, lower(kind.name));
  add_activation(node, made, fields);

  is_used_again_ = false;
  std::vector<TensorId> inputs, outputs;
  for (std::size_t i = 0; i < fields.inputs.size(); ++i)
    inputs.push_back(use(fields.inputs[i], made.name, fields.labels[i]));
  for (const std::uint32_t output : fields.outputs) outputs.push_back(make(output, made.name));
  const auto dtype = [&](TensorId id) {
    return id == kNone ? DType::Undefined : loading_.model.graph().tensors[id].type->dtype;
  };
  if (kind.name == "Convert" && inputs.size() == 1 && outputs.size() == 1) {
    const bool to = is_float(dtype(outputs[0])), from = is_float(dtype(inputs[0]));
    made.domain = to == from ? kAtenOps : kTflite;
    made.op = to == from ? "_to_copy" : to ? "DEQUANTIZE" : "QUANTIZE";
  }
  if (kind.name == "ConvTranspose2d" && inputs.size() == 3)
    inputs = {kNone, inputs[1], inputs[0], inputs[2]};  // TensorFlow Lite's sizes come first
  loading_.add(made, inputs, outputs, fields.attributes);
}

}  // namespace

bool looks_like_xnnpack(std::string_view program) {
  if (program.size() <= kConstantsAt) return false;
  const std::string_view identifier = program.substr(kIdentifierAt, kHeader.size());
  return identifier == kHeader || identifier == kGraph || identifier == kOldGraph;
}

void read_xnnpack(PlanReader& plan, std::string_view program, std::span<const std::int32_t> args,
                  std::string_view scope) {
  XnnReader(plan, parts_of(program), args, scope).read();
  ++plan.loading().counts.opened;
}

}  // namespace strata::executorch
