#include "read/pt2/archive.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/mapped_file.h"

namespace strata::pt2 {

namespace {

constexpr std::string_view kFlatProgram = "serialized_exported_program.json";
constexpr std::string_view kFlatName = "model";
constexpr std::string_view kModels = "models/", kJson = ".json", kCompiled = "data/aotinductor/",
                           kFormat = "archive_format";

// The folder of `name` if the rest of it is `rest`, or starts with it.
bool is_in_root(std::string_view name, std::string_view rest, bool whole, std::string_view& root) {
  const std::size_t slash = name.find('/');
  for (const std::size_t start : {std::size_t{0}, slash + 1}) {
    const std::string_view inside = name.substr(start);
    if (whole ? inside != rest : !inside.starts_with(rest)) continue;
    root = name.substr(0, start);
    return true;
  }
  return false;
}

}  // namespace

Result<Archive> Archive::open(std::string_view bytes) {
  auto entries = unzip::zip_entries(bytes);
  if (!entries) return failure(entries);
  Archive archive;
  archive.bytes_ = bytes;
  archive.entries_ = std::move(*entries);
  for (const unzip::ZipEntry& entry : archive.entries_) {
    std::string_view root;
    if (is_in_root(entry.name, kFormat, true, root)) {
      archive.has_format_ = true;
      archive.root_ = root;
    } else if (is_in_root(entry.name, kFlatProgram, true, root)) {
      archive.is_flat_ = true;
      archive.root_ = root;
      archive.models_ = {kFlatName};
    }
  }
  if (archive.is_flat_ && !archive.has_format_) return archive;
  archive.is_flat_ = false;
  archive.models_.clear();
  for (const unzip::ZipEntry& entry : archive.entries_) {
    if (!archive.has_format_ || !entry.name.starts_with(archive.root_)) continue;
    const std::string_view inside = entry.name.substr(archive.root_.size());
    if (inside.starts_with(kCompiled)) archive.has_compiled_ = true;
    if (inside.starts_with(kModels) && inside.ends_with(kJson) &&
        inside.size() > kModels.size() + kJson.size())
      archive.models_.push_back(
          inside.substr(kModels.size(), inside.size() - kModels.size() - kJson.size()));
  }
  return archive;
}

Result<std::string_view> Archive::program(Model& keeper, std::string_view model,
                                          double limit) const {
  return text_of(keeper,
                 is_flat_ ? fmt::format("{}{}", root_, kFlatProgram)
                          : fmt::format("{}{}{}{}", root_, kModels, model, kJson),
                 limit);
}

Result<std::string_view> Archive::config(Model& keeper, std::string_view model,
                                         std::string_view kind, double limit) const {
  return text_of(keeper, fmt::format("{}data/{}/{}_{}_config.json", root_, kind, model, kind),
                 limit);
}

Result<std::string_view> Archive::text_of(Model& keeper, const std::string& name,
                                          double limit) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const unzip::ZipEntry& other) { return other.name == name; });
  if (entry == entries_.end()) return std::string_view();
  const auto packed = unzip::packed_bytes(bytes_, *entry);
  if (!packed) return failure(packed);
  MappedFile::want(*packed);
  constexpr std::uint16_t kStored = 0, kDeflated = 8;
  if (entry->method == kStored) return *packed;
  if (entry->method != kDeflated)
    return failure(fmt::format("{} is compressed in a way that strata does not know (method {})",
                               in_quotes(name), entry->method));
  constexpr double kMost = 16e6, kMostTimes = 64;
  const double most = (kMost + kMostTimes * static_cast<double>(packed->size())) * limit;
  if (static_cast<double>(entry->size) > most)
    return failure(
        Code::OverLimit, {},
        fmt::format("{} would unpack from {} to {} bytes, more than the limit for a file "
                    "of its size",
                    in_quotes(name), packed->size(), entry->size));
  const auto text = unzip::inflate(*packed, entry->size);
  if (!text) return failure_in(in_quotes(name), text);
  return keeper.keep(*text);
}

}  // namespace strata::pt2
