#include "ops/node_view.h"

namespace strata {

namespace {

template <class T>
const T* attribute_as(const Node& node, std::string_view name) {
  const Attribute* attribute = node.attribute(name);
  return attribute ? std::get_if<T>(&attribute->value) : nullptr;
}

Expr elements_or_unknown(const TypeInfo& type) {
  return type.ranked ? elements(type.dims) : Expr::unknown();
}

}  // namespace

const TypeInfo NodeView::kAbsent;

Expr NodeView::in_elements(std::size_t i) const { return elements_or_unknown(in(i)); }
Expr NodeView::out_elements(std::size_t i) const { return elements_or_unknown(out(i)); }

std::int64_t NodeView::integer(std::string_view name, std::int64_t otherwise) const {
  return integer(name).value_or(otherwise);
}

std::optional<std::int64_t> NodeView::integer(std::string_view name) const {
  const auto* number = attribute_as<std::int64_t>(node_, name);
  return number ? std::optional(*number) : std::nullopt;
}

double NodeView::real(std::string_view name, double otherwise) const {
  const auto* number = attribute_as<float>(node_, name);
  return number ? static_cast<double>(*number) : otherwise;
}

std::string_view NodeView::text(std::string_view name, std::string_view otherwise) const {
  const auto* words = attribute_as<std::string_view>(node_, name);
  return words ? *words : otherwise;
}

std::span<const std::int64_t> NodeView::integers(std::string_view name) const {
  const auto* list = attribute_as<std::span<const std::int64_t>>(node_, name);
  return list ? *list : std::span<const std::int64_t>{};
}

std::span<const float> NodeView::reals(std::string_view name) const {
  const auto* list = attribute_as<std::span<const float>>(node_, name);
  return list ? *list : std::span<const float>{};
}

std::span<const std::string_view> NodeView::texts(std::string_view name) const {
  const auto* list = attribute_as<std::span<const std::string_view>>(node_, name);
  return list ? *list : std::span<const std::string_view>{};
}

const TensorData* NodeView::tensor(std::string_view name) const {
  const auto* data = attribute_as<const TensorData*>(node_, name);
  return data ? *data : nullptr;
}

Graph* NodeView::body(std::string_view name) const {
  const auto* graph = attribute_as<Graph*>(node_, name);
  return graph ? *graph : nullptr;
}

}  // namespace strata
