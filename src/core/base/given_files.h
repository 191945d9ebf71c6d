// Files that are in memory: whoever calls strata in its own process gives them names.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "strata/base/result.h"

namespace strata {

// `memory:NAME` in the place of a path.
inline constexpr std::string_view kGivenPrefix = "memory:";

// The name of a file as readers know it: without the prefix.
inline std::string_view shown_name(std::string_view path) {
  return path.starts_with(kGivenPrefix) ? path.substr(kGivenPrefix.size()) : path;
}

// While it lives, MappedFile::open() finds them in this thread. A nested one takes its place.
class GivenFiles {
 public:
  GivenFiles();
  ~GivenFiles();
  GivenFiles(const GivenFiles&) = delete;
  GivenFiles& operator=(const GivenFiles&) = delete;

  // Copies the bytes.
  Status add(std::string name, std::string_view bytes);
  // Does not: they have to stay as they are while the file is used.
  void borrow(std::string name, std::string_view bytes);
  // Those of this thread, for the threads that work for it; null: there are none.
  static GivenFiles* here();
  // While it lives, this thread finds them, too.
  class InThread {
   public:
    explicit InThread(GivenFiles* files);
    ~InThread();
    InThread(const InThread&) = delete;
    InThread& operator=(const InThread&) = delete;

   private:
    GivenFiles* before_;
  };
  // Finds a file by `memory:NAME`.
  static Result<std::shared_ptr<const MappedFile>> find(const std::string& path);

 private:
  struct Given {
    std::string name;
    std::shared_ptr<const MappedFile> file;
  };
  std::vector<Given> files_;
  GivenFiles* before_;
};

}  // namespace strata
