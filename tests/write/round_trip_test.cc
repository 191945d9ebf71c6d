// A file that is read, written and read again is the same network: every model of
// ONNX's own conformance cases, the exports, and the seeds of the fuzzers.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "write/onnx/test_difference.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> models_below(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// Returns false if the file cannot be read in the first place.
bool check(const std::string& file) {
  const auto model = read_model(file);
  if (!model) return false;
  WriteOptions options;
  options.elsewhere = WriteOptions::Elsewhere::Refer;
  const auto bytes = onnx_bytes(*model, options);
  if (!bytes) {
    ADD_FAILURE() << file << ": " << bytes.error().message;
    return true;
  }
  const auto again = read_onnx(*bytes, "again");
  if (!again) {
    ADD_FAILURE() << file << ": " << again.error().message;
    return true;
  }
  EXPECT_EQ(onnx::test::difference(*model, *again), "") << file;
  EXPECT_TRUE(*bytes == onnx_bytes(*again, options)) << file << ": written again, the bytes differ";
  return true;
}

TEST(RoundTrip, ConformanceCases) {
  const fs::path data = "/usr/share/libonnx-testdata/data";
  ASSERT_TRUE(fs::exists(data)) << "deps/install.sh test brings libonnx-testdata";
  int read = 0;
  for (const std::string& file : models_below(data)) read += check(file);
  EXPECT_GT(read, 1000);
}

TEST(RoundTrip, Exports) {
  int read = 0;
  for (const std::string& file : models_below(STRATA_TEST_MODELS)) read += check(file);
  EXPECT_GT(read, 7);
}

TEST(RoundTrip, ModelsOfTheRepository) {
  int read = 0;
  for (const std::string& file : models_below(fs::path(STRATA_SOURCE_DIR) / "tests"))
    read += check(file);
  EXPECT_GT(read, 30);
}

}  // namespace
}  // namespace strata
