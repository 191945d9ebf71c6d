// The options of every command that reads a model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "strata/infer/size_text.h"
#include "strata/task/model.h"

namespace strata::cli {

// What to open for a file that the command line names: `-` is standard input.
Result<std::string> input_path(const std::string& given);
// The same of several, in their place.
Status find_inputs(std::vector<std::string>& files);

struct ModelOptions {
  std::string path;
  std::vector<std::string> inputs;  // NAME=1x3x224x224, and files in a command that takes them
  std::vector<std::string> sizes;   // batch=8
  std::int64_t batch = 0;           // 0: as in the file
  bool allow_outside_data = false;
  double limit = 1;     // multiplies what a file may cost
  std::string model;    // which one, of a file with several
  double max_wait = 0;  // seconds; 0: for ever

  void add_to(App& app);
  // The same without the model itself, for a command that reads several.
  void add_sizes_to(App& app);
  // A limit for the silence of a run, which has an effect if the model is run. After --time, if
  // there is one.
  void add_wait_to(App& app, const std::function<bool()>& runs);
  // What was asked for, with mistakes named by their option.
  Status read_into(ModelRequest& request) const;

  // The model is run on elements of its inputs: --input also takes files.
  bool takes_files = false;
  bool has_files() const { return !input_files(inputs).empty(); }
};

// Whether one of them is, or may be, a file that is run to be read.
bool may_be_run(const std::vector<std::string>& models);

// What `--input` and `--dim` say.
Result<InferOptions> parse_sizes(const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& sizes);
// Files given to `--input` in a command that takes shapes alone are a mistake.
Status refuse_files(const std::vector<std::string>& files);

}  // namespace strata::cli
