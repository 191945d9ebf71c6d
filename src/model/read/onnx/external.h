// Files beside the model that hold weights. Their place is checked, and their size where they
// exist. They are opened only for short lists of integers, on which shapes may depend.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"

namespace strata::onnx {

class ExternalFiles {
 public:
  // `model` is the path of the model; nullopt if it is in memory and files are not
  // looked for.
  ExternalFiles(std::optional<std::string> model, bool allow_outside)
      : model_(std::move(model)), allow_outside_(allow_outside) {}

  struct File {
    std::string problem = {};                // why it may not be used; empty if it may
    bool outside = false;                    // that is because it is outside of the model's folder
    std::optional<std::uint64_t> size = {};  // nullopt: not there, or not looked for
    bool missing = false;
    std::string path = {};  // empty: not there, or not looked for
  };
  // The file at a location, looked up once each. `location` must stay alive.
  const File& find(std::string_view location);
  // Bytes of a file that is there; nullopt if it cannot be read.
  static std::optional<std::string> read(const File& file, std::uint64_t offset,
                                         std::uint64_t count);

 private:
  // Where the model's name is and where the file itself is: a download cache keeps links to the
  // model and to its data in one folder, and both files in another. Empty: files are not looked
  // for.
  struct Folders {
    std::filesystem::path beside, real;
  };
  Folders find_folders() const;
  File look_up(std::string_view location);

  std::optional<std::string> model_;
  bool allow_outside_;
  NameTable numbers_;
  std::vector<File> files_;
  std::optional<Folders> folders_;  // once they are needed
};

}  // namespace strata::onnx
