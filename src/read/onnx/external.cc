#include "read/onnx/external.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::onnx {

namespace fs = std::filesystem;

namespace {

bool is_inside(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

}  // namespace

const ExternalFiles::File& ExternalFiles::find(std::string_view location) {
  const auto found = numbers_.insert(location, static_cast<std::uint32_t>(files_.size()));
  if (found.is_new) files_.push_back(look_up(location));
  return files_[found.value];
}

ExternalFiles::File ExternalFiles::look_up(std::string_view location) const {
  constexpr std::string_view kOutside = "which is outside the model's folder";
  if (location.find('\0') != std::string_view::npos || location.size() > 4096)
    return {.problem =
                fmt::format("keeps its data in {}, which is no file name", in_quotes(location))};
  const fs::path relative(location);
  if (!allow_outside_) {
    const bool climbs = std::any_of(relative.begin(), relative.end(),
                                    [](const fs::path& part) { return part == ".."; });
    if (relative.is_absolute() || climbs)
      return {.problem = fmt::format("keeps its data in {}, {}", in_quotes(location), kOutside),
              .outside = true};
  }
  constexpr std::size_t kMaxLookedFor = 100'000;
  if (!model_ || files_.size() >= kMaxLookedFor) return {};
  std::error_code error;
  const fs::path beside = fs::path(*model_).parent_path();
  const fs::path folder = fs::canonical(beside.empty() ? "." : beside, error);
  if (error) return {};
  // A download cache keeps links to the model and to its data in one folder, and both files in
  // another folder.
  const fs::path real_folder = fs::canonical(*model_, error).parent_path();
  if (error) return {};
  const fs::path path = fs::canonical(folder / relative, error);
  if (error) return {.missing = true};
  if (!allow_outside_ && !is_inside(path, folder) && !is_inside(path, real_folder))
    return {.problem = fmt::format("keeps its data in {}, a link to {}, {}", in_quotes(location),
                                   in_quotes(path.string()), kOutside),
            .outside = true};
  if (!fs::is_regular_file(path, error))
    return {.problem = fmt::format("keeps its data in {}, which is not a regular file",
                                   in_quotes(location))};
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return {.missing = true};
  return {.size = size, .path = path.string()};
}

std::optional<std::string> ExternalFiles::read(const File& file, std::uint64_t offset,
                                               std::uint64_t count) {
  std::ifstream in(file.path, std::ios::binary);
  std::string bytes(count, '\0');
  in.seekg(static_cast<std::streamoff>(offset));
  if (!in.read(bytes.data(), static_cast<std::streamsize>(count))) return std::nullopt;
  return bytes;
}

}  // namespace strata::onnx
