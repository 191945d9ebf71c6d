// Cutting a network in two: which tensors must be shipped from the first part to the
// second. True cut sets: all that was made before and is read after, also by layers
// far behind the cut, and inputs of the network that the second part still needs.
// Weights and constants are on both sides. A tensor and its reshaped views are one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strata/cost/layers.h"

namespace strata {

// How floating-point tensors are shipped; integers and booleans go as they are.
enum class Precision : std::uint8_t { Raw, Fp16, Int8 };
inline constexpr std::size_t kPrecisions = 3;
std::string_view name(Precision precision);  // `raw`, `fp16`, `int8`
// A type that is as narrow already keeps its size.
Expr shipped_bytes(const TypeInfo& type, Precision precision);

using ShippedBytes = std::array<Expr, kPrecisions>;  // by Precision

// An activation of the network's own graph, from the place that makes it to the last
// that reads it or a view of it.
struct Shippable {
  TensorId tensor = kNone;
  std::uint32_t first = 0, last = 0;  // crosses the places from `first` to before `last`
  std::uint32_t layer = kNone;        // that makes it; kNone: an input of the network
  ShippedBytes bytes = {};            // unknown if its size is
};

struct CutPlace {
  std::uint32_t layer = kNone;  // the first part ends after this layer; kNone: before all
  std::uint32_t tensors = 0;    // that cross
  std::uint32_t unknown = 0;    // of those, how many have no known size
  ShippedBytes bytes = {};      // of all whose size is known
  // No neighbour ships less; of equal neighbours the first. Sizes that only the data
  // tells are compared by their upper bound, sizes of the inputs as if they were 1.
  bool is_minimum = false;
  bool is_least_so_far = false;  // every earlier place ships more
};

struct Cuts {
  std::vector<Shippable> tensors;  // by first, then by tensor
  // In running order. The first is before all layers: the network's inputs are shipped.
  // Places after which nothing crosses any more are not here.
  std::vector<CutPlace> places;
};

// Places after each layer that computes something, in the file's order. A body runs
// with the node that owns it. Linear in nodes and edges.
Cuts find_cuts(const Model& model, const Costs& costs, const Layers& layers);

// For each of these places (ascending) the tensors that cross, as indices into
// Cuts::tensors. Time is that of one walk and of what is returned.
std::vector<std::vector<std::uint32_t>> crossing(const Cuts& cuts,
                                                 std::span<const std::uint32_t> places);

}  // namespace strata
