// The library names neither an option of the program nor the program itself, since its caller may
// be another program. It says what is wrong, with a code; src/front/manual/advice.cc says what to
// type. src/front/manual/ writes about the program's options, and nothing else; src/front/options/
// reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

// Texts in quotes, except in comments. Escaped quotes within a text are removed first.
std::vector<std::string> texts_of(std::string line) {
  static const std::regex kEscaped(R"(\\.)"), kText(R"re("([^"]*)")re");
  line = std::regex_replace(line, kEscaped, " ");
  const std::size_t comment = line.find("//");
  std::vector<std::string> found;
  for (std::sregex_iterator at(line.begin(), line.end(), kText), end; at != end; ++at)
    if (static_cast<std::size_t>(at->position()) < comment) found.push_back((*at)[1]);
  return found;
}

bool names_an_option(const std::string& text) {
  static const std::regex kOption(R"((^|[^a-z0-9])--[a-z]|[ (`]-[a-zA-Z]([ `)=]|$))");
  static const std::regex kProgram(R"(`strata |`--)");
  return std::regex_search(text, kOption) || std::regex_search(text, kProgram);
}

// Options of a scheduler, in the scripts that it runs, and of programs that convert models.
bool is_for_others(const std::string& text) {
  return text.starts_with("#SBATCH ") || text.find("make -f ") != text.npos ||
         text.find("2onnx") != text.npos || text.find("--save_file") != text.npos;
}

std::vector<std::string> places(const fs::path& top) {
  std::vector<std::string> found;
  const fs::path root = STRATA_SOURCE_DIR;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
    const std::string path = entry.path().lexically_relative(root).generic_string();
    const std::string extension = entry.path().extension().string();
    if ((extension != ".h" && extension != ".cc") || path.starts_with("src/front/cli/") ||
        path.starts_with("src/front/options/") || path.starts_with("src/front/manual/") ||
        path.starts_with("src/front/c/") ||
        path == "include/strata/c.h" ||  // whose words are options
        path.ends_with("_test.cc"))
      continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      for (const std::string& text : texts_of(line))
        if (names_an_option(text) && !is_for_others(text))
          found.push_back(fmt::format("{}:{}: {}", path, number, text));
    }
  }
  return found;
}

TEST(OptionNames, AreFoundInTexts) {
  EXPECT_EQ(texts_of(R"(f("a \"b\" c", 'd', "e");  // "g")"),
            (std::vector<std::string>{"a  b  c", "e"}));
  for (const char* text : {"give it with --dim", "--sort x: name one", "another file with -o",
                           "make it with `strata calibrate`", "(--all shows them)"})
    EXPECT_TRUE(names_an_option(text)) << text;
  for (const char* text : {"a - b", "1--2", "strata 0.2.0", "well-known", "x -1 y", "–"})
    EXPECT_FALSE(names_an_option(text)) << text;
}

TEST(OptionNames, AreInTheProgramAlone) {
  EXPECT_THAT(places("include"), IsEmpty());
  EXPECT_THAT(places("src"), IsEmpty());
  EXPECT_THAT(places("engines"), IsEmpty());
}

}  // namespace
