// A folder for temporary files; removed with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "strata/base/result.h"

namespace strata {

class ScratchFolder {
 public:
  static Result<ScratchFolder> create() {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    std::string path = ((error ? "/tmp" : parent) / "strata.XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr)
      return failure("cannot make a folder " + path +
                     "; set TMPDIR to a folder that can be written to");
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace strata
