// Operators say what they are in their rows (src/core/ops). Later rooms ask for a property
// and never compare an operator's name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Readers and writers know the names of their format, and the kernels of engines, which `measure`
// examines, are known only by name.
bool may_compare(const std::string& room) {
  return room == "ops" || room == "read" || room == "write" || room == "measure";
}

std::vector<std::string> comparisons(const std::string& text) {
  static const std::regex kComparison(
      R"re(\bop(\(\))? *(==|!=) *"[A-Z]\w*"|\bop\.(starts_with|ends_with|find|contains)\("[A-Z]\w*")re");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kComparison), end; at != end; ++at)
    found.push_back(at->str());
  return found;
}

TEST(OperatorNames, AreComparedInTheRoomOfOperatorsOnly) {
  std::size_t files = 0;
  const fs::path root = fs::path(STRATA_SOURCE_DIR) / "src";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    const fs::path path = entry.path().lexically_relative(root);  // floor/room/…/file
    const std::string extension = path.extension().string();
    if ((extension != ".h" && extension != ".cc") || path.string().ends_with("_test.cc")) continue;
    if (may_compare(std::next(path.begin())->string())) continue;
    ++files;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(comparisons(text), IsEmpty())
        << path << ": state the property in the operator's row (src/core/ops/traits.h)";
  }
  EXPECT_GT(files, 200u);
}

TEST(OperatorNames, ComparisonsAreFound) {
  EXPECT_THAT(comparisons("if (node.op == \"Conv\" || op != \"Relu\")"),
              ElementsAre("op == \"Conv\"", "op != \"Relu\""));
  EXPECT_THAT(comparisons("node.op.starts_with(\"QLinear\")"),
              ElementsAre("op.starts_with(\"QLinear\""));
  EXPECT_THAT(comparisons("net.op(\"Conv\", {x}); {.op = \"Sum\"}"), IsEmpty());
}

}  // namespace
