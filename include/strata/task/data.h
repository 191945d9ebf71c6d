// The samples of a job: where they come from, and how images become elements.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/data/dataset.h"

namespace strata {

struct DataRequest {
  std::string path;         // a folder or a file; empty for random samples
  std::string labels = {};  // a file of labels; empty: there are none
  DatasetOptions data = {};

  // Opens either a path or random samples. The model must outlive the result.
  Result<Dataset> open(const Model& inferred) const;
  // The labels of an opened data set, batch() for each sample; nullopt if no labels were given.
  Result<std::optional<std::vector<std::int64_t>>> read_labels(const Dataset& dataset) const;

  // Everything that identifies the samples, in the form that a file of ranges stores: `data` (an
  // absolute path), `offset`, `preset`, … Labels are not included.
  std::map<std::string, std::string> words() const;
  static Result<DataRequest> from_words(const std::map<std::string, std::string>& words);
};

}  // namespace strata
