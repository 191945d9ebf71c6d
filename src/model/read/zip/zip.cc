#include "read/zip/zip.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::unzip {

namespace {

constexpr std::string_view kEntryHeader = "PK\x03\x04", kDirectoryEntry = "PK\x01\x02",
                           kEnd = "PK\x05\x06", kWideEnd = "PK\x06\x06",
                           kWideEndPlace = "PK\x06\x07";
constexpr std::size_t kEntryHeaderSize = 30, kDirectoryEntrySize = 46, kEndSize = 22,
                      kWideEndSize = 56, kWideEndPlaceSize = 20;
constexpr std::uint64_t kInWideField = 0xffffffff;  // the number is in the field for 64 bits

// Little-endian; the caller has checked that the bytes are there.
template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T number = 0;
  for (std::size_t i = sizeof(T); i-- > 0;)
    number = static_cast<T>((number << 8) | static_cast<unsigned char>(bytes[at + i]));
  return number;
}

bool has_at(std::string_view bytes, std::uint64_t at, std::string_view mark, std::size_t size) {
  return at <= bytes.size() && bytes.size() - at >= size && bytes.substr(at).starts_with(mark);
}

struct Directory {
  std::uint64_t at = 0, size = 0, entries = 0;
};

// The end of the archive states where the directory is. A comment of up to 64 kB may follow it.
Result<Directory> find_directory(std::string_view bytes) {
  constexpr std::size_t kLongestComment = 0xffff;
  if (bytes.size() < kEndSize) return failure("it is too short to be a zip archive");
  const std::size_t last = bytes.size() - kEndSize;
  const std::size_t first = last > kLongestComment ? last - kLongestComment : 0;
  const std::size_t found = bytes.substr(first).rfind(kEnd);
  if (found == std::string_view::npos || first + found > last)
    return failure(
        "the directory at the end of the zip archive is missing; the file was not written or "
        "downloaded to its end");
  const std::size_t end = first + found;
  Directory directory{.at = number_at<std::uint32_t>(bytes, end + 16),
                      .size = number_at<std::uint32_t>(bytes, end + 12),
                      .entries = number_at<std::uint16_t>(bytes, end + 10)};
  if (end >= kWideEndPlaceSize &&
      has_at(bytes, end - kWideEndPlaceSize, kWideEndPlace, kWideEndPlaceSize)) {
    const auto wide = number_at<std::uint64_t>(bytes, end - kWideEndPlaceSize + 8);
    if (!has_at(bytes, wide, kWideEnd, kWideEndSize))
      return failure("the zip archive's directory is not where its end says");
    directory = {.at = number_at<std::uint64_t>(bytes, wide + 48),
                 .size = number_at<std::uint64_t>(bytes, wide + 40),
                 .entries = number_at<std::uint64_t>(bytes, wide + 32)};
  }
  if (directory.at > end || directory.size > end - directory.at)
    return failure("the zip archive's directory is said to be larger than the file");
  if (directory.entries > directory.size / kDirectoryEntrySize)
    return failure("the zip archive's directory is said to have more entries than fit into it");
  return directory;
}

// Takes the numbers that do not fit into 32 bits from the extra field with number 1, where they are
// in this order.
bool take_wide_numbers(std::string_view extra, ZipEntry& entry) {
  std::uint64_t* const numbers[] = {&entry.size, &entry.packed, &entry.header};
  const bool any = std::any_of(std::begin(numbers), std::end(numbers),
                               [](const std::uint64_t* number) { return *number == kInWideField; });
  if (!any) return true;
  while (extra.size() >= 4) {
    const auto id = number_at<std::uint16_t>(extra, 0);
    const std::size_t size = number_at<std::uint16_t>(extra, 2);
    if (size > extra.size() - 4) return false;
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != 1) continue;
    for (std::uint64_t* number : numbers) {
      if (*number != kInWideField) continue;
      if (field.size() < 8) return false;
      *number = number_at<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
    return true;
  }
  return false;
}

}  // namespace

Result<std::vector<ZipEntry>> zip_entries(std::string_view bytes) {
  const auto directory = find_directory(bytes);
  if (!directory) return failure(directory);
  std::string_view left = bytes.substr(directory->at, directory->size);
  std::vector<ZipEntry> entries;
  entries.reserve(directory->entries);
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    if (!has_at(left, 0, kDirectoryEntry, kDirectoryEntrySize))
      return failure(fmt::format("entry {} of the zip archive's directory is damaged", i));
    const std::size_t name = number_at<std::uint16_t>(left, 28),
                      extra = number_at<std::uint16_t>(left, 30),
                      comment = number_at<std::uint16_t>(left, 32);
    if (left.size() - kDirectoryEntrySize < name + extra + comment)
      return failure(fmt::format("entry {} of the zip archive's directory is damaged", i));
    ZipEntry entry{.name = left.substr(kDirectoryEntrySize, name),
                   .packed = number_at<std::uint32_t>(left, 20),
                   .size = number_at<std::uint32_t>(left, 24),
                   .header = number_at<std::uint32_t>(left, 42),
                   .method = number_at<std::uint16_t>(left, 10),
                   .encrypted = (number_at<std::uint16_t>(left, 8) & 1) != 0};
    if (!take_wide_numbers(left.substr(kDirectoryEntrySize + name, extra), entry))
      return failure(
          fmt::format("the size of {} in the zip archive is damaged", in_quotes(entry.name)));
    entries.push_back(entry);
    left.remove_prefix(kDirectoryEntrySize + name + extra + comment);
  }
  return entries;
}

std::string_view first_zip_name(std::string_view bytes) {
  if (!has_at(bytes, 0, kEntryHeader, kEntryHeaderSize)) return {};
  return bytes.substr(kEntryHeaderSize, number_at<std::uint16_t>(bytes, 26));
}

Result<std::string_view> packed_bytes(std::string_view archive, const ZipEntry& entry) {
  if (entry.encrypted) return failure(fmt::format("{} is encrypted", in_quotes(entry.name)));
  const auto damaged = [&] {
    return failure(fmt::format(
        "{} is said to be where the file has no such part; the file is damaged or cut off",
        in_quotes(entry.name)));
  };
  if (!has_at(archive, entry.header, kEntryHeader, kEntryHeaderSize)) return damaged();
  const std::string_view header = archive.substr(entry.header);
  const std::size_t skipped = kEntryHeaderSize + number_at<std::uint16_t>(header, 26) +
                              std::size_t{number_at<std::uint16_t>(header, 28)};
  if (skipped > header.size() || entry.packed > header.size() - skipped) return damaged();
  return header.substr(skipped, entry.packed);
}

}  // namespace strata::unzip
