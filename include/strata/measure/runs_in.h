// The precision that an engine really computes a model in: judged by its kernels, not by what the
// file asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/engine/engine.h"
#include "strata/measure/timing.h"

namespace strata {

// `int8` for 8-bit numbers of either sign, `fp32`, `fp16`, `bf16`, … Empty for types that are not a
// precision: indices, booleans, text, and unknown ones.
std::string_view precision_name(DType type);

// The kernels that an engine will run, and the nodes that it will not run.
struct KernelPlan {
  std::vector<Kernel> kernels;
  std::vector<Session::Absent> absent;
};

// Opens the model as it would be run, but runs nothing. An error if the engine cannot tell.
Result<KernelPlan> plan_kernels(const Engine& engine, const ModelSource& model,
                                SessionOptions options);

// The kernel that does the work of one node.
struct NodeKernel {
  std::string kernel, op;          // the engine's names; empty: no kernel has it
  DType dtype = DType::Undefined;  // what the kernel computes in
  std::string absent;              // why no kernel has it: `folded into a constant`
};

// True if the operator only changes the type of its input: QuantizeLinear, DequantizeLinear, Cast.
bool only_converts(std::string_view op);

// One per node of all graphs of the model, in the order of node_keys(). If several kernels share
// the work of some nodes, it takes the one named like the node (a QLinearConv for a Conv), or else
// one that does more than convert and move.
std::vector<NodeKernel> kernels_of_nodes(const Model& model, const KernelPlan& plan);

}  // namespace strata
