// The kernels that a network runs as: its nodes, fused as the runtime fuses them, in classes that
// have one efficiency each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/cost.h"
#include "strata/graph/graph.h"

namespace strata {

enum class KernelClass : std::uint8_t {
  ConvPointwise,  // a window of 1
  Conv,
  ConvStem,  // from at most four channels: images
  ConvGrouped,
  Depthwise,       // a window of at most 3×3
  DepthwiseLarge,  // a larger one
  Gemm,            // with stored weights
  BatchedGemm,     // of two activations
  Attention,
  BatchNorm,
  LayerNorm,
  GroupNorm,
  Pointwise,
  Softmax,
  Reduction,
  Pool,
  Copy,
  Gather,
  Resize,
  Recurrent,
  Other,    // an operator of no class
  Unknown,  // its cost is unknown, so its time is, too
};
inline constexpr std::size_t kKernelClasses = static_cast<std::size_t>(KernelClass::Unknown) + 1;
std::string_view name_of(KernelClass kind);  // `conv1x1`, `depthwise`
std::optional<KernelClass> kernel_class_from_name(std::string_view name);
// Its arithmetic runs on matrix units, where the device has them.
bool uses_matrix_units(KernelClass kind);

// How a network is run, which decides what is fused.
enum class Runtime : std::uint8_t {
  Eager,     // every operator is a kernel
  Compiled,  // torch.compile: elementwise operators, norms and copies in one kernel
  Engine,    // also what follows a convolution or a product, in its kernel
};
std::string_view name_of(Runtime runtime);
std::optional<Runtime> runtime_from_name(std::string_view name);

// How images and what is made from them are stored.
enum class ChannelOrder : std::uint8_t {
  First,  // NCHW
  Last,   // NHWC; PyTorch's channels_last
};

struct FusedKernel {
  KernelClass kind = KernelClass::Other;
  Phase phase = Phase::Forward;           // of a training step
  std::vector<std::uint32_t> nodes = {};  // indices into Costs::nodes; the first is the main one
  double times = 1;                       // how often it runs in one run of the network
  // The memory of one time step. Bytes are those of the types in the file.
  double macs = 0, flops = 0;  // flops without those of the MACs
  double read_bytes = 0, write_bytes = 0;
  double weight_bytes = 0;   // the part of read_bytes that is stored weights
  double outputs = 0;        // elements that it writes
  double element_bytes = 4;  // of its floating-point tensors in the file; 0: it has none
};

// Every size has to be a number, or to have an upper bound that is one. `notes` receives sentences
// about what was assumed.
Result<std::vector<FusedKernel>> find_kernels(const Model& model, const Costs& costs,
                                              Runtime runtime, std::vector<std::string>& notes);
// Like above, for several runtimes at once; which takes less time than one after the other.
Result<std::map<Runtime, std::vector<FusedKernel>>> find_kernels(const Model& model,
                                                                 const Costs& costs,
                                                                 const std::set<Runtime>& runtimes,
                                                                 std::vector<std::string>& notes);

}  // namespace strata
