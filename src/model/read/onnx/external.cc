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

ExternalFiles::Folders ExternalFiles::find_folders() const {
  if (!model_) return {};
  Folders folders;
  std::error_code error;
  const fs::path beside = fs::path(*model_).parent_path();
  folders.beside = fs::canonical(beside.empty() ? "." : beside, error);
  const fs::path real = fs::canonical(*model_, error);
  if (!error) folders.real = real.parent_path();
  return folders;
}

ExternalFiles::File ExternalFiles::look_up(std::string_view location) {
  constexpr std::string_view kOutside = "which is outside the model's folder";
  if (location.find('\0') != std::string_view::npos || location.size() > 4096)
    return {.problem =
                fmt::format("keeps its data in {}, which is not a file name", in_quotes(location))};
  const fs::path relative(location);
  if (!allow_outside_) {
    const bool climbs = std::any_of(relative.begin(), relative.end(),
                                    [](const fs::path& part) { return part == ".."; });
    if (relative.is_absolute() || climbs)
      return {.problem = fmt::format("keeps its data in {}, {}", in_quotes(location), kOutside),
              .outside = true};
  }
  if (!folders_) folders_ = find_folders();
  const auto& [folder, real_folder] = *folders_;
  if (model_ && real_folder.empty())  // as standard input
    return {.problem = fmt::format("keeps its data in {}, but the model itself is in no folder",
                                   in_quotes(location))};
  if (folder.empty()) return {};
  std::error_code error;
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
