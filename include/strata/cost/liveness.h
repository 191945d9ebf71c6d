// The memory that the network's activations need: how much is alive at each step, and where each
// tensor could be placed.
#pragma once

#include <cstdint>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/cost.h"

namespace strata {

// The lifetime of an activation's memory: from the node that writes it to the last node that reads
// it or any view of it. Positions are node numbers in the network's own graph.
struct Lifetime {
  TensorId tensor;
  NodeId first, last;
  Expr bytes;
};

struct Liveness {
  std::vector<Lifetime> lifetimes;  // sorted by first, then by tensor
  std::vector<Expr> alive;          // bytes alive while each node runs
  // The largest of `alive`, at any sizes: a maximum of formulas if the sizes decide which is the
  // largest. It is a lower bound for this order: real allocators round up, and kernels take scratch
  // memory. The insides of bodies are not included.
  Expr peak_bytes;
  // LowerBound: some sizes are unknown, too many formulas may be the largest, a recorded run took
  // memory that nobody saw, or bodies make tensors of their own.
  Certainty certainty = Certainty::Exact;
  // If open sizes decide which node has the peak, these two are for large sizes, and `at_peak` adds
  // up to one of the formulas.
  NodeId peak_node = kNone;
  std::vector<Lifetime> at_peak;  // largest first
};

// In graph order, each tensor being freed after its last reader. Inputs of the network are alive
// until they are last read, its outputs until the end. In programs of PyTorch, operators that work
// in place and views make no new memory. Quantized tensors count as they are held
// (Costs::quantized).
Liveness find_liveness(const Model& model, const Costs& costs);

// Offsets in one block of memory such that no two tensors that are alive at once overlap.
struct ArenaPlan {
  struct Block {
    TensorId tensor;
    NodeId first, last;
    std::int64_t offset, bytes;  // bytes as needed; offsets are multiples of the alignment
  };
  std::vector<Block> blocks;
  std::int64_t bytes = 0;  // size of the arena
  std::int64_t bound = 0;  // peak with sizes rounded up: no plan can be smaller
};

// Fails with a sentence if a size is not a number.
Result<ArenaPlan> plan_arena(const Model& model, const Liveness& liveness,
                             std::int64_t alignment = 64);

}  // namespace strata
