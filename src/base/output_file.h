// A file that appears only once it is complete.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

// Writes to a temporary name beside `path`, which commit() renames. Until then, or if that never
// happens, whatever was at `path` stays.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::string_view bytes);
  // Writes zeros up to this size.
  Status pad_to(std::uint64_t size);
  std::uint64_t size() const { return size_; }
  // The path until commit(); complete once it is closed, so it can be inspected before it gets its
  // name.
  const std::string& temporary() const { return temporary_; }
  // Hands everything to the system; nothing may be written afterwards.
  Status close();
  Status commit();

 private:
  OutputFile(std::string path, std::string temporary, int descriptor);
  tl::unexpected<Error> problem(std::string_view what, int error) const;

  std::string path_;
  std::string temporary_;  // empty: committed, or moved away
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace strata
