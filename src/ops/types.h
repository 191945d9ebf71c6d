// What two types have in common: for elements of a sequence, branches and iterations.
#pragma once

#include <vector>

#include "ops/shape_context.h"

namespace strata {

// Sequences are followed element by element up to this length: types are copied from
// node to node, and a file must not make that expensive.
inline constexpr std::size_t kMaxItems = 256;

// What holds for a value that is of either type. Sizes that differ are unknown;
// of a sequence and an empty one, the elements are those of the other.
TypeInfo common_type(const TypeInfo& a, const TypeInfo& b);
// The same type as far as it is known: kind, dtype, sizes, and element by element.
bool same_type(const TypeInfo& a, const TypeInfo& b);

// Sizes that are unknown become new symbols.
void name_unknown_sizes(ShapeContext& c, TypeInfo& type, std::string_view hint);

// A sequence of these, known one by one.
TypeInfo sequence_of(std::vector<TypeInfo> items);
// What all elements of a sequence have in common, as a tensor.
TypeInfo element_of(const TypeInfo& sequence);
// A sequence (or optional) of whatever elements this tensor stands for.
TypeInfo wrapped(TypeInfo element, ValueKind kind);

}  // namespace strata
