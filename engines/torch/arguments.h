// Tensors of the contract as the arguments of a module's `forward`, and what it returns as tensors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "strata/engine/plugin.h"
#include "torch_api.h"

namespace strata::libtorch {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

// An argument of `forward`.
struct Parameter {
  std::string name;
  c10::TypePtr type;  // without Optional
  bool optional = false;
  c10::IValue otherwise;  // what it is if nothing is given
};

// Those of `forward` without the module itself. Throws a Failure at one that no tensor can be given
// for and that has no default.
std::vector<Parameter> parameters_of(const c10::FunctionSchema& forward);

// Views of the tensors that strata keeps; nothing is copied.
std::vector<NamedTensor> tensors_of(std::span<const StrataTensor> inputs);

// Gives a tensor without a name that of the only parameter that takes tensors, if there is one.
void name_only_input(const std::vector<Parameter>& parameters, std::vector<NamedTensor>& inputs);

// The names that tensors may have: those of parameters, and `NAME.0`, `NAME.key` for the items of a
// list, a tuple or a dictionary. Throws a Failure that says what is missing or unknown.
void check_names(const std::vector<Parameter>& parameters, const std::vector<NamedTensor>& inputs);

// The argument that the tensors make. A list of images may be given as one tensor with a batch.
c10::IValue argument(const Parameter& parameter, const std::vector<NamedTensor>& inputs);

// All tensors that a value holds: `output`, `0`, `1.boxes`.
std::vector<NamedTensor> flattened(const c10::IValue& value);

}  // namespace strata::libtorch
