// Runs the completion scripts in their shells, and mandoc on the manual pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../run_shell.h"

namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

using strata::Ran;
using strata::run_shell;

const std::string kHere = std::string(STRATA_SOURCE_DIR) + "/tests/shell/";

// Lines, and the words that are offered at the end of each.
using Offers = std::map<std::string, std::string>;

// A folder with the script as each shell wants it to be called.
class Completion : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "strata_shell_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Returns what `shell` offers for the lines in `expected`.
  Offers offers(const std::string& shell, const std::string& file, const std::string& arguments,
                const Offers& expected) {
    const std::string path = (folder_ / file).string();
    const Ran made =
        run_shell(std::string(STRATA_BINARY) + " completion " + shell + " > '" + path + "'");
    EXPECT_EQ(made.code, 0) << made.text;
    std::string command = "cd " STRATA_SOURCE_DIR " && HOME='" + folder_.string() + "' TERM=dumb ";
    command += "timeout 120 " + shell + " " + arguments + " " + kHere + "complete." + shell + " '" +
               (shell == "zsh" ? folder_.string() : path) + "'";
    for (const auto& [line, words] : expected) command += " '" + line + "'";
    const Ran ended = run_shell(command);
    EXPECT_EQ(ended.code, 0) << "is " << shell << " installed? deps/install.sh test brings it";
    Offers found;
    std::istringstream lines(ended.text);
    for (std::string line; std::getline(lines, line);)
      found[line.substr(0, line.find('|'))] =
          line.substr(std::min(line.find('|') + 1, line.size()));
    return found;
  }

 private:
  fs::path folder_;
};

// Offers that are the same in all shells. The words are those of docs/ and of --help.
const Offers kAnywhere = {
    {"strata sta", "stat"},
    {"strata zoo ta", "table"},
    {"strata help st", "stat"},
    {"strata completion ", "bash fish zsh"},
    {"strata stat --rep", "--report"},
    {"strata stat --report ", "calls leaves node none root tape tree type"},
    {"strata stat x.onnx --count fv", "fvcore"},
    {"strata stat x.onnx --energy ", "rasp strata"},
    {"strata stat --runs ", ""},
    {"strata zoo table --lay", "--layout"},
    {"strata zoo export resnet1", "resnet101 resnet152 resnet18"},
    {"strata bench --precision in", "int8"},
};

Offers with(Offers offers, const Offers& more) {
  offers.insert(more.begin(), more.end());
  return offers;
}

TEST_F(Completion, InBash) {
  const Offers expected =
      with(kAnywhere, {
                          // Bash adds these to `zoo:`, and to `--format=`.
                          {"strata stat zoo:resnet1", "resnet101 resnet152 resnet18"},
                          {"strata stat --format=js", "json"},
                          {"strata stat tests/mod", "tests/models"},
                          {"strata stat x.onnx -o tests/mod", "tests/models"},
                          {"strata stat --save tests/mod", "tests/models"},
                          {"strata stat --columns macs,fl", "macs,flops macs,flops_per_s"},
                      });
  EXPECT_EQ(offers("bash", "strata.bash", "--norc", expected), expected);
}

TEST_F(Completion, InZsh) {
  const Offers expected =
      with(kAnywhere, {
                          {"strata stat zoo:resnet1", "zoo:resnet101 zoo:resnet152 zoo:resnet18"},
                          {"strata stat --format=js", "json"},
                          {"strata stat tests/mod", "models"},
                          {"strata stat x.onnx -o tests/mod", "models"},
                          {"strata stat --save tests/mod", "models"},
                          // zsh keeps what stands before the comma.
                          {"strata stat --columns fl", "flops flops_per_s"},
                          {"strata stat --columns macs,fl", "flops flops_per_s"},
                          {"strata stat --columns=macs,params,fl", "flops flops_per_s"},
                      });
  EXPECT_EQ(offers("zsh", "_strata", "-f", expected), expected);
}

TEST_F(Completion, InFish) {
  const Offers expected =
      with(kAnywhere,
           {
               {"strata stat zoo:resnet1", "zoo:resnet101 zoo:resnet152 zoo:resnet18"},
               {"strata stat --format=js", "--format=json"},
               {"strata stat tests/mod", "tests/models/"},
               {"strata stat x.onnx -o tests/mod", "tests/models/"},
               {"strata stat --save tests/mod", "tests/models/"},
               {"strata stat --columns fl", "flops flops_per_s"},
               {"strata stat --columns macs,fl", "macs,flops macs,flops_per_s"},
               {"strata stat --columns=macs,fl", "--columns=macs,flops --columns=macs,flops_per_s"},
           });
  EXPECT_EQ(offers("fish", "strata.fish", "--no-config", expected), expected);
}

// mandoc warns of what other readers of manual pages show in another way, or not at all.
TEST(ManualPages, AreCleanForMandoc) {
  std::string folder = (fs::temp_directory_path() / "strata_pages_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ASSERT_EQ(run_shell(std::string(STRATA_BINARY) + " help --man --save " + folder).code, 0);
  std::size_t pages = 0;
  for (const fs::directory_entry& page : fs::directory_iterator(folder)) {
    ++pages;
    // A page has the version of the program, and no date, so that it is the same in every build.
    const Ran lint = run_shell("mandoc -Tlint -Wwarning '" + page.path().string() +
                               "' | sed '/ WARNING: missing date, /d'");
    EXPECT_THAT(lint.text, IsEmpty()) << "deps/install.sh test brings mandoc";
  }
  EXPECT_GT(pages, 15u);
  const Ran shown = run_shell("mandoc -Tutf8 '" + folder + "/strata-stat.1' | col -b");
  EXPECT_THAT(shown.text, testing::HasSubstr("strata-stat - count the cost of every layer"));
  EXPECT_THAT(shown.text, testing::HasSubstr("-o, --output FILE"));
  EXPECT_THAT(shown.text, testing::HasSubstr("strata stat mobilenet_v2.onnx"));
  fs::remove_all(folder);
}

}  // namespace
