// Every place that deletes, renames or cuts a file is listed here and in docs/trust.md with its
// rule. A new one has to say why it cannot lose anything of the user's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

bool deletes(const std::string& text) {
  static const std::regex kCall(
      R"(::(unlink|unlinkat|rmdir|rename|renameat|truncate|ftruncate|remove|remove_all|nftw)\()"
      R"re(|O_TRUNC\b|ZIP_TRUNCATE\b|std::ofstream\b|fopen\([^"]*"[wa])re");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.find("//"), line.size()));
    if (std::regex_search(line, kCall)) return true;
  }
  return false;
}

const std::set<std::string> kKnown = {
    "src/core/base/scratch_folder.cc",        // its own folders, known by their marker and inode
    "src/core/base/output_file.cc",           // its own temporary files, known by their names
    "src/front/task/calibrate.cc",            // RANGES.part of the same run
    "src/front/task/sensitivity_journal.cc",  // SCORES.partial of the same run
    "src/front/cli/table_options.cc",         // FILE.partial that this very command wrote
    "src/front/task/sweep_journal.cc",        // the unfinished last line of a sweep's results
    "src/core/document/output.cc",            // devices and pipes
    "src/run/data/npz_write.cc",              // in scratch folders
    "engines/onnxruntime/session.cc",         // in the session's scratch folder
    "engines/onnxruntime/model_source.cc",    // in the session's scratch folder
    "engines/openvino/model_file.cc",         // in the session's scratch folder
    "src/run/engine/confine_linux.cc",        // names the flag, to refuse it
    "src/core/base/system_calls_macos.cc",    // the name of a new file, which stays open
};

TEST(Deletions, TheSearchFindsThem) {
  EXPECT_TRUE(deletes("  ::unlink(path.c_str());"));
  EXPECT_TRUE(deletes("fs::remove_all(folder, error);"));
  EXPECT_TRUE(deletes("std::rename(a, b)"));
  EXPECT_TRUE(deletes("::open(path, O_WRONLY | O_TRUNC)"));
  EXPECT_TRUE(deletes("std::fopen(path.c_str(), \"wb\")"));
  EXPECT_FALSE(deletes("// ::unlink(path) is not called\nedit.remove(node); remove_prefix(3);"));
  EXPECT_FALSE(deletes("std::fopen(path.c_str(), \"rb\")"));
}

TEST(Deletions, AreAllKnown) {
  std::set<std::string> found;
  for (const char* top : {"include", "src", "engines"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(STRATA_SOURCE_DIR) / top)) {
      const std::string name = entry.path().lexically_relative(STRATA_SOURCE_DIR).generic_string();
      if (!name.ends_with(".h") && !name.ends_with(".cc")) continue;
      if (name.ends_with("_test.cc") || name.find("/test_") != name.npos) continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      if (deletes(text.str())) found.insert(name);
    }
  EXPECT_EQ(found, kKnown);
}

}  // namespace
