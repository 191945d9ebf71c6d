// A folder for temporary files; removed with the object.
#pragma once

#include <string>
#include <utility>

#include "strata/base/result.h"

namespace strata {

class ScratchFolder {
 public:
  // Also removes folders that killed processes left. Only a folder that holds strata's own marker
  // counts: the marker names the folder and a process of this machine that has ended.
  static Result<ScratchFolder> create();
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  ScratchFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_ = -1;  // a descriptor of the folder; goes with the process
};

}  // namespace strata
