// Runs every command of tests/cli/*.case and of the Markdown pages in a shell, at
// the root of the repository, and compares what it prints. STRATA_UPDATE=1 writes
// what was printed into the files instead; read the diff.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "case_file.h"
#include "strata/base/scratch_folder.h"

namespace strata_cli_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = STRATA_SOURCE_DIR;

bool updates() { return std::getenv("STRATA_UPDATE") != nullptr; }

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Folders for the commands of one file, removed when it is done.
class Folders {
 public:
  Folders() { fs::create_directory(temporary()); }

  std::string temporary() const { return root_ / "t"; }  // $T in a command
  std::string captured(const char* stream) const { return root_ / stream; }

 private:
  strata::ScratchFolder root_ = strata::ScratchFolder::create().value();
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// `strata` in the command is the program under test. $T is an empty folder that
// the commands of a file share; it is printed as `$T`.
Printed run(const std::string& command, const Folders& folders) {
  const std::string script = fmt::format(
      "cd '{}' && PATH='{}':\"$PATH\" && T='{}' && COLUMNS=100 && export COLUMNS &&\n{}",
      kRoot.string(), fs::path(STRATA_BINARY).parent_path().string(), folders.temporary(), command);
  const int status =
      std::system(fmt::format("(unset NO_COLOR; {}\n) >'{}' 2>'{}' </dev/null", script,
                              folders.captured("out"), folders.captured("err"))
                      .c_str());
  Printed printed;
  printed.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  printed.output = replaced(text_of(folders.captured("out")), folders.temporary(), "$T");
  printed.errors = replaced(text_of(folders.captured("err")), folders.temporary(), "$T");
  return printed;
}

// Paths relative to the root.
std::vector<std::string> case_files() {
  std::vector<std::string> files;
  const auto add = [&](const fs::path& folder, const char* extension) {
    for (const auto& entry : fs::directory_iterator(kRoot / folder))
      if (entry.path().extension() == extension)
        files.push_back(fs::relative(entry.path(), kRoot).string());
  };
  add("tests/cli", ".case");
  add(".", ".md");
  add("docs", ".md");
  add("docs/how-to", ".md");
  std::erase_if(files, [](const std::string& file) {
    return read_case_file((kRoot / file).string()).cases.empty();
  });
  std::sort(files.begin(), files.end());
  return files;
}

class CommandLine : public testing::TestWithParam<std::string> {};

TEST_P(CommandLine, PrintsWhatTheFileSays) {
  const std::string path = (kRoot / GetParam()).string();
  const CaseFile file = read_case_file(path);
  const Folders folders;
  std::vector<std::vector<std::string>> expected;
  bool changed = false;
  for (const Case& one : file.cases) {
    ASSERT_TRUE(one.complete) << "line " << one.line + 1 << " has no [exit N] after it";
    const Printed printed = run(one.command, folders);
    ASSERT_LT(printed.exit_code, 126) << one.command << "\n"
                                      << printed.errors;  // no such program, a crash
    const auto lines = lines_of(printed, file.markdown);
    const bool same = matches(one.expected, lines);
    if (!same && !updates())
      ADD_FAILURE_AT(path.c_str(), static_cast<int>(one.line) + 1)
          << "$ " << one.command << "\nexpected:\n"
          << fmt::format("{}\nprinted:\n{}\n", fmt::join(one.expected, "\n"),
                         fmt::join(lines, "\n"));
    expected.push_back(same ? one.expected : elided_like(one.expected, lines));
    changed = changed || !same;
  }
  if (updates() && changed) write_case_file(path, file, expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, CommandLine, testing::ValuesIn(case_files()), [](const auto& file) {
  std::string name = fs::path(file.param).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

TEST(Operators, PageIsWhatTheProgramPrints) {
  const Folders folders;
  const fs::path page = kRoot / "docs/operators.md";
  const Printed printed = run("strata ops --format md", folders);
  ASSERT_EQ(printed.exit_code, 0) << printed.errors;
  if (updates()) std::ofstream(page) << printed.output;
  EXPECT_TRUE(text_of(page) == printed.output)
      << "docs/operators.md is not what `strata ops --format md` prints; run this test with "
         "STRATA_UPDATE=1";
}

TEST(CaseFiles, EllipsisStandsForAnyNumberOfLines) {
  EXPECT_TRUE(matches({"a", "…", "d"}, {"a", "b", "c", "d"}));
  EXPECT_TRUE(matches({"a", "…", "d"}, {"a", "d"}));
  EXPECT_TRUE(matches({"  …"}, {}));
  EXPECT_TRUE(matches({"…", "b", "…", "b"}, {"a", "b", "c", "b", "b"}));
  EXPECT_FALSE(matches({"a", "…", "d"}, {"a", "b"}));
  EXPECT_FALSE(matches({"a"}, {"a", "b"}));
  EXPECT_FALSE(matches({"a", "…d"}, {"a", "d"}));
}

TEST(CaseFiles, UpdatingKeepsWhatIsElided) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(elided_like({"a", "…", "y", "z"}, {"1", "2", "3", "4", "5"}),
            (Lines{"1", "…", "4", "5"}));
  EXPECT_EQ(elided_like({"a", "…", "z"}, {"1", "2"}), (Lines{"1", "2"}));
  EXPECT_EQ(elided_like({"a"}, {"1", "2"}), (Lines{"1", "2"}));
}

}  // namespace
}  // namespace strata_cli_test
