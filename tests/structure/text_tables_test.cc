// Hash tables of text or numbers that may come from files use a keyed hash, which no file can
// provoke collisions in: those of strata/base/text_map.h, or NameTable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> unkeyed_tables(const std::string& text) {
  static const std::regex kTable(
      R"(unordered_(multi)?(map|set)<\s*(const )?std::(string|string_view|u?int64_t|size_t)\s*[,>])"
      R"(|std::hash<\s*std::string(_view)?\s*>)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kTable), end; at != end; ++at)
    found.push_back(at->str());
  return found;
}

TEST(TextTables, TheSearchFindsThem) {
  EXPECT_THAT(unkeyed_tables("std::unordered_map<std::string, int> a;\n"
                             "std::unordered_set<\n    std::string_view> b;\n"
                             "std::unordered_multimap<std::uint64_t, int> c;\n"
                             "std::hash<std::string>()(d);"),
              ElementsAre("unordered_map<std::string,", "unordered_set<\n    std::string_view>",
                          "unordered_multimap<std::uint64_t,", "std::hash<std::string>"));
  EXPECT_THAT(unkeyed_tables("TextMap<std::string, int> a; std::unordered_map<const Graph*, int> b;"
                             "std::unordered_set<NodeId> c; std::map<std::string, int> d;"),
              IsEmpty());
}

TEST(TextTables, UseAKeyedHash) {
  std::vector<std::string> wrong;
  for (const char* top : {"include", "src", "engines"}) {
    const fs::path root = fs::path(STRATA_SOURCE_DIR) / top;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      const std::string name = entry.path().lexically_relative(STRATA_SOURCE_DIR).generic_string();
      if (!name.ends_with(".h") && !name.ends_with(".cc")) continue;
      if (name.ends_with("_test.cc") || name == "include/strata/base/text_map.h") continue;
      if (name == "engines/onnxruntime/provider.cc") continue;  // an argument of ONNX Runtime's
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      for (const std::string& table : unkeyed_tables(text.str()))
        wrong.push_back(name + ": " + table + "… take TextMap, TextSet or NumberMap");
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

}  // namespace
