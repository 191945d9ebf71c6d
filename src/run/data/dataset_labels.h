// Finds the label of an item.
#pragma once

#include "data/dataset_items.h"
#include "strata/base/text_map.h"

namespace strata {

// Keeps references to both of its arguments.
class MatchedLabels {
 public:
  Result<std::int64_t> of(std::int64_t item) const;

 private:
  friend Result<MatchedLabels> match_labels(const Labels& labels, const InputItems& items);
  const Labels* labels_ = nullptr;
  const InputItems* items_ = nullptr;
  TextMap<std::string_view, std::int64_t> by_name_;
  TextMap<std::string_view, int> same_last_part_;  // files of the same name
};
Result<MatchedLabels> match_labels(const Labels& labels, const InputItems& items);

}  // namespace strata
