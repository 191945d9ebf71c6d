// The names that a pickle of a state dict may use, and what they stand for.
#pragma once

#include <cstdint>
#include <string_view>

#include "strata/graph/dtype.h"

namespace strata::weights {

enum class GlobalKind : std::uint8_t {
  OrderedDict,
  Size,                // torch.Size: a tuple
  Device,              // torch.device: of no interest
  TensorClass,         // torch.Tensor, torch.nn.parameter.Parameter
  StorageType,         // torch.FloatStorage: names a type
  DTypeName,           // torch.float32
  RebuildTensor,       // (storage, offset, size, stride, …)
  RebuildTypedTensor,  // (storage, offset, size, stride, requires_grad, hooks, dtype, …)
  RebuildParameter,    // (tensor, requires_grad, hooks)
  RebuildFromType,     // (function, class, arguments, state)
};

struct Global {
  std::string_view module, name;
  GlobalKind kind;
  DType dtype = DType::Undefined;
};

// -1: it is not allowed.
int find_global(std::string_view module, std::string_view name);
const Global& global_at(std::int64_t row);

}  // namespace strata::weights
