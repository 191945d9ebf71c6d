// Tells whether the models of a sweep are still those that the results were measured on.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "strata/task/sweep.h"
#include "task/sweep_journal.h"

namespace strata {

class SweepModels {
 public:
  // The hash of the job's model file; empty for networks of the zoo, and if it cannot be read. It
  // does not depend on where the file is; of weights outside the file, only size and time count.
  const std::string& hash(const SweepJob& job);

  // Keys of the jobs whose last entry was measured on a different file than the current one.
  // Entries without a hash count as unchanged.
  std::set<std::string> changed(const std::vector<SweepJob>& jobs,
                                const std::vector<JournalEntry>& entries);

 private:
  std::map<std::string, std::string> hashes_;  // by path
};

}  // namespace strata
