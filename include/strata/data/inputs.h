// The inputs that a model is run on: made up from its shapes, or read from files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"

namespace strata {

// Elements for every input of an inferred model; the same seed gives the same elements. Images
// (four axes; one, three or four channels) are uniform from 0 to 1, other floats are normally
// distributed. Integers that index a stored table stay within it, positions count up, masks are 1,
// and other integers are 0 or 1. Every size must be a number.
Result<std::vector<HostTensor>> random_inputs(const Model& model, std::uint64_t seed);

// Reads one tensor from a .npy or an ONNX .pb file, or several from .npz. A tensor that has no name
// in its file is called `name`. Dims, type and length are checked against each other.
Result<std::vector<HostTensor>> read_tensors(const std::string& path, const std::string& name = "");

// Each entry is `NAME=FILE` or `FILE`. Tensors are matched to the model's inputs by name, or by
// order if the files have no names. Types and shapes are checked against the model's; a missing
// input is an error that lists what there is.
Result<std::vector<HostTensor>> read_inputs(const Model& model,
                                            const std::vector<std::string>& files);

}  // namespace strata
