#include "read/zip_directory.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata {

namespace {

constexpr std::string_view kEndMark{"PK\x05\x06", 4};
constexpr std::string_view kEnd64Mark{"PK\x06\x06", 4};
constexpr std::string_view kLocator64Mark{"PK\x06\x07", 4};
constexpr std::string_view kEntryMark{"PK\x01\x02", 4};
constexpr std::string_view kLocalMark{"PK\x03\x04", 4};
constexpr std::size_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56;
constexpr std::size_t kEntrySize = 46, kLocalSize = 30;
constexpr std::uint16_t kExtra64 = 1;
// What a field says whose number is in a field of 64 bits elsewhere.
constexpr std::uint64_t kElsewhere32 = 0xffffffff, kElsewhere16 = 0xffff;

// A number at `at`, which the caller knows to be inside. Zip is little-endian.
template <std::unsigned_integral T>
T number_at(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(
        value |
        static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[at + i])) << (8 * i)));
  return value;
}

bool is_mark(std::string_view bytes, std::uint64_t at, std::string_view mark) {
  return at <= bytes.size() && bytes.substr(at, mark.size()) == mark;
}

struct Place {
  std::uint64_t start, bytes, entries;
};

// Where the directory is. The record that says so is the last of the archive, before a comment.
std::optional<Place> find_directory(std::string_view archive) {
  if (archive.size() < kEndSize) return std::nullopt;
  constexpr std::size_t kLongestComment = 0xffff;
  const std::size_t last = archive.size() - kEndSize;
  const std::size_t first = last - std::min(last, kLongestComment);
  std::size_t at = last + 1;
  while (at > first && !is_mark(archive, at - 1, kEndMark)) --at;
  if (at == first) return std::nullopt;
  const std::size_t end = at - 1;
  Place place{number_at<std::uint32_t>(archive, end + 16),
              number_at<std::uint32_t>(archive, end + 12),
              number_at<std::uint16_t>(archive, end + 10)};
  const bool is_large =
      place.start == kElsewhere32 || place.bytes == kElsewhere32 || place.entries == kElsewhere16;
  if (!is_large || end < kLocatorSize || !is_mark(archive, end - kLocatorSize, kLocator64Mark))
    return place;
  const auto end64 = number_at<std::uint64_t>(archive, end - kLocatorSize + 8);
  if (archive.size() < kEnd64Size || end64 > archive.size() - kEnd64Size ||
      !is_mark(archive, end64, kEnd64Mark))
    return std::nullopt;
  return Place{number_at<std::uint64_t>(archive, end64 + 48),
               number_at<std::uint64_t>(archive, end64 + 40),
               number_at<std::uint64_t>(archive, end64 + 32)};
}

// Numbers that do not fit into 32 bits are in the extra field of that kind, in this order.
bool take_large_numbers(std::string_view extra, ZipEntry& entry) {
  const bool wants_any = entry.bytes == kElsewhere32 || entry.packed_bytes == kElsewhere32 ||
                         entry.header == kElsewhere32;
  while (wants_any && extra.size() >= 4) {
    const auto kind = number_at<std::uint16_t>(extra, 0);
    const std::size_t size = number_at<std::uint16_t>(extra, 2);
    if (size > extra.size() - 4) return false;
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (kind != kExtra64) continue;
    for (std::uint64_t* number : {&entry.bytes, &entry.packed_bytes, &entry.header}) {
      if (*number != kElsewhere32) continue;
      if (field.size() < 8) return false;
      *number = number_at<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
    return true;
  }
  return !wants_any;
}

}  // namespace

Result<ZipDirectory> ZipDirectory::read(std::string_view archive) {
  const auto place = find_directory(archive);
  if (!place)
    return failure("the archive has no directory at its end, so it was cut off or not downloaded");
  if (place->start > archive.size() || place->bytes > archive.size() - place->start)
    return failure("the directory of the archive is said to lie outside of the file");
  if (place->entries > place->bytes / kEntrySize)
    return failure(fmt::format(
        "its directory has no room for the {} entries that it is said to have", place->entries));
  std::string_view rest = archive.substr(place->start, place->bytes);
  ZipDirectory out;
  out.archive_ = archive;
  out.entries_.reserve(place->entries);
  for (std::uint64_t i = 0; i < place->entries; ++i) {
    const auto broken = [&] {
      return failure(fmt::format("entry {} of its directory is broken", i));
    };
    if (rest.size() < kEntrySize || !is_mark(rest, 0, kEntryMark)) return broken();
    const std::size_t name = number_at<std::uint16_t>(rest, 28);
    const std::size_t extra = number_at<std::uint16_t>(rest, 30);
    const std::size_t comment = number_at<std::uint16_t>(rest, 32);
    if (rest.size() - kEntrySize < name + extra + comment) return broken();
    ZipEntry entry{rest.substr(kEntrySize, name), number_at<std::uint32_t>(rest, 20),
                   number_at<std::uint32_t>(rest, 24), number_at<std::uint32_t>(rest, 42),
                   number_at<std::uint16_t>(rest, 10)};
    if (!take_large_numbers(rest.substr(kEntrySize + name, extra), entry)) return broken();
    rest.remove_prefix(kEntrySize + name + extra + comment);
    const bool is_inside = entry.header <= place->start &&
                           place->start - entry.header >= kLocalSize + name &&
                           entry.packed_bytes <= place->start - entry.header - kLocalSize - name;
    if (!is_inside)
      return failure(
          fmt::format("its entry {} is said to lie outside of the file", in_quotes(entry.name)));
    if (entry.is_stored() && entry.bytes != entry.packed_bytes)
      return failure(fmt::format("its entry {} is said to have two sizes", in_quotes(entry.name)));
    out.entries_.push_back(entry);
  }
  std::sort(out.entries_.begin(), out.entries_.end(),
            [](const ZipEntry& a, const ZipEntry& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(out.entries_.begin(), out.entries_.end(),
                         [](const ZipEntry& a, const ZipEntry& b) { return a.name == b.name; });
  if (twice != out.entries_.end())
    return failure(fmt::format("it has two entries {}", in_quotes(twice->name)));
  return out;
}

const ZipEntry* ZipDirectory::find(std::string_view name) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const ZipEntry& entry, std::string_view n) { return entry.name < n; });
  return found != entries_.end() && found->name == name ? &*found : nullptr;
}

Result<std::string_view> ZipDirectory::content(const ZipEntry& entry) const {
  if (!entry.is_stored())
    return failure(fmt::format("its entry {} is compressed, which PyTorch does not do",
                               in_quotes(entry.name)));
  // The entry's own header repeats the name, but may have other extra fields.
  const auto broken = [&] {
    return failure(fmt::format("the header of its entry {} is broken", in_quotes(entry.name)));
  };
  if (!is_mark(archive_, entry.header, kLocalMark)) return broken();
  const std::uint64_t skipped = kLocalSize + number_at<std::uint16_t>(archive_, entry.header + 26) +
                                number_at<std::uint16_t>(archive_, entry.header + 28);
  const std::uint64_t left = archive_.size() - entry.header;
  if (skipped > left || entry.bytes > left - skipped) return broken();
  return archive_.substr(entry.header + skipped, entry.bytes);
}

}  // namespace strata
