// A file as memory. Pages are read from disk only when they are touched, so a
// file larger than memory costs no more than the parts that are looked at.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

class MappedFile {
 public:
  // A regular file; anything else is an error that says what it is. The file must
  // not shrink while it is mapped: touching what is gone ends the process.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

  // Lets go of the memory pages that lie wholly inside a part of a mapped file; they
  // come back when they are touched. Touching one page brings its neighbours along
  // if the system has them at hand, which adds up over a large file.
  static void forget(std::string_view part);
  // The whole part will be read, from its start on. For memory of any kind.
  static void want(std::string_view part);

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
};

}  // namespace strata
