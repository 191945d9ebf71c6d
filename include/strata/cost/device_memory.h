// The device memory that an eager run would take: what PyTorch's caching allocator has handed out
// at the entry and exit of every module, predicted without a device.
//
// The simulated run: a fresh allocator; then every parameter and buffer (children first, in order
// of registration, then a module's own parameters, then its buffers; a BatchNorm also has an 8-byte
// counter that files do not contain); then the inputs, which stay; then one forward pass without
// gradients.
//
// A tensor lives as long as something refers to it, which is longer than it is being read. Every
// call of a module holds its arguments until it has returned, so a container keeps its input until
// its end. In the body of a module (such as a Sequential), a value is released after the last step
// of that body that takes it, as in code that rebinds its variables. src/core/cost/known_bodies.cc
// lists the values that blocks of well-known networks keep in a variable for longer; for other
// networks, this is not known.
//
// A leaf module of a known kind (a convolution, a GELU, a LayerNorm, however many operators it is
// written with) allocates its output and nothing else, except for the indices of a max pool, which
// are released at its exit. In other modules, each operator allocates its own output.
//
// These have no memory of their own: views (Reshape, Flatten, Identity, Dropout and, as in PyTorch,
// also Transpose, Slice, Split, Expand and the selection of one index), except that a Reshape of a
// non-contiguous tensor makes a copy; ReLU, ReLU6, LeakyReLU, Hardswish and SiLU if nothing reads
// their input afterwards, because the usual networks run them in place; and the sum in a ResNet
// block (`out += identity`). Every other sum makes a new tensor.
//
// Not modelled: the workspaces of convolutions and matrix products (taken after the output and
// given back before the exit), handles and the context of the device, other streams, gradients, and
// the insides of loops and branches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/layers.h"

namespace strata {

// The rules of PyTorch's caching allocator. Each can be turned off to see its effect. Sizes are in
// bytes.
struct CachingRules {
  bool blocks = true;          // off: the sum of the tensors' bytes, without an allocator
  bool rounding = true;        // rounds requests up to a multiple of 512
  bool best_fit = true;        // smallest (size, address) that fits; off: lowest address
  bool split_limit = true;     // splits a large block only if more than 1 MiB is left
  bool merging = true;         // merges free neighbours in a segment
  bool large_segments = true;  // 20 MiB for a request above 1 and below 10 MiB
};

struct DeviceMemoryOptions {
  CachingRules allocator = {};
  bool weights_in_pool = true;    // off: weights and inputs come from elsewhere
  bool in_place = true;           // off: activations allocate their own output
  bool calls_hold_inputs = true;  // off: a tensor dies after the last module that reads it
  int forwards = 1;               // runs one after the other; the last one is reported
};

// Bytes that the allocator counts as handed out, around one module call or one operation between
// modules.
struct CallMemory {
  std::int64_t net = 0;      // at its entry, above weights and inputs
  std::int64_t alloc = 0;    // at its exit minus at its entry; negative if it released more
  std::int64_t at_exit = 0;  // net + alloc; published tables call it a maximum
};

struct DeviceMemory {
  // nullopt: it does not run, or is inside a loop or branch.
  std::vector<std::optional<CallMemory>> layers;  // one per entry of Layers::list
  std::vector<std::optional<CallMemory>> scopes;  // one per entry of Model::scopes
  std::int64_t weights = 0;                       // handed out for parameters and buffers
  std::int64_t inputs = 0;                        // handed out for the network's inputs
  std::int64_t peak_allocated = 0;   // most ever handed out at once, including weights and inputs
  std::int64_t peak_reserved = 0;    // segments taken from the device
  std::int64_t left = 0;             // above weights and inputs once the outputs are released: 0
  std::uint32_t peak_layer = kNone;  // the layer that runs at the peak; kNone: before the first
  std::vector<std::string> notes;    // what is assumed or left out, one sentence each
};

// Types must have been inferred. Fails with a sentence if a size is not a number.
Result<DeviceMemory> simulate_device(const Model& model, const Costs& costs, const Layers& layers,
                                     const DeviceMemoryOptions& options = {});

}  // namespace strata
