// Results of a sweep: one JSON object per line; lines are only ever appended. An unfinished line
// (after a crash or on a full disk) is removed when the file is opened again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "strata/base/observer.h"
#include "strata/base/result.h"
#include "strata/report/sweep.h"

namespace strata {

struct JournalEntry {
  std::string job;        // SweepJob::key
  nlohmann::json record;  // the whole line
  bool failed() const { return record.contains("error") && !record["error"].is_null(); }
};

struct ReadJournal {
  std::vector<JournalEntry> entries;
  bool cut = false;  // an unfinished last line was left out
};
// The entries of a file, which is not changed.
Result<ReadJournal> read_journal(const std::string& path);

// If a job is in a file several times, the last entry counts: it was repeated because it had
// failed, or because its model had changed. If it is in several files, the first of these entries
// that did not fail counts, or else the first.
std::vector<JournalEntry> merge_entries(const std::vector<std::vector<JournalEntry>>& files);

// The results in the entries, as they are in the file.
SweepResults gather(const std::vector<JournalEntry>& entries);

class Journal {
 public:
  // Creates the file if it is not there. Only one process at a time can hold it. A file that holds
  // anything but results of a sweep is left alone, and an error.
  static Result<Journal> open(const std::string& path);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  const std::vector<JournalEntry>& entries() const { return entries_; }
  bool cut() const { return cut_; }  // an unfinished line was removed
  // The record is on the disk when this returns.
  Status append(const nlohmann::json& record);

 private:
  Journal(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Status add(const std::string& line);

  std::string path_;
  int descriptor_ = -1;
  bool cut_ = false;
  std::vector<JournalEntry> entries_;
};

}  // namespace strata
