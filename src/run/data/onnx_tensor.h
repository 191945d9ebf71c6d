// A TensorProto in a file of its own, as in ONNX's test data.
#pragma once

#include <string_view>

#include "strata/engine/engine.h"

namespace strata {

// Everything but the elements. `raw` holds the elements if the file stores them as memory does.
struct OnnxTensorHead {
  std::string name;
  DType dtype = DType::Undefined;
  std::vector<std::int64_t> dims;
  std::string_view raw;
};
Result<OnnxTensorHead> read_onnx_tensor_head(std::string_view bytes, std::string_view label);

Result<HostTensor> read_onnx_tensor(std::string_view bytes, std::string_view label);

}  // namespace strata
