// Every variable that the program reads is in its tables, and every row of the tables is in the
// documentation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "manual/surroundings.h"

namespace strata::manual {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// `getenv("HOME")`; tests, and the engine for tests, are not what people run.
std::set<std::string> variables_that_are_read() {
  static const std::regex kCall(R"re(getenv\("(\w+)"\))re");
  std::set<std::string> names;
  for (const char* top : {"src", "engines"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(STRATA_SOURCE_DIR) / top)) {
      const std::string path = entry.path().generic_string();
      if (!path.ends_with(".cc") && !path.ends_with(".h")) continue;
      if (path.ends_with("_test.cc") || path.find("/engines/fake/") != path.npos) continue;
      const std::string text = text_of(path);
      for (std::sregex_iterator at(text.begin(), text.end(), kCall), end; at != end; ++at)
        names.insert((*at)[1]);
      if (text.find("temp_directory_path(") != text.npos) names.insert("TMPDIR");
    }
  return names;
}

TEST(Environment, HasTheVariablesThatAreRead) {
  std::set<std::string> rows;
  for (const VariableFacts& row : variables()) rows.emplace(row.name);
  EXPECT_EQ(rows, variables_that_are_read());
}

TEST(Environment, IsInTheDocumentation) {
  const std::string page = text_of(fs::path(STRATA_SOURCE_DIR) / "docs/environment.md");
  for (const VariableFacts& row : variables())
    EXPECT_THAT(page, HasSubstr("| `" + std::string(row.name) + "` | " + std::string(row.meaning) +
                                " |\n"));
  for (const ExitCodeFacts& row : exit_codes())
    EXPECT_THAT(page, HasSubstr("| " + std::to_string(row.code) + " | " + std::string(row.meaning) +
                                " |\n"));
}

}  // namespace
}  // namespace strata::manual
