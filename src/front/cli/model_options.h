// The options of every command that reads a model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/command.h"
#include "strata/infer/size_text.h"
#include "strata/task/model.h"

namespace strata::cli {

// Returns the file to open for a name on the command line: `-` is standard input.
Result<std::string> input_path(const std::string& given);
// Like above, for several names, modified in place.
Status find_inputs(std::vector<std::string>& files);

// Words of the command line as sources, each looked at once.
class NamedSources {
 public:
  Result<Source> at(const std::string& word) const;
  Result<std::vector<Source>> all(const std::vector<std::string>& words) const;
  // True if it is a file that is run to be read, or may be one: standard input, several models.
  bool may_be_run(const std::string& word) const;
  bool is(SourceKind kind, const std::string& word) const;

 private:
  mutable std::map<std::string, Source, std::less<>> seen_;
};

struct ModelOptions {
  std::string path;
  std::vector<std::string> inputs;  // NAME=1x3x224x224, and files in a command that takes them
  std::vector<std::string> sizes;   // batch=8
  std::int64_t batch = 0;           // 0: as in the file
  bool allow_outside_data = false;
  double limit = 1;   // multiplies what a file may cost
  std::string model;  // which one, of a file with several
  double max_wait = kMaxWaitSeconds;
  bool trust = false;
  std::string engine_path;  // of the engine that records a TorchScript file

  void add_to(App& app);
  // Adds all but the model itself, for a command that reads several.
  void add_sizes_to(App& app);
  // Adds the options for watching a run: how long it may be silent, whether its process is
  // confined, and where its engine is. They have an effect if the model is run. Call it after
  // --time, if there is one.
  void add_wait_to(App& app, const std::function<bool()>& runs);
  // For a command that always runs it.
  void add_wait_to(App& app);
  // Reads the request, with mistakes named by their option.
  Status read_into(ModelRequest& request) const;

  // The model is run on elements of its inputs: --input also takes files. A TorchScript file always
  // takes them.
  bool takes_files = false;
  bool has_files() const { return !input_files(inputs).empty(); }

  NamedSources sources;
  Result<Source> source() const { return sources.at(path); }
  bool is(SourceKind kind) const { return sources.is(kind, path); }
  bool may_be_run() const { return sources.may_be_run(path); }
};

// Reads `--input` and `--dim`.
Result<InferOptions> parse_sizes(const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& sizes);
// Files given to `--input` in a command that takes shapes alone are a mistake.
Status refuse_files(const std::vector<std::string>& files);

}  // namespace strata::cli
