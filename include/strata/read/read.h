// Model files to Models. The file is mapped, not loaded: names are views into it
// and weights are never touched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

// The limits bound time and memory for files made to exhaust them; no network in
// use comes near. A file that passes one is refused with a sentence that says so.
struct ReadOptions {
  // Weights may be kept in files outside the model's own folder.
  bool allow_outside_data = false;
  // Nodes of all graphs together, and calls of functions, after inlining.
  std::uint64_t max_nodes = 5'000'000;
  // Tensors of all graphs together.
  std::uint64_t max_tensors = 20'000'000;
  // Elements in all the list attributes together.
  std::uint64_t max_list_items = 100'000'000;
  // Bodies and function calls inside each other.
  int max_depth = 200;
};

// Reads a file in whichever supported format it is.
Result<Model> read_model(const std::string& path, const ReadOptions& options = {});

// Reads an ONNX model from memory. The bytes must outlive the model, or be kept
// alive by model.backing. `label` names it in errors. Files with external weights
// are not looked for.
Result<Model> read_onnx(std::string_view bytes, std::string_view label,
                        const ReadOptions& options = {});

}  // namespace strata
