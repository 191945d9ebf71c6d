// The options of commands that run a model on data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "strata/measure/dataset.h"

namespace strata::cli {

struct DataOptions {
  std::string path;
  std::string labels;  // a file; empty: none
  std::string channels = "rgb";
  DatasetOptions data;

  // A command that has --seed already keeps its own, and sets data.seed from it.
  void add_to(CLI::App& app);
  // Either a folder or random samples. The model must stay where it is.
  Result<Dataset> open(const Model& inferred) const;
  // All that says which samples these are, by the options' names, for those that come later:
  // `data` (an absolute path), `offset`, `preset`, … Labels are not in it.
  std::map<std::string, std::string> words() const;
  static Result<DataOptions> from_words(const std::map<std::string, std::string>& words);
  // Of an opened data set: batch() for each sample; nothing if no labels were given.
  Result<std::optional<std::vector<std::int64_t>>> read_labels(const Dataset& dataset) const;
};

}  // namespace strata::cli
