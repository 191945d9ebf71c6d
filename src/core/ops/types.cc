#include "ops/types.h"

namespace strata {

namespace {

bool is_sequence(const TypeInfo& type) {
  return type.kind == ValueKind::Sequence || type.kind == ValueKind::OptionalSequence;
}

bool is_empty_sequence(const TypeInfo& type) {
  return is_sequence(type) && type.items && type.items->empty();
}

ValueKind common_kind(ValueKind a, ValueKind b) {
  if (a == b) return a;
  const auto either = [&](ValueKind kind) { return a == kind || b == kind; };
  if (either(ValueKind::OptionalSequence)) return ValueKind::OptionalSequence;
  if (either(ValueKind::Optional)) return ValueKind::Optional;
  return ValueKind::Opaque;
}

}  // namespace

TypeInfo common_type(const TypeInfo& a, const TypeInfo& b) {
  TypeInfo type;
  type.kind = common_kind(a.kind, b.kind);
  type.dtype = a.dtype == b.dtype || b.dtype == DType::Undefined ? a.dtype
               : a.dtype == DType::Undefined                     ? b.dtype
                                                                 : DType::Undefined;
  if (is_empty_sequence(a) != is_empty_sequence(b)) {
    const TypeInfo& other = is_empty_sequence(a) ? b : a;
    type.ranked = other.ranked;
    type.dims = other.dims;
    return type;
  }
  if (a.ranked && b.ranked && a.dims.size() == b.dims.size()) {
    type.ranked = true;
    type.dims = a.dims;
    for (std::size_t i = 0; i < type.dims.size(); ++i) {
      if (!(a.dims[i] == b.dims[i])) type.dims[i] = Expr::unknown();
    }
  }
  if (a.items && b.items && a.items->size() == b.items->size()) {
    std::vector<TypeInfo> items;
    for (std::size_t i = 0; i < a.items->size(); ++i) {
      items.push_back(common_type((*a.items)[i], (*b.items)[i]));
    }
    type.items = std::make_shared<const std::vector<TypeInfo>>(std::move(items));
  }
  return type;
}

bool same_type(const TypeInfo& a, const TypeInfo& b) {
  if (a.kind != b.kind || a.dtype != b.dtype || a.ranked != b.ranked) return false;
  if (a.dims.size() != b.dims.size() || !a.items != !b.items) return false;
  for (std::size_t i = 0; i < a.dims.size(); ++i) {
    const bool both_unknown = a.dims[i].is_unknown() && b.dims[i].is_unknown();
    if (!both_unknown && !(a.dims[i] == b.dims[i])) return false;
  }
  if (!a.items || a.items == b.items) return true;
  if (a.items->size() != b.items->size()) return false;
  for (std::size_t i = 0; i < a.items->size(); ++i) {
    if (!same_type((*a.items)[i], (*b.items)[i])) return false;
  }
  return true;
}

void name_unknown_sizes(ShapeContext& c, TypeInfo& type, std::string_view hint) {
  // The elements of a sequence may well have nothing in common.
  if (is_sequence(type)) return;
  for (Expr& size : type.dims) {
    if (size.is_unknown() && !size.is_overflow()) size = c.fresh(hint);
  }
}

TypeInfo sequence_of(std::vector<TypeInfo> items) {
  TypeInfo type;
  if (!items.empty()) type = items.front();
  for (const TypeInfo& item : items) type = common_type(type, item);
  type.kind = ValueKind::Sequence;
  type.items = std::make_shared<const std::vector<TypeInfo>>(std::move(items));
  return type;
}

TypeInfo element_of(const TypeInfo& sequence) {
  TypeInfo element = sequence;
  element.kind = ValueKind::Tensor;
  element.items = nullptr;
  return element;
}

TypeInfo wrapped(TypeInfo element, ValueKind kind) {
  element.kind = kind;
  return element;
}

}  // namespace strata
