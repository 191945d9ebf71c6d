// A model in float, as jobs take it that quantize it or find out what that does.
#pragma once

#include <vector>

#include "strata/edit/layers.h"
#include "strata/task/model.h"

namespace strata {

// The error of a job that needs an ONNX file and was given a model of another format.
Error not_onnx(const Source& source);

// Fails if the file has another format that has to be converted first. Reads no more than its
// start.
Status check_is_onnx(const Source& source);

// An open first axis of an input becomes 1. Fails if the model cannot be run, or is quantized.
Result<LoadedModel> load_float_model(const ModelRequest& request);

// The layers of it that can be quantized; that there are none is an error.
Result<std::vector<QuantLayer>> layers_to_quantize(const LoadedModel& loaded,
                                                   const ModelRequest& request);

}  // namespace strata
