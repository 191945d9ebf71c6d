// Layers and nodes gathered into rows: the parts of make_rows().
#pragma once

#include <span>
#include <vector>

#include "strata/profile/analysis.h"
#include "strata/profile/rows.h"

namespace strata {

// Sets the rows of the report asked for, in running order, how many were left out because they cost
// nothing (constants, shape arithmetic, views), and the bytes of their texts.
void gather_rows(const Analysis& analysis, Rows& rows);

// The layers that are rows of calls, and how many are left out, unless all are wanted.
std::vector<std::uint32_t> listed_layers(const Analysis& analysis, bool all, std::size_t& hidden);
// Like above for nodes, as indices into Costs::nodes.
std::vector<std::uint32_t> listed_nodes(const Analysis& analysis, bool all, std::size_t& hidden);

// One group of layers, which may be one layer alone. Texts of shapes are slow to make: without
// them, `input` and `output` are empty.
Row layer_row(const Analysis& analysis, std::span<const std::uint32_t> group,
              bool with_shapes = true);
// One node; `layer` is the layer of which it is the main node, or kNone.
Row node_row(const Analysis& analysis, std::uint32_t node, std::uint32_t layer,
             bool with_shapes = true);
// Layers by index into Costs::nodes.
std::vector<std::uint32_t> layers_by_main_node(const Analysis& analysis);
// Returns all inputs of a node but the weights.
std::vector<TensorId> inputs_of(const Executed& executed);

// Groups of layers that run as one: convolution or linear, then a norm, then an
// activation, where nobody else reads what passes between them.
std::vector<std::vector<std::uint32_t>> fused_groups(const Analysis& analysis);

// The module tree with inclusive totals, to `depth` levels below the network.
RowList tree_rows(const Analysis& analysis, std::uint32_t depth);

// Adds the totals to rows, and what is to be said of them.
void add_totals(const Analysis& analysis, Rows& rows);

// Adds what was measured beside the figures of layers: times so far and their shares, intervals,
// and rows of what no layer asked for, with which the rows add up to the end-to-end median.
void add_measured(const Analysis& analysis, Rows& rows);

}  // namespace strata
