// strata/strata.h includes every public header, and they compile together.
#include "strata/strata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(WholeHeader, HasEveryPublicHeader) {
  const fs::path include = fs::path(STRATA_SOURCE_DIR) / "include";
  std::ifstream file(include / "strata/strata.h");
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  std::size_t headers = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(include)) {
    const std::string path = entry.path().lexically_relative(include).generic_string();
    // The contract of plugins and the interface for C are C, and callers in C++ do not need them.
    if (!path.ends_with(".h") || path == "strata/strata.h" || path == "strata/engine/plugin.h" ||
        path == "strata/c.h")
      continue;
    ++headers;
    EXPECT_THAT(whole, HasSubstr("#include \"" + path + "\"\n"));
  }
  EXPECT_GT(headers, 50u);
}

}  // namespace
