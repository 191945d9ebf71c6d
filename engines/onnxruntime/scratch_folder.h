// A folder for what ONNX Runtime can only say through files; gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "failure.h"

namespace strata::ort {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    path_ = ((error ? "/tmp" : parent) / "strata.XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr)
      throw Failure{STRATA_FAILED, "cannot make a folder " + path_ +
                                       "; set TMPDIR to a folder that can be written to"};
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace strata::ort
