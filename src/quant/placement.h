// Which nodes compute in whole numbers, and where tensors become whole numbers.
#pragma once

#include <optional>
#include <vector>

#include "quant/links.h"
#include "strata/quant/layers.h"
#include "strata/quant/qdq.h"
#include "strata/quant/range.h"

namespace strata {

// What a node outside of the layers can do with whole numbers of 8 bits.
enum class Int8Use : std::uint8_t {
  None,
  Passing,     // gives what it is given: Reshape, MaxPool, …
  Arithmetic,  // engines have a kernel for it: Add, Concat, AveragePool, …
  Absorbed,    // Relu, Clip: cut off by the range of what follows
  Soft,        // runs in floats, but what it makes of whole numbers may well be quantized
};
enum class Where : std::uint8_t {
  Nowhere,
  AtProducer,  // behind what makes it; all that read it read the whole numbers
  AtReaders,   // made by a node that runs in floats: only those that compute in int8 do
};

struct Placement {
  std::vector<Int8Use> uses;  // by node
  std::vector<bool> int8;     // by node: computes in whole numbers
  std::vector<Where> where;   // by tensor
  // By tensor: the one whose range it has, the first before all that only pass it on.
  std::vector<TensorId> root;

  // All tensors with a place; of those that share a range only the root.
  std::vector<TensorId> roots() const;
  // Whether an input of a node is read as whole numbers. An absorbed node reads floats:
  // what comes out of the kernel before it.
  bool reads_int8(const Reader& reader) const {
    const Int8Use use = uses[reader.node];
    return int8[reader.node] && use != Int8Use::Absorbed &&
           (reader.slot == 0 || use == Int8Use::Arithmetic);
  }
};

Placement place_int8(const Model& model, const Links& links, const std::vector<QuantLayer>& layers,
                     const StaysFloat& floats);

// The range of a tensor, or of the one that it is passed on from: with another layer in int8 it
// would be the same numbers. Nullptr: the ranges have neither.
const Range* range_of(const Graph& graph, const Placement& placement, const TensorRanges& ranges,
                      TensorId id);
// How a tensor is rounded: by its range, within the bounds of a Relu or Clip that makes it.
Result<Quantization> activation_numbers(const Graph& graph, const Placement& placement,
                                        const TensorRanges& ranges, TensorId id);

// The bounds that a Relu or Clip gives.
Range clip_bounds(const Graph& graph, const Node& node);

}  // namespace strata
