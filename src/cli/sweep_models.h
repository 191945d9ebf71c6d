// Whether the models of a sweep are still what their results were measured on.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/sweep_journal.h"
#include "cli/sweep_plan.h"

namespace strata::cli {

class SweepModels {
 public:
  // Of the file that the job is about; empty for networks of the zoo, and where it cannot
  // be read. The same wherever the file is, but for weights that are outside of it: of them
  // size and time count.
  const std::string& hash(const SweepJob& job);

  // Keys of the jobs whose last entry is of another file than is there now. Entries without
  // a hash are taken as they are.
  std::set<std::string> changed(const std::vector<const SweepJob*>& jobs,
                                const std::vector<JournalEntry>& entries);

 private:
  std::map<std::string, std::string> hashes_;  // by path
};

}  // namespace strata::cli
