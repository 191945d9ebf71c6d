// Files of torch.save: a zip archive with a pickle that describes the tensors and a file for the
// elements of each storage. Before PyTorch 1.6, several pickles one after the other, and then the
// storages.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/weights/formats.h"
#include "read/weights/pickle.h"
#include "read/weights/pickled_tensors.h"

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

// `archive/data.pkl`: the archive has one folder, of any name.
const ZipEntry* find_pickle(const ZipDirectory& zip) {
  for (const ZipEntry& entry : zip.entries())
    if (entry.name.ends_with(kPickleName) &&
        entry.name.find('/') + kPickleName.size() == entry.name.size())
      return &entry;
  return nullptr;
}

bool has_code(const ZipDirectory& zip, std::string_view folder) {
  return std::any_of(zip.entries().begin(), zip.entries().end(), [&](const ZipEntry& entry) {
    return entry.name.starts_with(folder) && entry.name.substr(folder.size()).starts_with("/code/");
  });
}

std::uint64_t bytes_per_element(const PickledStorage& storage) {
  return storage.dtype == DType::Undefined ? 1
                                           : static_cast<std::uint64_t>(bits(storage.dtype)) / 8;
}

}  // namespace

bool looks_like_state_dict(std::string_view bytes) {
  if (!bytes.starts_with(kZip)) return false;
  const auto zip = ZipDirectory::read(bytes);
  // A broken archive is recognised by its first entry, which torch.save writes first.
  if (!zip) return bytes.substr(0, 512).find(kPickleName) != bytes.npos;
  return find_pickle(*zip) != nullptr;
}

Result<Weights> read_state_dict(std::string_view bytes, const ReadOptions& options) {
  const auto zip = ZipDirectory::read(bytes);
  if (!zip) return failure(zip);
  const ZipEntry* entry = find_pickle(*zip);
  if (entry == nullptr) return failure("it has no data.pkl, so it is no file of torch.save");
  const std::string folder(entry->name.substr(0, entry->name.size() - kPickleName.size()));
  if (has_code(*zip, folder))
    return failure(
        "it is a TorchScript program and no state dict\n"
        "make an ONNX file of it with torch.onnx.export(torch.jit.load(FILE), inputs, "
        "\"model.onnx\", "
        "dynamo=False), or export the Python module with torch.export.save as .pt2");
  const auto content = zip->content(*entry);
  if (!content) return failure(content);
  const auto pickle = read_pickle(*content, limits_of(options));
  if (!pickle) return failure(pickle);
  if (pickle->bytes != content->size())
    return failure("there are bytes after the end of its pickle");
  return pickled_weights(*pickle, [&](const PickledStorage& storage) -> Result<std::uint64_t> {
    const ZipEntry* data = zip->find(fmt::format("{}/data/{}", folder, storage.key));
    if (data == nullptr)
      return failure(
          fmt::format("the archive does not have its storage {}", in_quotes(storage.key)));
    std::uint64_t said = 0;
    if (__builtin_mul_overflow(storage.elements, bytes_per_element(storage), &said) ||
        said != data->bytes || !data->is_stored())
      return failure(fmt::format("its storage {} is said to have {} elements, but has {} bytes",
                                 in_quotes(storage.key), storage.elements, data->bytes));
    return said;
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
  std::unordered_map<std::string_view, std::uint64_t> sizes;
  for (const PickledStorage& storage : dict.storages) {
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(storage.elements, bytes_per_element(storage), &size))
      return failure(fmt::format("its storage {} is too large", in_quotes(storage.key)));
    sizes.emplace(storage.key, size);
  }
  const Pickle& names = pickles.back();
  std::uint64_t left = bytes.size();
  std::unordered_map<std::string_view, std::uint64_t> there;
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
