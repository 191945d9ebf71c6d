// Assigns the files of a folder to the inputs of a model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"

namespace strata {

enum class SampleKind : std::uint8_t { Npy, Npz, Pb, Image };
std::string_view text(SampleKind kind);  // `.npy files`, `images`

// Files of one kind, in order.
struct InputFiles {
  SampleKind kind = SampleKind::Npy;
  std::string folder;                                     // with a `/` at its end, or empty
  std::shared_ptr<const std::vector<std::string>> paths;  // below it

  std::string path(std::size_t i) const { return folder + (*paths)[i]; }
};

struct FoundFiles {
  std::vector<InputFiles> inputs;  // one for each input
  std::vector<std::string> notes;  // what was skipped
};
Result<FoundFiles> find_files(const std::string& path, const std::vector<std::string>& inputs);

}  // namespace strata
