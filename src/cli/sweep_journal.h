// Results of a sweep: one JSON object a line, only ever added to. A line that was not
// finished (a crash, a full disk) is cut off when the file is opened again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "strata/base/result.h"

namespace strata::cli {

struct JournalEntry {
  std::string job;        // SweepJob::key
  nlohmann::json record;  // the whole line
  bool failed() const { return record.contains("error") && !record["error"].is_null(); }
};

// The entries of a file, which stays as it is; an unfinished last line is left out.
Result<std::vector<JournalEntry>> read_journal(const std::string& path);

// Of a job that is several times in a file, the last entry: it was done again because it had
// failed, or because its model had changed. Of one in several files, the first of these that
// did not fail; else the first.
std::vector<JournalEntry> merge_entries(const std::vector<std::vector<JournalEntry>>& files);

class Journal {
 public:
  // Makes the file if it is not there. Held by one process at a time.
  static Result<Journal> open(const std::string& path);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  const std::vector<JournalEntry>& entries() const { return entries_; }
  bool cut() const { return cut_; }  // an unfinished line was taken off
  // On the disk when it returns.
  Status append(const nlohmann::json& record);

 private:
  Journal(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_ = -1;
  bool cut_ = false;
  std::vector<JournalEntry> entries_;
};

}  // namespace strata::cli
