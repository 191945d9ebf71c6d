// Cutting a network in two: which tensors must be shipped from the first part to the second. These
// are true cut sets: everything that is made before the cut and read after it, even by layers far
// behind it, and the network's inputs that the second part still needs. Weights and constants are
// on both sides. A tensor and its reshaped views count once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strata/cost/layers.h"

namespace strata {

// The precision in which floating-point tensors are shipped; integers and booleans go as they are.
enum class Precision : std::uint8_t { Raw, Fp16, Int8 };
inline constexpr std::size_t kPrecisions = 3;
std::string_view name_of(Precision precision);  // `raw`, `fp16`, `int8`
// A type that is already as narrow keeps its size.
Expr shipped_bytes(const TypeInfo& type, Precision precision);

using ShippedBytes = std::array<Expr, kPrecisions>;  // by Precision

// An activation of the network's own graph, from the place that makes it to the last place that
// reads it or a view of it.
struct Shippable {
  TensorId tensor = kNone;
  std::uint32_t first = 0, last = 0;  // crosses places `first` to `last` - 1
  std::uint32_t layer = kNone;        // the layer that makes it; kNone: an input of the network
  ShippedBytes bytes = {};            // unknown if its size is unknown
};

struct CutPlace {
  std::uint32_t layer = kNone;  // the first part ends after this layer; kNone: before all layers
  std::uint32_t tensors = 0;    // number of tensors that cross
  std::uint32_t unknown = 0;    // how many of these have no known size
  ShippedBytes bytes = {};      // sum over tensors of known size
  // No neighbour ships less; among equal neighbours, it is the first. Sizes that depend on data are
  // compared by their upper bound, and open input sizes as if they were 1.
  bool is_minimum = false;
  bool is_least_so_far = false;  // every earlier place ships more
};

struct Cuts {
  std::vector<Shippable> tensors;  // by first, then by tensor
  // In running order. The first place is before all layers: there, the network's inputs are
  // shipped. Places after which nothing crosses any more are not listed.
  std::vector<CutPlace> places;
};

// Places after each layer that computes something, in the file's order. A body runs with the node
// that owns it. Takes time linear in nodes and edges.
Cuts find_cuts(const Model& model, const Costs& costs, const Layers& layers);

// For each of these places (ascending), the tensors that cross, as indices into Cuts::tensors. The
// time is that of one walk plus the size of the result.
std::vector<std::vector<std::uint32_t>> crossing(const Cuts& cuts,
                                                 std::span<const std::uint32_t> places);

}  // namespace strata
