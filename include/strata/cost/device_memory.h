// The device memory that an eager run would take: what PyTorch's caching allocator
// has handed out at the entry and exit of every module, with no device at hand.
//
// The run: a fresh allocator; every parameter and buffer (children first, in the
// order of their registration, then a module's own parameters, then its buffers;
// a BatchNorm also has a counter of 8 bytes that files do not carry); the inputs,
// which stay; then one forward pass without gradients.
//
// A tensor lives as long as something refers to it, which is longer than it is
// read. Every call of a module holds what it was given until it has returned, so a
// container keeps its input to its end. In the body of a module (a Sequential is one
// case) a value is let go after the last step of that body that takes it, as in code
// that rebinds its variables. Which values the blocks of well-known networks keep in
// a variable for longer is in src/cost/known_bodies.cc; for others it is not known.
//
// A leaf module that is known by its kind (a convolution, a GELU, a LayerNorm, however
// many operators it is written with) makes its output and nothing else, but for the
// indices of a max pool, which are gone at its exit. In other modules each operator
// makes its own output.
//
// Without memory of their own: views (Reshape, Flatten, Identity, Dropout, and as in
// PyTorch also Transpose, Slice, Split, Expand and the choice of one index), except
// that a Reshape of what no longer lies in order makes a copy; ReLU, ReLU6,
// LeakyReLU, Hardswish and SiLU where nobody reads their input afterwards, as the
// usual networks ask for; the sum in a ResNet's block (`out += identity`). Every other
// sum makes a new tensor.
//
// Left out: the workspaces of convolutions and matrix products (taken after the
// output and given back before the exit), handles and the context of the device,
// other streams, gradients, and the insides of loops and branches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/layers.h"

namespace strata {

// The rules of PyTorch's caching allocator, each of which can be turned off to see
// what it does. Sizes in bytes.
struct CachingRules {
  bool blocks = true;          // off: the sum of the tensors' bytes, no allocator at all
  bool rounding = true;        // requests up to a multiple of 512
  bool best_fit = true;        // smallest (size, address) that fits; off: lowest address
  bool split_limit = true;     // a large block is split only if more than 1 MiB is left
  bool merging = true;         // of free neighbours in a segment
  bool large_segments = true;  // 20 MiB for a request above 1 and below 10 MiB
};

struct DeviceMemoryOptions {
  CachingRules allocator = {};
  bool weights_in_pool = true;    // off: weights and inputs come from elsewhere
  bool in_place = true;           // off: activations make their own output
  bool calls_hold_inputs = true;  // off: a tensor dies after the last module that reads it
  int forwards = 1;               // runs one after the other; the last is the one reported
};

// Bytes that the allocator counts as handed out, around one call of a module or one
// operation between modules.
struct CallMemory {
  std::int64_t net = 0;      // at its entry, above weights and inputs
  std::int64_t alloc = 0;    // at its exit less at its entry: below 0 if it gave back more
  std::int64_t at_exit = 0;  // net + alloc; published tables call it a maximum
};

struct DeviceMemory {
  // nullopt: it does not run, or inside of a loop or branch.
  std::vector<std::optional<CallMemory>> layers;  // as many as Layers::list
  std::vector<std::optional<CallMemory>> scopes;  // as many as Model::scopes
  std::int64_t weights = 0;                       // handed out for parameters and buffers
  std::int64_t inputs = 0;                        // for the network's inputs
  std::int64_t peak_allocated = 0;   // most ever handed out at once, weights and inputs included
  std::int64_t peak_reserved = 0;    // segments taken from the device
  std::int64_t left = 0;             // above weights and inputs once the outputs are dropped: 0
  std::uint32_t peak_layer = kNone;  // the layer that runs at the peak; kNone: before the first
  std::vector<std::string> notes;    // what is assumed and left out, a sentence each
};

// Needs inferred types; fails with a sentence when a size is not a number.
Result<DeviceMemory> simulate_device(const Model& model, const Costs& costs, const Layers& layers,
                                     const DeviceMemoryOptions& options = {});

}  // namespace strata
