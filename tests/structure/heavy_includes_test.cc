// Headers that take seconds to compile are included in few files, and in none that users of the
// library include.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Files below `top` with a line that begins with `start`.
std::vector<std::string> files_with(const char* top, const std::string& start) {
  std::vector<std::string> found;
  const fs::path root = fs::path(STRATA_SOURCE_DIR) / top;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with(start)) continue;
      found.push_back(entry.path().lexically_relative(root).generic_string());
      break;
    }
  }
  return found;
}

TEST(HeavyIncludes, OptionsAloneIncludeCli11) {
  EXPECT_THAT(files_with("src", "#include <CLI/"), ElementsAre("front/options/parse.cc"));
}

// Texts are checked there first: a deep one takes the whole stack.
TEST(HeavyIncludes, TomlIsParsedInOnePlace) {
  EXPECT_THAT(files_with("src", "#include <toml++/"), ElementsAre("core/base/toml_text.h"));
  EXPECT_THAT(files_with("src", "  toml::parse_result parsed = toml::parse("),
              ElementsAre("core/base/toml_text.cc"));
}

TEST(HeavyIncludes, PublicHeadersIncludeNoJsonLibrary) {
  EXPECT_THAT(files_with("include", "#include <nlohmann/"), IsEmpty());
  EXPECT_FALSE(files_with("src", "#include <nlohmann/").empty());
}

}  // namespace
