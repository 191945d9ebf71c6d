// In which precision an engine really computes a model: from the kernels that it has, not from
// what the file asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/engine/engine.h"
#include "strata/measure/timing.h"

namespace strata {

// `int8` for numbers of 8 bits of either sign, `fp32`, `fp16`, `bf16`, … Empty for types that are
// no precision: indices, truth values, text, and what is not known.
std::string_view precision_name(DType type);

// What an engine will run, and the nodes that it will not.
struct KernelPlan {
  std::vector<Kernel> kernels;
  std::vector<Session::Absent> absent;
};

// Opens the model as it would be run, and runs nothing. An error if the engine cannot tell.
Result<KernelPlan> plan_kernels(const Engine& engine, const ModelSource& model,
                                SessionOptions options);

// The kernel that does the work of one node.
struct NodeKernel {
  std::string kernel, op;          // the engine's names; empty: no kernel has it
  DType dtype = DType::Undefined;  // that the kernel computes in
  std::string absent;              // why no kernel has it: `folded into a constant`
};

// Only changes the type of what it reads: QuantizeLinear, DequantizeLinear, Cast.
bool only_converts(std::string_view op);

// One for each node of all graphs of the model, as node_keys() lists them. Of several kernels
// that share the work of some nodes, the one that is named like the node (a QLinearConv for a
// Conv), else one that does more than convert and move.
std::vector<NodeKernel> kernels_of_nodes(const Model& model, const KernelPlan& plan);

}  // namespace strata
