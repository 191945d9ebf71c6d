#include "edit/raise_opset.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

constexpr std::int32_t kOldest = 7;         // before, an attribute controlled broadcasting
constexpr std::int64_t kIrOfConstants = 4;  // from here on, stored tensors need not be inputs
constexpr std::int64_t kIrVersion = 7;      // the version that came with operator set 13

// Returns the changes of an ONNX operator up to `version`, apart from accepting more; nullptr if
// there are none.
const VersionChange* change_of(const Node& node, std::int32_t version) {
  const VersionChange* change = node.domain.empty() ? traits_of(node).changed : nullptr;
  const bool between =
      change != nullptr && node.opset < change->version && change->version <= version;
  return between ? change : nullptr;
}

class Raiser {
 public:
  explicit Raiser(GraphEdit& edit) : edit_(edit) {}

  Status raise(NodeId n, const VersionChange& change) {
    const Node node = edit_.node(n);
    const NodeView view(edit_.graph(), node);
    switch (change.how) {
      case Rewrite::AttributesToInputs:
        return to_inputs(n, change.attributes);
      case Rewrite::NoAttributes:
        return keep_attributes(n, {});
      case Rewrite::OneAxis:
        return softmax(n, view);
      case Rewrite::Norm:
        return norm(n, view);
      case Rewrite::Resize:
        return resize(n, view);
      case Rewrite::Renamed:
        edit_.set_op(n, change.attributes[0]);
        return {};
    }
    return {};
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

  // Turns attributes into inputs, in this order after the existing ones; absent attributes are left
  // out.
  Status to_inputs(NodeId n, std::span<const std::string_view> names) {
    const Node node = edit_.node(n);
    std::vector<TensorId> inputs(node.inputs.begin(), node.inputs.end());
    std::vector<Attribute> attributes;
    for (const Attribute& attribute : node.attributes)
      if (std::find(names.begin(), names.end(), attribute.name) == names.end())
        attributes.push_back(attribute);
    for (const std::string_view name : names)
      if (!name.empty()) inputs.push_back(stored(node, node.attribute(name)));
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

  // Keeps the old meaning: pixels start at 0 and are rounded down.
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

  // It used to apply to all axes from a given one on, and now applies to one: for the last axis
  // both are the same.
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
      const Node node = graph.nodes[n];
      if (const VersionChange* change = change_of(node, version)) {
        if (&graph != &edit.graph())
          return failure(
              fmt::format("{} {} in a body of control flow is of operator set {}; export "
                          "the model with operator set 13 or later",
                          node.op, in_quotes(node.name), node.opset));
        if (auto status = raiser.raise(n, *change); !status) return status;
      }
      if (graph.nodes[n].domain.empty())
        graph.nodes.change(n, [&](Node& raised) { raised.opset = version; });
    }
  own->version = version;
  return {};
}

}  // namespace strata
