// Nodes of the network's own graph as kernels that read each other's results, put together step by
// step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strata/predict/kernels.h"

namespace strata {

// One node that takes time, with the memory that it reads and writes. A view is the memory that it
// looks at.
struct KernelNode {
  std::uint32_t index = 0;  // into Costs::nodes
  KernelClass kind = KernelClass::Other;
  Phase phase = Phase::Forward;
  double times = 1;
  double macs = 0, flops = 0, read_bytes = 0, write_bytes = 0, weight_bytes = 0;
  double element_bytes = 0;
  double inputs = 0, outputs = 0;       // elements
  std::vector<TensorId> reads = {};     // activations, by the tensor that owns the memory
  std::vector<double> read_sizes = {};  // bytes that it reads of each
  std::vector<TensorId> writes = {};
  bool in_network = true;   // false: in a body, where nothing is fused
  bool is_product = false;  // elementwise: Mul or Div
  bool is_part = false;     // ONNX's: PyTorch may have run it and its neighbours as one operator
};

class KernelGraph {
 public:
  KernelGraph(std::vector<KernelNode> nodes, std::size_t tensors,
              std::span<const TensorId> outputs);

  void join_operators();    // what files take apart: biases, attention, functions such as GELU
  void fuse_epilogues();    // what follows a convolution or a product
  void fuse_equal_sizes();  // elementwise work, norms and copies
  std::vector<FusedKernel> kernels() const;

 private:
  std::uint32_t find(std::uint32_t node) const;
  std::uint32_t only_reader(std::uint32_t node) const;  // of its first output; kNone: several
  bool is_scaling(std::uint32_t node) const;            // by a stored number
  void join_biases();
  void join_attention();
  void join_functions();
  void merge(std::uint32_t into, std::uint32_t other);
  bool has_other_way(std::uint32_t from, std::uint32_t to) const;
  FusedKernel kernel_of(const std::vector<std::uint32_t>& members) const;

  std::vector<KernelNode> nodes_;
  mutable std::vector<std::uint32_t> parent_;        // union and find
  std::vector<std::vector<std::uint32_t>> members_;  // by root
  std::vector<std::uint32_t> maker_;                 // by tensor
  std::vector<std::vector<std::uint32_t>> readers_;  // by tensor
  std::vector<bool> is_output_;                      // by tensor
};

}  // namespace strata
