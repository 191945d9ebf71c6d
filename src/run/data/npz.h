// libzip's handles, which close themselves.
#pragma once

#include <memory>
#include <string>

#include "data/libzip.h"
#include "strata/base/result.h"

namespace strata {

struct ZipClose {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipArchive = std::unique_ptr<zip_t, ZipClose>;
using ZipFile = std::unique_ptr<zip_file_t, ZipClose>;

Result<ZipArchive> open_npz(const std::string& path);

}  // namespace strata
