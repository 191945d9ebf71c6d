// Decides which nodes compute in whole numbers, and where tensors become whole numbers.
#pragma once

#include <optional>
#include <vector>

#include "edit/links.h"
#include "ops/traits.h"
#include "strata/calibrate/range.h"
#include "strata/edit/layers.h"
#include "strata/edit/qdq.h"

namespace strata {

enum class Where : std::uint8_t {
  Nowhere,
  AtProducer,  // after its producer; all readers read the whole numbers
  AtReaders,   // made in float: only readers that compute in int8 read them
};

struct Placement {
  std::vector<Int8Use> uses;  // by node; never Unknown
  std::vector<bool> int8;     // by node: computes in whole numbers
  std::vector<Where> where;   // by tensor
  // For each tensor, the one whose range it has: the first before nodes that only pass it on.
  std::vector<TensorId> root;

  // All tensors with a place; only the root of those that share a range.
  std::vector<TensorId> roots() const;
  // True if an input of a node is read as whole numbers. An absorbed node reads floats, the output
  // of the kernel before it.
  bool reads_int8(const Reader& reader) const {
    const Int8Use use = uses[reader.node];
    return int8[reader.node] && use != Int8Use::Absorbed &&
           (reader.slot == 0 || use == Int8Use::Arithmetic);
  }
};

Placement place_int8(const Model& model, const Links& links, const std::vector<QuantLayer>& layers,
                     const StaysFloat& floats);

// The range of a tensor, or of the tensor that is passed on to it, whose numbers are the same.
// nullptr if the ranges have neither.
const Range* range_of(const Graph& graph, const Placement& placement, const TensorRanges& ranges,
                      TensorId id);
// Rounds a tensor by its range, within the bounds of the Relu or Clip that makes it.
Result<Quantization> activation_numbers(const Graph& graph, const Placement& placement,
                                        const TensorRanges& ranges, TensorId id);

// The bounds that a Relu or Clip gives.
Range clip_bounds(const Graph& graph, const Node& node);

}  // namespace strata
