// Turns an operator's worked example into a model with one node, and types back into the text that
// examples are written in.
#pragma once

#include <string>

#include "ops/rule.h"

namespace strata {

// The model has one node; inputs with elements are initializers. The newest
// version of the domain is used unless the example names one. For a row without a shape rule, the
// outputs have the types that the example states.
Result<Model> example_model(const OpRule& rule, const Example& example);

// `f32[1,64,112,112]`, `i64[2]={2,-1}`, `seq(f32[2], f32[3])`, `f32[?]`.
std::string example_text(const TypeInfo& type, const Value* value);
// All outputs of a node, separated by `, `; `_` for one that is not used.
std::string outputs_text(const Graph& graph, const Node& node);

inline constexpr int kNewestOpset = 26;

}  // namespace strata
