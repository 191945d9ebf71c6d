// Looks up attributes by meaning; an operator's row says what its dialect calls them.
#include <algorithm>

#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

const AttributeName* find_name(const Node& node, Attr attr) {
  for (const AttributeName& name : traits_of(node).attributes)
    if (name.attr == attr && name.since <= std::max(node.opset, 1)) return &name;
  return nullptr;
}

}  // namespace

std::optional<std::int64_t> NodeView::integer(Attr attr) const {
  const AttributeName* known = find_name(node_, attr);
  if (known == nullptr) return std::nullopt;
  return integer(known->name, static_cast<std::int64_t>(known->otherwise));
}

std::optional<double> NodeView::real(Attr attr) const {
  const AttributeName* known = find_name(node_, attr);
  if (known == nullptr) return std::nullopt;
  return real(known->name, known->otherwise);
}

std::string_view NodeView::text(Attr attr) const {
  const AttributeName* known = find_name(node_, attr);
  return known == nullptr ? std::string_view() : text(known->name, known->otherwise_text);
}

std::span<const std::int64_t> NodeView::integers(Attr attr) const {
  const AttributeName* known = find_name(node_, attr);
  return known == nullptr ? std::span<const std::int64_t>() : integers(known->name);
}

}  // namespace strata
