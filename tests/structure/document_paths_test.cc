// Every file that a page names in backquotes is there: pages outlive moves of the code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Paths of this repository in a line; `data/help/NAME.txt` stands for several.
std::vector<std::string> paths_in(const std::string& line) {
  static const std::regex kPath(
      "`((?:src|include|tests|cmake|engines|data|assets|python|deps|packaging|bench|docs|examples)"
      "/[A-Za-z0-9_./-]+)`");
  static const std::regex kPlaceholder("(^|/)[A-Z]+\\.[a-z]+$");
  std::vector<std::string> found;
  for (std::sregex_iterator at(line.begin(), line.end(), kPath), end; at != end; ++at)
    if (const std::string path = (*at)[1]; !std::regex_search(path, kPlaceholder))
      found.push_back(path);
  return found;
}

TEST(DocumentPaths, AreFound) {
  EXPECT_THAT(paths_in("see `src/core/base/a.h` and `engines/fake/`, not `src/*.cc` or src/b.cc"),
              testing::ElementsAre("src/core/base/a.h", "engines/fake/"));
  EXPECT_THAT(paths_in("`data/help/NAME.txt`"), testing::IsEmpty());
}

TEST(DocumentPaths, AreThere) {
  const fs::path root = STRATA_SOURCE_DIR;
  std::vector<fs::path> pages = {root / "README.md", root / "CONTRIBUTING.md"};
  for (const char* folder : {"docs", "src", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::size_t count = 0;
  for (const fs::path& page : pages) {
    std::ifstream file(page);
    for (std::string line; std::getline(file, line);)
      for (const std::string& path : paths_in(line)) {
        ++count;
        EXPECT_TRUE(fs::exists(root / path))
            << page.lexically_relative(root) << " names " << path << ", which is not there";
      }
  }
  EXPECT_GT(count, 100u);
}

}  // namespace
