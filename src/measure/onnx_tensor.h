// A TensorProto in a file of its own, as ONNX's test data has them.
#pragma once

#include <string_view>

#include "strata/engine/engine.h"

namespace strata {

// All but the elements. `raw` are these where the file holds them as memory would.
struct OnnxTensorHead {
  std::string name;
  DType dtype = DType::Undefined;
  std::vector<std::int64_t> dims;
  std::string_view raw;
};
Result<OnnxTensorHead> read_onnx_tensor_head(std::string_view bytes, std::string_view label);

Result<HostTensor> read_onnx_tensor(std::string_view bytes, std::string_view label);

}  // namespace strata
