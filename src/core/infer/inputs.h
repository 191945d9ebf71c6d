// Applies what the caller says about a model's inputs.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "strata/infer/infer.h"

namespace strata {

// A sentence about the first input that is given another number of axes than the file states; empty
// if there is none. Some networks work with either.
std::string other_ranks(const Model& model, const InferOptions& options);

// Sets the shapes of the network's inputs according to `options`, but not the batch. An unknown
// input name is a usage error that lists what there is.
Status apply_shapes(Model& model, const InferOptions& options);

// Sets the batch: a symbol on the first axis of an input is the batch wherever it occurs; numbers
// there are replaced.
void apply_batch(Graph& graph, std::int64_t batch);

// The input of this name. If there is none, a usage error that lists what there is.
Result<Tensor*> find_input(Model& model, const std::string& name);

// Sets the types of elements that the file does not state. Another one than it states is a usage
// error.
Status apply_types(Model& model, const InferOptions& options);

// Sets the types and elements that are given for inputs.
Status apply_elements(Model& model, const InferOptions& options);

// The symbols in the shapes of the network's inputs, in order of appearance.
std::vector<Inference::Symbol> input_symbols(const Model& model);
// Adds their names alone.
void add_input_names(const Model& model, std::set<std::string, std::less<>>& names);

}  // namespace strata
