#include "ops/shape_context.h"

#include <fmt/format.h>

namespace strata {

namespace {

// True if the elements are in memory and few enough to be worth unpacking.
bool decodable(const TensorData& data) {
  if (data.store != TensorData::Store::Raw) return false;
  const Expr count = data.elements();
  return count.is_number() && count.value() <= kMaxValueElements;
}

}  // namespace

std::string describe(const Graph& graph, const Node& node) {
  if (!node.name.empty()) return fmt::format("{} \"{}\"", node.op, node.name);
  for (TensorId id : node.outputs)
    if (id != kNone)
      return fmt::format("{} (no name, output \"{}\")", node.op, graph.tensors[id].name);
  return fmt::format("{} (no name, no output)", node.op);
}

bool ShapeContext::has_value(std::size_t i) const {
  if (!has(i)) return false;
  const Tensor& tensor = graph_.tensors[node_.inputs[i]];
  if (tensor.value != nullptr) return tensor.value->texts.empty();
  return tensor.data != nullptr && decodable(*tensor.data);
}

const Value* ShapeContext::value(std::size_t i) {
  if (!has(i)) return nullptr;
  Tensor& tensor = mutable_graph_.tensors[node_.inputs[i]];
  if (tensor.value != nullptr) return tensor.value->texts.empty() ? tensor.value : nullptr;
  if (tensor.data == nullptr || !decodable(*tensor.data)) return nullptr;
  auto decoded = decode(*tensor.data);
  if (!decoded) return nullptr;
  tensor.value = host_.model().keep(std::move(*decoded));
  return tensor.value;
}

std::span<const std::string> ShapeContext::texts_of(std::size_t i) const {
  if (!has(i)) return {};
  Tensor& tensor = mutable_graph_.tensors[node_.inputs[i]];
  if (tensor.value == nullptr && tensor.data != nullptr && tensor.data->dtype == DType::String)
    if (auto decoded = decode(*tensor.data)) tensor.value = host_.model().keep(std::move(*decoded));
  const Value* known = tensor.value;
  return known != nullptr ? std::span<const std::string>(known->texts)
                          : std::span<const std::string>{};
}

std::optional<Dims> ShapeContext::integers_of(std::size_t i) {
  const Value* known = value(i);
  if (known == nullptr) return std::nullopt;
  Dims items;
  items.reserve(known->size());
  for (const Scalar& item : known->items) items.push_back(item.whole());
  return items;
}

std::optional<Expr> ShapeContext::scalar_of(std::size_t i) {
  const Value* known = value(i);
  if (known == nullptr || known->size() != 1) return std::nullopt;
  return known->items[0].whole();
}

void ShapeContext::set(std::size_t i, TypeInfo type) {
  if (!has_output(i)) return;
  mutable_graph_.tensors[node_.outputs[i]].type = std::move(type);
}

void ShapeContext::share_type(std::size_t i, std::size_t input) {
  if (!has_output(i)) return;
  Tensor& output = mutable_graph_.tensors[node_.outputs[i]];
  if (has(input))
    output.type = graph_.tensors[node_.inputs[input]].type;
  else
    output.type = kAbsent;
}

TypeInfo* ShapeContext::tensor_type(std::size_t i, DType dtype) {
  if (!has_output(i)) return nullptr;
  TypeInfo& type = mutable_graph_.tensors[node_.outputs[i]].type.edit();
  type.kind = ValueKind::Tensor;
  type.dtype = dtype;
  type.ranked = true;
  type.items = nullptr;
  return &type;
}

void ShapeContext::set(std::size_t i, DType dtype, Dims&& dims) {
  if (TypeInfo* type = tensor_type(i, dtype)) type->dims = std::move(dims);
}

void ShapeContext::set(std::size_t i, DType dtype, const Dims& dims) {
  if (TypeInfo* type = tensor_type(i, dtype)) type->dims = dims;
}

void ShapeContext::set_unranked(std::size_t i, DType dtype) { set(i, TypeInfo::unranked(dtype)); }

void ShapeContext::set_value(std::size_t i, Value&& value) {
  if (has_output(i)) share_value(i, host_.model().keep(std::move(value)));
}

void ShapeContext::share_value(std::size_t i, const Value* value) {
  TypeInfo* type = tensor_type(i, value->type);
  if (type == nullptr) return;
  type->dims.clear();
  for (const std::int64_t size : value->dims) type->dims.push_back(size);
  mutable_graph_.tensors[node_.outputs[i]].value = value;
}

Result<std::size_t> ShapeContext::axis(std::int64_t axis, std::size_t rank) const {
  const auto axes = static_cast<std::int64_t>(rank);
  if (axis < -axes || axis >= axes)
    return error(fmt::format("axis {} does not exist in a tensor with {} axes", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

Result<Dims> ShapeContext::broadcast(const Dims& a, const Dims& b) const {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims out = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    Expr& size = out[shift + i];
    const Expr& other = shorter[i];
    if (other.is(1) || size == other) continue;
    if (!size.is(1) && size.is_number() && other.is_number()) {
      return error(
          fmt::format("cannot broadcast {} with {}: sizes {} and {} differ and neither is 1",
                      strata::text(a), strata::text(b), size.text(), other.text()));
    } else if (size.is(1) || other.is_number()) {
      size = other;  // to which a formula that is not 1 must be equal
    } else if (!size.is_number()) {
      size = max(size, other);
    }
  }
  return out;
}

tl::unexpected<Error> ShapeContext::error(std::string_view what) const {
  return failure(fmt::format("{}: {}", describe(graph_, node_), what));
}

}  // namespace strata
