// Names and sizes as payload reports print them.
#pragma once

#include <string>
#include <vector>

#include "strata/report/payload.h"

namespace strata {

// `layer1.0.relu`; `(network)` for the network itself.
std::string boundary_name(const PayloadSource& source, const Boundary& boundary);
// `rpn.head.conv#2` for the second call; `(inputs)` for none.
std::string layer_name(const PayloadSource& source, std::uint32_t layer);

// `≤1000×256×7×7`: a size that only the data tells by its upper bound. `?` without a rank.
std::string bounded_shape(const TypeInfo& type);
// `47.85 MiB`, `≤47.85 MiB`, `8 B·nonzero`, `?`.
std::string bounded_bytes(const Expr& bytes, bool exact);

// `module`, `operation`, `view`: an operation that only gives its input another shape.
std::string_view kind_name(const Boundary& boundary);
// True if a table should show it: deep enough in the tree, and no view between modules unless all
// are wanted.
bool is_shown(const Boundary& boundary, const PayloadOptions& options);
// Indices of the places to show.
std::vector<std::uint32_t> shown_places(const Cuts& cuts, bool all);
// Sum; unknown if one is.
Expr bytes_of(std::span<const BoundaryTensor> tensors);

Table boundary_table(const PayloadSource& source, const Boundaries& boundaries,
                     const PayloadOptions& options);
Table cut_table(const PayloadSource& source, const Cuts& cuts, const PayloadOptions& options);

// Path and call of a layer, unknown for the network's inputs; bytes by precision; a tensor that is
// shipped, with the layer that made it.
Members layer_members(const PayloadSource& source, std::uint32_t layer);
Cell all_bytes(const ShippedBytes& bytes);
Members shipped_members(const PayloadSource& source, TensorId id, std::uint32_t layer, Cell bytes);

}  // namespace strata
