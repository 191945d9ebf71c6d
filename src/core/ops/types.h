// The common type of two types, for elements of a sequence, branches and iterations.
#pragma once

#include <vector>

#include "ops/shape_context.h"

namespace strata {

// Sequences are tracked element by element up to this length: types are copied from node to node,
// and a file must not make that expensive.
inline constexpr std::size_t kMaxItems = 256;

// The type that holds for a value of either type. Sizes that differ are unknown; for a sequence and
// an empty sequence, the elements are those of the former.
TypeInfo common_type(const TypeInfo& a, const TypeInfo& b);
// True if the types are the same as far as they are known: kind, dtype, sizes, and element by
// element.
bool same_type(const TypeInfo& a, const TypeInfo& b);

// Turns unknown sizes into new symbols.
void name_unknown_sizes(ShapeContext& c, TypeInfo& type, std::string_view hint);

// A sequence of these elements, known one by one.
TypeInfo sequence_of(std::vector<TypeInfo> items);
// Returns the common type of all elements of a sequence, as a tensor.
TypeInfo element_of(const TypeInfo& sequence);
// A sequence (or optional) of the elements that this tensor type describes.
TypeInfo wrapped(TypeInfo element, ValueKind kind);

}  // namespace strata
