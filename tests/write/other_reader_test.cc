// ONNX's own library reads and checks what is written.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../run_shell.h"
#include "strata/base/scratch_folder.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

TEST(OtherReader, ReadsTheSameNetworks) {
  const ScratchFolder scratch = ScratchFolder::create().value();
  const fs::path folder = scratch.path();
  std::vector<fs::path> files;
  for (const char* top : {"/usr/share/libonnx-testdata/data", STRATA_TEST_MODELS})
    for (const auto& entry : fs::recursive_directory_iterator(top))
      if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::ofstream pairs(folder / "pairs.txt");
  int count = 0;
  for (const fs::path& file : files) {
    const auto model = read_model(file.string());
    if (!model) continue;
    const fs::path written = folder / fmt::format("{}.onnx", count++);
    const Status status = write_onnx(*model, written.string());
    ASSERT_TRUE(status) << file << ": " << status.error().message;
    pairs << file.string() << ' ' << written.string() << '\n';
  }
  pairs.close();
  EXPECT_GT(count, 1000);

  const std::string command =
      fmt::format("/usr/bin/python3 -B {}/tests/write/same_network.py < {} 2>&1", STRATA_SOURCE_DIR,
                  (folder / "pairs.txt").string());
  const Ran judged = run_shell(command);
  EXPECT_EQ(judged.code, 0);
  EXPECT_EQ(judged.text, fmt::format("{} pairs\n", count));
}

}  // namespace
}  // namespace strata
