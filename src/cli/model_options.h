// The options of every command that reads a model.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "strata/graph/graph.h"
#include "strata/infer/infer.h"

namespace strata::cli {

struct ModelOptions {
  std::string path;
  std::vector<std::string> inputs;  // NAME=1x3x224x224
  std::vector<std::string> sizes;   // batch=8
  std::int64_t batch = 0;           // 0: as in the file
  bool allow_outside_data = false;

  void add_to(CLI::App& app);
};

struct LoadedModel {
  Model model;
  Inference inference;
};

// What the options say about inputs and sizes.
Result<InferOptions> infer_options(const ModelOptions& options);

// Reads the file and infers every shape. Errors name the file.
Result<LoadedModel> load(const ModelOptions& options);

// The same, with 1 for a first axis of inputs that is left open: what runs has sizes.
Result<LoadedModel> load_one_item(ModelOptions options);

// `NAME=1x3x224x224`, `NAME=Nx3xHxW`; `NAME=` and `NAME=scalar` have no axes.
Result<std::pair<std::string, Dims>> parse_input_shape(std::string_view text);
// `batch=8`
Result<std::pair<std::string, std::int64_t>> parse_size(std::string_view text);

}  // namespace strata::cli
