// A file that is there when it is complete, and not before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

// Written under another name beside `path`, and renamed by commit(). Until then,
// and if that never comes, whatever has been at `path` stays.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::string_view bytes);
  // Zeros up to this size.
  Status pad_to(std::uint64_t size);
  std::uint64_t size() const { return size_; }
  // Where it is until commit(), complete once it is closed: for a look before it gets its name.
  const std::string& temporary() const { return temporary_; }
  // Everything is with the system; nothing may be written any more.
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
