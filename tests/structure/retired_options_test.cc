// The documentation does not use names of options that the program is about to drop. Such a name is
// an entry `- was --NAME` in data/options/. It may be retired in one command and usual in another,
// so a page is judged by section: the commands that the section names, or the page is named after.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using Names = std::set<std::string>;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Names all_matches(const std::string& text, const std::regex& pattern) {
  Names found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

struct Options {
  Names usual, retired;
};

void add_file(const fs::path& path, Options& out) {
  static const std::regex kOption(R"(--[a-z][a-z0-9-]*)");
  std::istringstream lines(text_of(path));
  for (std::string line; std::getline(lines, line);) {
    std::smatch name;
    if (!std::regex_search(line, name, kOption)) continue;
    if (line.starts_with("    - was ")) out.retired.insert(name[0]);
    if (line.starts_with("-") && !line.starts_with("- ")) out.usual.insert(name[0]);
  }
}

// The options of each command, from its own file and those that its first line names.
std::map<std::string, Options> options_of_commands() {
  static const std::regex kCommand(R"(^# Options of `strata ([a-z ]+)`)"),
      kFile(R"(([a-z_]+\.txt))");
  std::map<std::string, Options> out;
  const fs::path folder = fs::path(STRATA_SOURCE_DIR) / "data/options";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string text = text_of(entry.path());
    const std::string first = text.substr(0, text.find('\n'));
    std::smatch command;
    if (!std::regex_search(first, command, kCommand)) continue;
    Options& own = out[command[1]];
    add_file(entry.path(), own);
    for (const std::string& more : all_matches(first, kFile)) add_file(folder / more, own);
  }
  return out;
}

// Parts of a page between headings.
std::vector<std::string> sections_of(const std::string& text) {
  std::vector<std::string> out(1);
  bool code = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    if (!code && line.starts_with("#")) out.emplace_back();
    out.back() += line + "\n";
  }
  return out;
}

// True if the text has `strata COMMAND`, followed by the end of the word.
bool names_command(const std::string& text, const std::string& command) {
  const std::string typed = "strata " + command;
  for (std::size_t at = text.find(typed); at != text.npos; at = text.find(typed, at + 1)) {
    const std::size_t end = at + typed.size();
    if (end == text.size() ||
        (std::islower(static_cast<unsigned char>(text[end])) == 0 && text[end] != '-'))
      return true;
  }
  return false;
}

// The retired names that a section uses.
Names retired_in(const std::string& section, const std::string& page,
                 const std::map<std::string, Options>& commands) {
  Names used, usual, retired;
  if (section.find("--") == section.npos) return used;
  for (const auto& [command, options] : commands) {
    if (command != page && !names_command(section, command)) continue;
    usual.insert(options.usual.begin(), options.usual.end());
    retired.insert(options.retired.begin(), options.retired.end());
  }
  static const std::regex kUsed(R"((?:^|[^a-z0-9-])(--[a-z][a-z0-9-]*))");
  for (const std::string& name : all_matches(section, kUsed))
    if (retired.contains(name) && !usual.contains(name)) used.insert(name);
  return used;
}

TEST(RetiredOptions, AreFoundInASection) {
  const std::map<std::string, Options> commands = {
      {"bench", {{"--layout", "--max-wait"}, {"--timeout"}}},
      {"quantize", {{"--image-layout"}, {"--layout"}}}};
  const auto in = [&](const std::string& text, const std::string& page = "") {
    return retired_in(text, page, commands);
  };
  EXPECT_THAT(in("`strata bench m --timeout 3s`"), testing::ElementsAre("--timeout"));
  EXPECT_THAT(in("`strata bench m --max-wait 3s --layout x`"), IsEmpty());
  EXPECT_THAT(in("`strata quantize` has `--crop --layout`"), testing::ElementsAre("--layout"));
  EXPECT_THAT(in("`--image-layout nhwc`", "quantize"), IsEmpty());
  EXPECT_THAT(in("within `--timeout`", "bench"), testing::ElementsAre("--timeout"));
  EXPECT_THAT(in("`strata stat --timeout`"), IsEmpty());  // another command's
}

TEST(RetiredOptions, AreReadFromTheRows) {
  const auto commands = options_of_commands();
  ASSERT_TRUE(commands.contains("quantize"));
  EXPECT_TRUE(commands.at("quantize").retired.contains("--layout"));
  EXPECT_TRUE(commands.at("quantize").usual.contains("--image-layout"));
  EXPECT_FALSE(commands.at("bench").retired.contains("--layout"));
}

TEST(RetiredOptions, AreInNoPage) {
  const fs::path root = STRATA_SOURCE_DIR;
  const auto commands = options_of_commands();
  std::vector<fs::path> pages = {root / "README.md"};
  for (const char* folder : {"docs", "examples", "data/help"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().lexically_relative(root).generic_string();
      // Decisions say how names came to be, and docs/options.md lists what replaces them.
      if (!entry.is_regular_file() || path.starts_with("docs/adr/") || path == "docs/options.md" ||
          path.starts_with("docs/images/"))
        continue;
      pages.push_back(entry.path());
    }
  std::vector<std::string> found;
  for (const fs::path& page : pages)
    for (const std::string& section : sections_of(text_of(page)))
      for (const std::string& name : retired_in(section, page.stem().string(), commands))
        found.push_back(fmt::format("{}: {}: {}", page.lexically_relative(root).generic_string(),
                                    section.substr(0, section.find('\n')), name));
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
