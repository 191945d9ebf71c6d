// Zip archives for tests, written from the layout in PKWARE's APPNOTE, so that nothing is shared
// with the code that reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata::unzip::test {

struct ZipPart {
  std::string name, bytes;
  bool deflated = false;               // as one stored block, which is a deflate stream, too
  std::uint32_t stated = 0xfffffffeu;  // another size than the true one
  std::uint32_t method = 0;            // another method than the true one
  bool stated_twice = false;           // `stated` is also the size in the archive
};

inline std::string little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((number >> (8 * i)) & 0xff);
  return text;
}

// A deflate stream of stored blocks: each has its length and the complement of it.
inline std::string deflated(std::string_view bytes) {
  std::string stream;
  do {
    const std::string_view piece = bytes.substr(0, 0xffff);
    bytes.remove_prefix(piece.size());
    stream += bytes.empty() ? '\1' : '\0';
    stream += little(piece.size(), 2) + little(~piece.size(), 2);
    stream += piece;
  } while (!bytes.empty());
  return stream;
}

// `wide`: with the fields for 64 bits, as PyTorch writes them.
inline std::string zipped(const std::vector<ZipPart>& parts, bool wide = false) {
  std::string archive, directory;
  for (const ZipPart& part : parts) {
    const std::string packed = part.deflated ? deflated(part.bytes) : part.bytes;
    const std::uint64_t size = part.stated != 0xfffffffeu ? part.stated : part.bytes.size();
    const std::uint64_t packed_size = part.stated_twice ? size : packed.size();
    const std::string method = little(part.method != 0 ? part.method : part.deflated ? 8 : 0, 2);
    const std::uint64_t at = archive.size();
    archive += "PK\3\4" + little(20, 2) + little(0, 2) + method + little(0, 8) +
               little(packed_size, 4) + little(size, 4) + little(part.name.size(), 2) +
               little(0, 2) + part.name;
    archive += packed;
    const std::string extra = wide ? little(1, 2) + little(24, 2) + little(size, 8) +
                                         little(packed_size, 8) + little(at, 8)
                                   : "";
    directory += "PK\1\2" + little(20, 2) + little(20, 2) + little(0, 2) + method + little(0, 8) +
                 little(wide ? 0xffffffff : packed_size, 4) + little(wide ? 0xffffffff : size, 4) +
                 little(part.name.size(), 2) + little(extra.size(), 2) + little(0, 2) +
                 little(0, 8) + little(wide ? 0xffffffff : at, 4) + part.name;
    directory += extra;
  }
  const std::uint64_t start = archive.size();
  archive += directory;
  if (wide) {
    const std::uint64_t end = archive.size();
    archive += "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
               little(parts.size(), 8) + little(parts.size(), 8) + little(directory.size(), 8) +
               little(start, 8);
    archive += "PK\6\7" + little(0, 4) + little(end, 8) + little(1, 4);
  }
  archive += "PK\5\6" + little(0, 4) + little(wide ? 0xffff : parts.size(), 2) +
             little(wide ? 0xffff : parts.size(), 2) +
             little(wide ? 0xffffffff : directory.size(), 4) +
             little(wide ? 0xffffffff : start, 4) + little(0, 2);
  return archive;
}

}  // namespace strata::unzip::test
