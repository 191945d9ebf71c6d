// Facts about one network belong into its description in src/model/zoo. No other room of
// the library names a network, or the class of one, in its code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "strata/zoo/zoo.h"

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Network names in the code, as text or as an included header; comments may give examples.
std::vector<std::string> networks_in(const std::string& text) {
  std::vector<std::string> found;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t code = std::min(line.find("//"), line.size());
    for (const strata::zoo::Entry& entry : strata::zoo::entries())
      for (const std::string_view name : {entry.name, entry.cls})
        if (!name.empty() && line.substr(0, code).find("\"" + std::string(name)) != line.npos)
          found.emplace_back(name);
    if (line.starts_with("#include \"zoo/") && line.find("zoo/block_names.h") == line.npos)
      found.push_back(line);
  }
  return found;
}

TEST(NetworkNames, AreInTheZooOnly) {
  std::size_t files = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(fs::path(STRATA_SOURCE_DIR) / "src")) {
    const std::string path = entry.path().generic_string();
    const std::string extension = entry.path().extension().string();
    const bool test = path.ends_with("_test.cc") || path.find("/test_") != path.npos;
    // known_bodies.cc is a table of what torchvision's modules keep alive while they run.
    const bool exempt = path.find("/src/model/zoo/") != path.npos ||
                        path.find("/src/front/cli/") != path.npos ||
                        path.find("/src/answer/llm/") != path.npos ||  // classes, one reader each
                        path.ends_with("/src/core/cost/known_bodies.cc");
    if ((extension != ".h" && extension != ".cc") || test || exempt) continue;
    ++files;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(networks_in(text), IsEmpty())
        << path << ": state the property that is meant, or put it into the network's description";
  }
  EXPECT_GT(files, 100u);
}

TEST(NetworkNames, AreFound) {
  EXPECT_THAT(networks_in("if (cls == \"ResNet\")\n"), testing::Contains("ResNet"));
  EXPECT_THAT(networks_in("#include \"zoo/efficientvit.h\"\n"),
              ElementsAre("#include \"zoo/efficientvit.h\""));
  EXPECT_THAT(networks_in("// as in \"ResNet\"\nreturn \"Conv\";"), IsEmpty());
}

}  // namespace
