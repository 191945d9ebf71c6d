// Files of torch.save: a zip archive with a pickle that describes the tensors and a file for the
// elements of each storage. Before PyTorch 1.6, several pickles one after the other, and then the
// storages.
#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/weights/formats.h"
#include "read/weights/pickle.h"
#include "read/weights/pickled_tensors.h"
#include "read/zip/zip.h"
#include "strata/base/text_map.h"

namespace strata::weights {

namespace {

constexpr std::string_view kZip{"PK\x03\x04", 4};
constexpr std::string_view kPickleName = "/data.pkl";
// A pickle of the number 0x1950a86a20f9469cfc6c.
constexpr std::string_view kOldMagic{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e",
                                     15};

PickleLimits limits_of(const ReadOptions& options) {
  const double values = std::min(static_cast<double>(PickleLimits().values) * options.limit, 1e9);
  return {.values = static_cast<std::size_t>(values)};
}

// An archive of torch.save: one folder, of any name, with `data.pkl` and `data/KEY` in it.
class Archive {
 public:
  static Result<Archive> open(std::string_view bytes) {
    auto entries = unzip::zip_entries(bytes);
    if (!entries) return failure(entries);
    Archive archive;
    archive.bytes_ = bytes;
    archive.entries_ = std::move(*entries);
    for (const unzip::ZipEntry& entry : archive.entries_) {
      if (!archive.by_name_.emplace(entry.name, &entry).second)
        return failure(fmt::format("the archive has two entries {}", in_quotes(entry.name)));
      const std::size_t slash = entry.name.find('/');
      if (slash != entry.name.npos && entry.name.substr(slash) == kPickleName) {
        archive.pickle_ = &entry;
        archive.folder_ = entry.name.substr(0, slash);
      }
    }
    return archive;
  }

  bool has_pickle() const { return pickle_ != nullptr; }
  // Only a TorchScript program has code.
  bool has_code() const {
    const std::string start = fmt::format("{}/code/", folder_);
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const unzip::ZipEntry& entry) { return entry.name.starts_with(start); });
  }
  Result<std::string> pickle() const {
    if (pickle_->size > kLargestPickle)
      return failure(fmt::format("its pickle is said to have {} bytes; strata reads {}",
                                 pickle_->size, kLargestPickle));
    const auto packed = unzip::packed_bytes(bytes_, *pickle_);
    if (!packed) return failure(packed);
    if (pickle_->method != 0)
      return failure(
          "its pickle is compressed, which torch.save does not do; unpack and save it again");
    return std::string(*packed);
  }
  // Bytes of a storage, which is not touched.
  Result<std::uint64_t> storage_bytes(std::string_view key) const {
    const auto found = by_name_.find(fmt::format("{}/data/{}", folder_, key));
    if (found == by_name_.end())
      return failure(fmt::format("the archive does not have its storage {}", in_quotes(key)));
    const unzip::ZipEntry& entry = *found->second;
    if (entry.header > bytes_.size() || entry.packed > bytes_.size() - entry.header)
      return failure(
          fmt::format("its storage {} is said to lie outside of the file", in_quotes(key)));
    return entry.size;
  }

 private:
  static constexpr std::uint64_t kLargestPickle = std::uint64_t{1} << 28;

  std::string_view bytes_, folder_;
  std::vector<unzip::ZipEntry> entries_;
  TextMap<std::string_view, const unzip::ZipEntry*> by_name_;
  const unzip::ZipEntry* pickle_ = nullptr;
};

std::uint64_t bytes_per_element(const PickledStorage& storage) {
  return storage.dtype == DType::Undefined ? 1
                                           : static_cast<std::uint64_t>(bits(storage.dtype)) / 8;
}

}  // namespace

bool looks_like_state_dict(std::string_view bytes) {
  if (!bytes.starts_with(kZip)) return false;
  const auto archive = Archive::open(bytes);
  // A broken archive is recognised by its first entry, which is what torch.save writes first.
  if (!archive) return unzip::first_zip_name(bytes).ends_with(kPickleName);
  return archive->has_pickle() && !archive->has_code();  // a TorchScript program is a model
}

Result<Weights> read_state_dict(std::string_view bytes, const ReadOptions& options) {
  const auto archive = Archive::open(bytes);
  if (!archive) return failure(archive);
  if (!archive->has_pickle())
    return failure("it has no data.pkl, so it is not a file of torch.save");
  const auto content = archive->pickle();
  if (!content) return failure(content);
  const auto pickle = read_pickle(*content, limits_of(options));
  if (!pickle) return failure(pickle);
  if (pickle->bytes != content->size())
    return failure("there are bytes after the end of its pickle");
  return pickled_weights(*pickle, [&](const PickledStorage& storage) -> Result<std::uint64_t> {
    auto there = archive->storage_bytes(storage.key);
    std::uint64_t said = 0;
    if (there && (__builtin_mul_overflow(storage.elements, bytes_per_element(storage), &said) ||
                  said != *there))
      return failure(fmt::format("its storage {} is said to have {} elements, but has {} bytes",
                                 in_quotes(storage.key), storage.elements, *there));
    return there;
  });
}

bool looks_like_old_state_dict(std::string_view bytes) { return bytes.starts_with(kOldMagic); }

Result<Weights> read_old_state_dict(std::string_view bytes, const ReadOptions& options) {
  // The number above, the version 1001, facts of the machine, the dict, the names of the storages.
  constexpr int kPickles = 4, kDict = 2;
  bytes.remove_prefix(kOldMagic.size());
  std::vector<Pickle> pickles;
  for (int i = 0; i < kPickles; ++i) {
    auto pickle = read_pickle(bytes, limits_of(options));
    if (!pickle) return failure(pickle);
    bytes.remove_prefix(pickle->bytes);
    pickles.push_back(std::move(*pickle));
  }
  if (pickles[0].at(pickles[0].result).number != 1001)
    return failure("it is a PyTorch file of an unknown version");
  // Each storage follows in the order of the names: the number of its elements, then they.
  const Pickle& dict = pickles[kDict];
  TextMap<std::string_view, std::uint64_t> sizes;
  for (const PickledStorage& storage : dict.storages) {
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(storage.elements, bytes_per_element(storage), &size))
      return failure(fmt::format("its storage {} is too large", in_quotes(storage.key)));
    sizes.emplace(storage.key, size);
  }
  const Pickle& names = pickles.back();
  std::uint64_t left = bytes.size();
  TextMap<std::string_view, std::uint64_t> there;
  for (const ValueId id : names.at(names.result).items) {
    const std::string_view key = names.at(id).text;
    const auto size = sizes.find(key);
    constexpr std::uint64_t kCountBytes = 8;
    if (size == sizes.end() || !there.emplace(key, size->second).second)
      return failure(fmt::format("it names a storage {} that no tensor has", in_quotes(key)));
    if (left < kCountBytes || left - kCountBytes < size->second)
      return failure(fmt::format("it ends within its storage {}; it was not downloaded to the end",
                                 in_quotes(key)));
    left -= kCountBytes + size->second;
  }
  if (left != 0) return failure(fmt::format("it has {} bytes that belong to no storage", left));
  return pickled_weights(dict, [&](const PickledStorage& storage) -> Result<std::uint64_t> {
    const auto found = there.find(storage.key);
    if (found == there.end())
      return failure(fmt::format("the file does not have its storage {}", in_quotes(storage.key)));
    return found->second;
  });
}

}  // namespace strata::weights
