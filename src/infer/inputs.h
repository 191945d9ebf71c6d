// Applies what the caller says about a model's inputs.
#pragma once

#include "strata/infer/infer.h"

namespace strata {

// Sets the types (and elements) of the network's inputs according to `options`. An unknown input
// name or a wrong number of axes is a usage error that lists what there is.
Status apply_inputs(Model& model, const InferOptions& options);

// The symbols in the shapes of the network's inputs, in order of appearance.
std::vector<Inference::Symbol> input_symbols(const Model& model);

}  // namespace strata
