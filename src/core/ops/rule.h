// An operator is a row: how the shapes of its outputs follow from its inputs, what it costs, its
// properties for later rooms, and worked examples, which are its documentation and its test.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/cost_context.h"
#include "ops/shape_context.h"
#include "ops/traits.h"

namespace strata {

using ShapeRule = Status (*)(ShapeContext&);
using CostRule = void (*)(CostContext&);

inline constexpr std::string_view kMicrosoft = "com.microsoft";
// PyTorch's operators, and those of its own that run bodies.
inline constexpr std::string_view kAten = "aten";
inline constexpr std::string_view kHigherOrder = "higher_order";

// A worked example.
//   inputs      `f32[1,3,224,224], i64[2]={2,-1}, _, f32[N,8]`; `_` is an absent optional
//               input; elements in braces make it a constant; `seq(f32[2,3], f32[4])`
//   attributes  `strides=2,2 pads=3,3,3,3 mode="linear" axis=1 alpha=0.5f scales=1.0f,2.0f`
//               (one number is an int attribute; a trailing comma makes it a list: `axes=1,`)
//   outputs     `f32[1,64,112,112]`, several separated by `, `; known elements in braces;
//               `f32[?]` is an unranked tensor; a data-dependent size is any symbol: compared by
//               text; a row without a shape rule has the outputs that are stated here
struct Example {
  std::string_view inputs;
  std::string_view attributes;
  std::string_view outputs;
  struct Expected {
    std::int64_t macs = -1;  // -1: not stated
    std::int64_t flops = -1;
  } cost = {};
  int opset = 0;  // 0: the newest
};

struct OpRule {
  std::string_view name;
  // Together with the name, this identifies an operator: "" for ONNX's own, another domain of ONNX,
  // or another dialect.
  std::string_view domain = "";
  int since = 1;  // first version of the domain that has it
  ShapeRule shape = nullptr;
  CostRule cost = nullptr;
  std::span<const Example> examples = {};
  // Bit i: input i is a setting (a shape, an axis, a bound), not a weight, even if it is stored in
  // the file.
  std::uint32_t settings = 0;
  // Bit i: input i is state that is stored but not learned (running statistics).
  std::uint32_t buffers = 0;
  // The rule can handle inputs of unknown rank. Otherwise, the outputs of such a node are unknown
  // and the rule is not called.
  bool takes_unranked = false;
  // Output 0 shares the memory of input 0 (Reshape, Identity, …).
  bool view = false;
  // Weights pass through it unchanged or repacked (Identity, Transpose, Cast, DequantizeLinear):
  // parameters belong to the node that reads its output.
  bool passes_weights = false;
  int until = 0;  // last version that has it; 0: not removed
  // Counts the parameters in a weight if several are packed into one element; null: one per
  // element.
  Expr (*parameters)(const NodeView& node, std::size_t input) = nullptr;
  Traits traits = {};
  // It is ONNX's own operator of the same name in another layout, and has the same traits except
  // for `channels_last`.
  bool like_namesake = false;
  // An operator of ONNX's own that it is in another dialect: what this row does not state of its
  // cost and its traits is the same, except for names of attributes and places in memory.
  std::string_view like = {};
};

// Bits for `settings` and `buffers`.
template <class... I>
constexpr std::uint32_t slots(I... i) {
  return ((std::uint32_t{1} << i) | ... | 0u);
}

}  // namespace strata
