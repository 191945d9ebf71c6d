// Reads model files into Models. The file is mapped, not loaded: names are views into it, and
// weights are never touched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/read/source.h"

namespace strata {

// The limits bound time and memory for malicious files; no real network comes near them. A file
// that exceeds one is refused with a sentence that says so. What inlining adds is also limited in
// proportion to the size of the file (docs/limits.md).
struct ReadOptions {
  // The model to read if a file holds several; empty: the only one.
  std::string model = {};
  // Weights may be kept in files outside the model's own folder.
  bool allow_outside_data = false;
  // Also read when a recording's run took and gave back memory (Model::recorded). A training step's
  // is always read.
  bool memory = false;
  // Multiplies all limits of numbers below, and those in proportion to the file.
  double limit = 1;
  // Nodes of all graphs together, and function calls, after inlining.
  std::uint64_t max_nodes = 5'000'000;
  // Tensors of all graphs together.
  std::uint64_t max_tensors = 20'000'000;
  // Elements of all list attributes together.
  std::uint64_t max_list_items = 100'000'000;
  // Nesting of bodies and function calls.
  int max_depth = 200;
};

// Reads a file in any of the formats that state a network: `read_model("model.onnx")`. What is
// built, or has to be run first, is read by load_model() (strata/task/model.h).
Result<Model> read_model(const Source& source, const ReadOptions& options = {});

// Reads a recording (docs/pytorch.md) from memory, and keeps the bytes.
Result<Model> read_recording(std::string bytes, std::string_view label,
                             const ReadOptions& options = {});

// Reads an ONNX model from memory. The bytes must outlive the model, or be kept alive by
// model.backing. `label` names the model in errors. Files with external weights are not looked for.
Result<Model> read_onnx(std::string_view bytes, std::string_view label,
                        const ReadOptions& options = {});

}  // namespace strata
