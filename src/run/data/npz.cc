#include "data/npz.h"

#include <fmt/format.h>

#include "data/npy.h"

namespace strata {

namespace {

tl::unexpected<Error> broken(const std::string& path, std::string_view what) {
  return failure(Code::FileBroken, {.file = path, .name = "npz"},
                 fmt::format("{}: {}", path, what));
}

// The limit for all arrays together, unpacked: a zip file of kilobytes can unpack to terabytes.
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;

Result<std::string> unpack(zip_t* archive, std::uint64_t index, const zip_stat_t& stat,
                           const std::string& path) {
  const ZipFile file(zip_fopen_index(archive, index, 0));
  if (file == nullptr) return broken(path, fmt::format("{}: {}", stat.name, zip_strerror(archive)));
  // The stated size may be wrong, so the buffer grows piece by piece with the data that is there.
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  std::string bytes;
  while (bytes.size() < stat.size) {
    const std::size_t before = bytes.size();
    const std::uint64_t want = std::min<std::uint64_t>(kPiece, stat.size - before);
    bytes.resize(before + want);
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + before, want);
    if (got <= 0)
      return broken(path,
                    fmt::format("{} ends after {} of {} bytes", stat.name, before, stat.size));
    bytes.resize(before + static_cast<std::uint64_t>(got));
  }
  return bytes;
}

}  // namespace

Result<ZipArchive> open_npz(const std::string& path) {
  if (Status opened = libzip.open(); !opened)
    return failure(fmt::format("{}: {}", path, opened.error().message));
  int code = 0;
  ZipArchive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  return broken(path, fmt::format("not an .npz file that can be read: {}", why));
}

Result<std::vector<HostTensor>> read_npz(const std::string& path) {
  auto opened = open_npz(path);
  if (!opened) return failure(opened);
  const ZipArchive archive = std::move(*opened);
  std::vector<HostTensor> tensors;
  std::uint64_t total = 0;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    const auto index = static_cast<std::uint64_t>(i);
    if (zip_stat_index(archive.get(), index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0)
      return broken(path, fmt::format("entry {} cannot be read", i));
    total += stat.size;
    if (stat.size > kMostBytes || total > kMostBytes)
      return failure(fmt::format("{}: would unpack to more than 16 GiB", path));
    std::string name = stat.name;
    if (!name.ends_with(".npy")) continue;
    auto bytes = unpack(archive.get(), index, stat, path);
    if (!bytes) return failure(bytes);
    auto tensor = read_npy(*bytes, fmt::format("{}: {}", path, name));
    if (!tensor) return failure(tensor);
    tensor->name = name.substr(0, name.size() - 4);
    tensors.push_back(std::move(*tensor));
  }
  if (tensors.empty()) return broken(path, "holds no arrays");
  return tensors;
}

}  // namespace strata
