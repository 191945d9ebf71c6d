#include "quant/raise_opset.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ops/node_view.h"
#include "read/in_quotes.h"

namespace strata {

namespace {

constexpr std::int32_t kOldest = 7;         // before, shapes were broadcast by an attribute
constexpr std::int64_t kIrOfConstants = 4;  // stored tensors need not be inputs from here on
constexpr std::int64_t kIrVersion = 7;      // that came with operator set 13

// Whether an operator changed on the way to `version`, other than by what it accepts.
bool has_changed(const Node& node, std::int32_t version) {
  struct Change {
    std::string_view op;
    std::int32_t version;
  };
  constexpr Change kChanges[] = {
      {"Squeeze", 13},  {"Unsqueeze", 13},  {"ReduceSum", 13}, {"Split", 13},
      {"Softmax", 13},  {"LogSoftmax", 13}, {"Hardmax", 13},   {"Clip", 11},
      {"Pad", 11},      {"Dropout", 12},    {"Slice", 10},     {"TopK", 10},
      {"Upsample", 10}, {"Resize", 11},     {"Scatter", 11},   {"BatchNormalization", 9}};
  return node.domain.empty() &&
         std::any_of(std::begin(kChanges), std::end(kChanges), [&](const Change& change) {
           return change.op == node.op && node.opset < change.version && change.version <= version;
         });
}

class Raiser {
 public:
  explicit Raiser(GraphEdit& edit) : edit_(edit) {}

  Status raise(NodeId n) {
    const Node node = edit_.node(n);
    const NodeView view(edit_.graph(), node);
    const std::string_view op = node.op;
    if (op == "Squeeze" || op == "Unsqueeze" || op == "ReduceSum") return to_inputs(n, {"axes"});
    if (op == "Split") return to_inputs(n, {"split"});
    if (op == "Slice") return to_inputs(n, {"starts", "ends", "axes"});
    if (op == "TopK") return to_inputs(n, {"k"});
    if (op == "Clip") return to_inputs(n, {"min", "max"});
    if (op == "Pad") return to_inputs(n, {"pads", "value"});
    if (op == "Dropout") return keep_attributes(n, {});
    if (op == "BatchNormalization") return norm(n, view);
    if (op == "Upsample" || op == "Resize") return resize(n, view);
    if (op == "Scatter") {
      edit_.set_op(n, "ScatterElements");
      return {};
    }
    return softmax(n, view);
  }

 private:
  tl::unexpected<Error> refusal(NodeId n, std::string_view why) const {
    const Node& node = edit_.node(n);
    return failure(
        fmt::format("{} {} of operator set {} {}; export the model with operator set 13 "
                    "or later",
                    node.op, in_quotes(node.name), node.opset, why));
  }

  Status keep_attributes(NodeId n, std::initializer_list<std::string_view> names,
                         std::vector<Attribute> more = {}) {
    for (const Attribute& attribute : edit_.node(n).attributes)
      if (std::find(names.begin(), names.end(), attribute.name) != names.end())
        more.push_back(attribute);
    edit_.set_attributes(n, more);
    return {};
  }

  // Attributes that became inputs, in this order behind those there are; what is not given
  // is left out.
  Status to_inputs(NodeId n, std::initializer_list<std::string_view> names) {
    const Node node = edit_.node(n);
    std::vector<TensorId> inputs(node.inputs.begin(), node.inputs.end());
    std::vector<Attribute> attributes;
    for (const Attribute& attribute : node.attributes)
      if (std::find(names.begin(), names.end(), attribute.name) == names.end())
        attributes.push_back(attribute);
    for (const std::string_view name : names) inputs.push_back(stored(node, node.attribute(name)));
    while (!inputs.empty() && inputs.back() == kNone) inputs.pop_back();
    edit_.set_inputs(n, inputs);
    edit_.set_attributes(n, attributes);
    return {};
  }
  TensorId stored(const Node& node, const Attribute* attribute) {
    if (attribute == nullptr) return kNone;
    const std::string name = fmt::format("{}_{}", node.name, attribute->name);
    if (const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute->value)) {
      const std::int64_t dims[] = {static_cast<std::int64_t>(list->size())};
      return edit_.add_stored(name, DType::I64, dims, *list);
    }
    if (const auto* one = std::get_if<std::int64_t>(&attribute->value)) {
      const std::int64_t dims[] = {1};
      return edit_.add_stored(name, DType::I64, dims, std::span<const std::int64_t>(one, 1));
    }
    if (const auto* real = std::get_if<float>(&attribute->value))
      return edit_.add_stored(name, DType::F32, {}, std::span<const float>(real, 1));
    return kNone;
  }

  Status norm(NodeId n, const NodeView& view) {
    if (view.integer("spatial", 1) != 1) return refusal(n, "has a norm of its own for each pixel");
    return keep_attributes(n, {"epsilon", "momentum"});
  }

  // As they were: pixels start at 0 and are taken from below.
  Status resize(NodeId n, const NodeView& view) {
    const Node node = edit_.node(n);
    if (node.inputs.size() != 2) return refusal(n, "has its scales in an attribute");
    const TensorId inputs[] = {node.inputs[0], kNone, node.inputs[1]};
    edit_.set_inputs(n, inputs);
    edit_.set_op(n, "Resize");
    return keep_attributes(n, {},
                           {{"mode", view.text("mode", "nearest")},
                            {"coordinate_transformation_mode", std::string_view("asymmetric")},
                            {"nearest_mode", std::string_view("floor")}});
  }

  // It was over all axes from one on, and is over one: the same for the last.
  Status softmax(NodeId n, const NodeView& view) {
    const auto rank = static_cast<std::int64_t>(view.rank(0));
    const std::int64_t axis = view.integer("axis", 1);
    if (!view.ranked(0) || (axis < 0 ? axis + rank : axis) != rank - 1)
      return refusal(n, "is over several axes together");
    return keep_attributes(n, {}, {{"axis", std::int64_t{-1}}});
  }

  GraphEdit& edit_;
};

}  // namespace

Status raise_opset(GraphEdit& edit, std::int32_t version) {
  Model& model = edit.model();
  if (model.ir_version != 0 && model.ir_version < kIrOfConstants)
    for (Tensor& tensor : edit.graph().tensors) tensor.replaceable = false;
  if (model.ir_version != 0) model.ir_version = std::max(model.ir_version, kIrVersion);
  const auto own = std::find_if(model.opsets.begin(), model.opsets.end(),
                                [](const OpsetImport& opset) { return opset.domain.empty(); });
  if (own == model.opsets.end() || own->version >= version) return {};
  if (own->version < kOldest)
    return failure(
        fmt::format("the model is in operator set {}, which is too old; export it with "
                    "operator set 13 or later",
                    own->version));
  Raiser raiser(edit);
  for (Graph& graph : model.graphs)
    for (NodeId n = 0; n < graph.nodes.size(); ++n) {
      Node& node = graph.nodes[n];
      if (has_changed(node, version)) {
        if (&graph != &edit.graph())
          return failure(
              fmt::format("{} {} in a body of control flow is of operator set {}; export "
                          "the model with operator set 13 or later",
                          node.op, in_quotes(node.name), node.opset));
        if (auto status = raiser.raise(n); !status) return status;
      }
      if (graph.nodes[n].domain.empty()) graph.nodes[n].opset = version;
    }
  own->version = version;
  return {};
}

}  // namespace strata
