// The fake engine's view of a model: kernels, and numbers for its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/engine/plugin.h"
#include "strata/graph/graph.h"

namespace strata::fake {

struct KernelPlan {
  std::string name, op;
  std::vector<std::string> sources;          // as node_keys() calls them
  std::vector<const char*> source_pointers;  // pointers into `sources`
  ScopeId scope = 0;                         // the module that its first node belongs to
  std::vector<TensorId> outputs;
  double flops = 0, bytes = 0;
  // Element types as ONNX's numbers: of its first node's inputs, of its last node's outputs, and
  // the type it computes in.
  std::vector<std::int32_t> inputs, output_types;
  std::int32_t dtype = 0;
};

struct Plan {
  std::vector<KernelPlan> kernels;
  std::vector<std::pair<std::string, std::string>> absent;  // node, reason
};

// Plans for the model's current shapes. With `fuse`, an activation or normalization
// belongs to the kernel that makes its only input.
Plan plan_kernels(const Model& model, bool fuse);

// ONNX's number for `fp32`, `fp16`, `bf16` or `int8`; 0 for others.
std::int32_t dtype_of(std::string_view precision);

// Turns every size into a number: the size itself, or else its upper bound, or else 1.
std::vector<std::int64_t> dims_now(const Tensor& tensor);
std::uint64_t bytes_now(const Tensor& tensor);

std::uint64_t mixed(std::uint64_t x);  // splitmix64
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t hash);
// f32 in [-1, 1), other types 0 or 1 in every byte.
std::vector<std::byte> elements_of(const Tensor& tensor, std::uint64_t input_hash);

// When a kernel of a plan ran.
struct KernelTime {
  std::uint64_t run;
  std::size_t kernel;
  std::int64_t start_ns, duration_ns;
};

// When a call of a module was entered and left.
struct ModuleTime {
  std::uint64_t run;
  ScopeId scope;
  std::int64_t enter_ns, exit_ns;
};

// Adds the modules of a run's kernels, each before those inside it. A module is
// entered when its first kernel starts and left when its last one ends.
void add_modules(const Model& model, const Plan& plan, std::span<const KernelTime> times,
                 const StrataTrace& trace, std::vector<ModuleTime>& out);

// A kernel allocates its outputs when it starts. Tensors that are no longer needed are freed when
// it ends; the model's own outputs are freed at the end of the run.
std::vector<StrataBlock> blocks_of(const Model& model, const Plan& plan,
                                   std::span<const KernelTime> times, std::int64_t end_ns);

}  // namespace strata::fake
