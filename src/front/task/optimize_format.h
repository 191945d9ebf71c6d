// The formats that `strata optimize` takes, and what is tried and written for each.
#pragma once

#include <string>

#include "strata/base/result.h"
#include "strata/task/bench.h"

namespace strata {

// True for a TorchScript file, which PyTorch's engine runs in its modes. It is written as it is: a
// file cannot hold what PyTorch makes of it.
bool is_torchscript(const std::string& model);

// Fails at once for formats that are neither ONNX nor TorchScript, with what to type instead.
Status check_format(const std::string& model);

// Fills in the engines and precisions that the caller did not choose.
Status fill_engines(BenchRequest& request, bool torchscript);

// Fails if the output would replace a file of another kind.
Status check_model_output(const std::string& output, bool torchscript);

Status write_model(const std::string& file, const std::string& output, bool torchscript);

}  // namespace strata
