// A file as memory. Pages are read from disk only when they are touched, so a
// file larger than memory costs no more than the parts that are read.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

class MappedFile {
 public:
  // Opens a regular file, or one that the caller of this thread has given (base/given_files.h); for
  // anything else, the error says what it is. The file must not shrink while it is mapped: touching
  // the missing part kills the process.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  // Like above, for bytes that are in memory, which are copied.
  static Result<std::shared_ptr<const MappedFile>> copy(std::string_view bytes);
  // Like above, without a copy: the bytes have to stay as they are while the file is used.
  static std::shared_ptr<const MappedFile> borrow(std::string_view bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

  // Releases the memory pages that lie wholly inside a part of a mapped file; they come back when
  // they are touched. Touching one page also maps its neighbours if the system has them cached,
  // which adds up over a large file.
  static void forget(std::string_view part);
  // Announces that the whole part will be read, starting at its beginning. Works for any kind of
  // memory.
  static void want(std::string_view part);

 private:
  explicit MappedFile(std::string_view bytes, bool borrowed = false)
      : bytes_(bytes), borrowed_(borrowed) {}

  std::string_view bytes_;
  bool borrowed_;
};

}  // namespace strata
