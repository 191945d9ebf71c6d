// The directory of a zip archive that is in memory. Only the directory is looked at until somebody
// asks for an entry, so that weights of gigabytes are never touched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"

namespace strata::unzip {

struct ZipEntry {
  std::string_view name;
  std::uint64_t packed = 0;  // bytes in the archive
  std::uint64_t size = 0;    // bytes once unpacked, as the directory says
  std::uint64_t header = 0;  // where its own header starts
  std::uint16_t method = 0;  // 0: stored, 8: deflated
  bool encrypted = false;
};

// The entries of an archive, in the order of its directory. The names refer to `bytes`.
Result<std::vector<ZipEntry>> zip_entries(std::string_view bytes);

// The name of the first entry by its own header, which also an archive without a directory has;
// empty if it is not there.
std::string_view first_zip_name(std::string_view bytes);

// The bytes of an entry as the archive has them, stored or deflated.
Result<std::string_view> packed_bytes(std::string_view archive, const ZipEntry& entry);

// Unpacks deflated bytes, which must give `size` bytes.
Result<std::string> inflate(std::string_view packed, std::uint64_t size);

}  // namespace strata::unzip
