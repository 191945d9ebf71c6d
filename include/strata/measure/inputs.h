// What a model is run on: made up from its shapes, or read from files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"

namespace strata {

// Elements for every input of an inferred model, the same for the same seed:
// images (four axes; one, three or four channels) are uniform from 0 to 1, other
// floats normal; integers that index a stored table stay inside it, positions count
// up, masks are 1, other integers are 0 or 1. Every size must be a number.
Result<std::vector<HostTensor>> random_inputs(const Model& model, std::uint64_t seed);

// A tensor from a file: .npy, ONNX .pb; several from .npz. A file with no names of its
// own gives `name`. Dims, type and length are checked against each other.
Result<std::vector<HostTensor>> read_tensors(const std::string& path, const std::string& name = "");

// `NAME=FILE` or `FILE` each: tensors for the inputs of a model, matched by name, or
// by order where the files have no names. Types and shapes are checked against the
// model's; what is missing is an error that lists what there is.
Result<std::vector<HostTensor>> read_inputs(const Model& model,
                                            const std::vector<std::string>& files);

}  // namespace strata
