// The directory of a zip archive in memory. Entries are views into the archive; nothing is
// unpacked.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strata/base/result.h"

namespace strata {

struct ZipEntry {
  std::string_view name;
  std::uint64_t packed_bytes = 0, bytes = 0;
  std::uint64_t header = 0;  // where its own header begins
  std::uint16_t method = 0;  // 0: stored as it is

  bool is_stored() const { return method == 0; }
};

class ZipDirectory {
 public:
  // Every entry lies within the archive. An error is one sentence without the name of the file.
  static Result<ZipDirectory> read(std::string_view archive);

  const std::vector<ZipEntry>& entries() const { return entries_; }  // sorted by name
  const ZipEntry* find(std::string_view name) const;                 // nullptr: there is none
  // The bytes of an entry that is stored as it is.
  Result<std::string_view> content(const ZipEntry& entry) const;

 private:
  std::string_view archive_;
  std::vector<ZipEntry> entries_;
};

}  // namespace strata
