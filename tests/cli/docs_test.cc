// The Markdown pages match the repository: links lead somewhere, code and diffs are in the files,
// tables are those of the golden files.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "case_file.h"

namespace strata_cli_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

const fs::path kRoot = STRATA_SOURCE_DIR;

Lines lines_of_file(const fs::path& path) { return read_case_file(path.string()).lines; }

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == line.npos ? "" : line.substr(first);
}

bool has_line(const Lines& lines, const std::string& wanted) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return trimmed(line) == trimmed(wanted); });
}

// The lines of all ```<language> blocks; for "" the lines outside blocks.
Lines blocks(const fs::path& page, const std::string& language) {
  Lines found;
  std::string block;
  for (const std::string& line : lines_of_file(page)) {
    if (line.starts_with("```"))
      block = line.substr(3);
    else if (block == language)
      found.push_back(line);
  }
  return found;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kRoot))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

TEST(Docs, LinksLeadSomewhere) {
  static const std::regex kLink(R"(\]\(([^)#]+)(#[^)]*)?\))");
  for (const fs::path& page : pages())
    for (const std::string& line : blocks(page, ""))
      for (std::sregex_iterator at(line.begin(), line.end(), kLink), end; at != end; ++at) {
        const std::string target = (*at)[1];
        if (target.starts_with("https://")) continue;
        EXPECT_TRUE(fs::exists(page.parent_path() / target)) << page << ": " << target;
      }
}

TEST(Docs, CodeInTheReadmeIsTheExamples) {
  const Lines example = lines_of_file(kRoot / "examples/profile_model.cc");
  const Lines code = blocks(kRoot / "README.md", "cpp");
  EXPECT_FALSE(code.empty());
  for (const std::string& line : code) EXPECT_TRUE(has_line(example, line)) << line;
}

TEST(Docs, DiffsInContributingAreInTheFiles) {
  Lines file;
  std::size_t compared = 0;
  for (const std::string& line : blocks(kRoot / "CONTRIBUTING.md", "diff")) {
    constexpr std::string_view kFile = "+++ b/";
    if (line.starts_with(kFile)) {
      file = lines_of_file(kRoot / line.substr(kFile.size()));
    } else if (line.starts_with("+")) {
      EXPECT_TRUE(has_line(file, line.substr(1))) << line;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10u);
}

TEST(Docs, TableOfConventionsIsThePublishedOne) {
  const Lines page = lines_of_file(kRoot / "docs/conventions.md");
  const Lines published = lines_of_file(kRoot / "tests/golden/published_counts.csv");
  ASSERT_GT(published.size(), 1u);
  for (std::size_t i = 1; i < published.size(); ++i) {
    std::istringstream cells(published[i]);
    std::string convention, metric, number;
    std::getline(cells, convention, ',');
    std::getline(cells, metric, ',');
    std::string row = "| `" + convention + "` | " + (metric == "macs" ? "MACs" : "FLOPs") + " |";
    while (std::getline(cells, number, ',')) row += " " + number + " |";
    EXPECT_TRUE(has_line(page, row)) << row;
  }
}

}  // namespace
}  // namespace strata_cli_test
