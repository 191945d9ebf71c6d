#include "read/onnx/external.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"
#include "read/standard_input.h"
#include "strata/base/scratch_folder.h"
#include "strata/read/read.h"

namespace strata::onnx {
namespace {

namespace fs = std::filesystem;
using namespace test;

class ExternalTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = top_ / "model";
    fs::create_directory(folder_);
    write(top_ / "outside.bin", std::string(100, 'o'));
    write(folder_ / "weights.bin", std::string(100, 'w'));
  }
  static void write(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }

  Result<Model> read(const Pairs& entries, const ReadOptions& options = {}) {
    const fs::path path = folder_ / "m.onnx";
    write(path, model(GraphParts{.initializers = {external_tensor("w", 1, {10}, entries)}}));
    return read_model(path.string(), options);
  }
  // The complaint, without the path of the model.
  std::string complaint(const Pairs& entries) {
    const auto model = read(entries);
    return model ? "" : model.error().message.substr((folder_ / "m.onnx").string().size());
  }

  ScratchFolder scratch_ = ScratchFolder::create().value();
  fs::path top_ = scratch_.path();
  fs::path folder_;
};

constexpr char kRefused[] = ", which is outside the model's folder";

TEST_F(ExternalTest, ReadsWhereTheDataIs) {
  const auto model = read({{"location", "weights.bin"}, {"offset", "16"}, {"length", "40"}});
  ASSERT_TRUE(model) << model.error().message;
  const TensorData& data = model->stored.front();
  EXPECT_EQ(data.store, TensorData::Store::External);
  EXPECT_EQ(data.location, "weights.bin");
  EXPECT_EQ(data.offset, 16);
  EXPECT_TRUE(model->notes.empty());
}

TEST_F(ExternalTest, TheLastOfManyFilesIsCheckedAsTheFirstIs) {
  fs::create_symlink("../outside.bin", folder_ / "link.bin");
  write(folder_ / "m.onnx", "");
  ExternalFiles files((folder_ / "m.onnx").string(), false);
  std::vector<std::string> names;
  names.reserve(100'001);
  for (int i = 0; i < 100'001; ++i) names.push_back("w" + std::to_string(i));
  for (const std::string& name : names) EXPECT_TRUE(files.find(name).missing);
  EXPECT_TRUE(files.find("link.bin").outside);
  EXPECT_EQ(files.find("weights.bin").size, 100u);
}

TEST_F(ExternalTest, OffsetAndLengthMayBeLeftOut) {
  EXPECT_EQ(complaint({{"location", "weights.bin"}}), "");
  EXPECT_EQ(complaint({{"location", "./weights.bin"}, {"checksum", "abc"}}), "");
}

// The shape of a Reshape may be there, too.
TEST_F(ExternalTest, ShortListsOfIntegersAreRead) {
  constexpr std::int64_t kSizes[] = {0, 2, -1};
  write(folder_ / "sizes.bin", std::string(reinterpret_cast<const char*>(kSizes), sizeof kSizes));
  constexpr int kInt64 = 7;
  const Pairs entries = {{"location", "sizes.bin"}, {"offset", "8"}, {"length", "16"}};
  const fs::path path = folder_ / "sizes.onnx";
  write(path, model(GraphParts{.initializers = {external_tensor("s", kInt64, {2}, entries)}}));
  const auto model = read_model(path.string());
  ASSERT_TRUE(model) << model.error().message;
  const auto value = decode(model->stored.front());
  ASSERT_TRUE(value);
  ASSERT_EQ(value->size(), 2u);
  EXPECT_EQ(value->items[0].whole(), Expr(2));
  EXPECT_EQ(value->items[1].whole(), Expr(-1));
}

TEST_F(ExternalTest, AMissingFileIsNoted) {
  const auto model = read({{"location", "gone.bin"}});
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_EQ(model->notes.size(), 1u);
  EXPECT_EQ(
      model->notes[0],
      "\"gone.bin\", which holds weights, is not beside the model; costs do not depend on it");
}

TEST_F(ExternalTest, SizesMustFit) {
  EXPECT_EQ(complaint({{"location", "weights.bin"}, {"offset", "80"}, {"length", "40"}}),
            ": the stored tensor \"w\" needs bytes 80 to 120 of \"weights.bin\", which has only "
            "100; it was cut off, or belongs to another model");
  EXPECT_EQ(complaint({{"location", "weights.bin"}, {"offset", "61"}}),
            ": the stored tensor \"w\" needs bytes 61 to 101 of \"weights.bin\", which has only "
            "100; it was cut off, or belongs to another model");
  EXPECT_EQ(complaint({{"location", "weights.bin"}, {"length", "36"}}),
            ": the stored tensor \"w\" needs 40 bytes, but says that \"weights.bin\" holds 36 for "
            "it");
  EXPECT_EQ(complaint({{"location", "weights.bin"}, {"offset", "-4"}}),
            ": the stored tensor \"w\" has \"-4\" as its data's offset, which is not a size");
  EXPECT_EQ(complaint({{"location", "weights.bin"}, {"offset", "99999999999999999999"}}),
            ": the stored tensor \"w\" has \"99999999999999999999\" as its data's offset, which is "
            "not a size");
  EXPECT_EQ(complaint({}),
            ": the stored tensor \"w\" says that its data is in another file, but not in which");
}

TEST_F(ExternalTest, StaysInTheModelsFolder) {
  const std::string absolute = (top_ / "outside.bin").string();
  EXPECT_EQ(complaint({{"location", absolute}}),
            ": the stored tensor \"w\" keeps its data in \"" + absolute + "\"" + kRefused);
  EXPECT_EQ(
      complaint({{"location", "../outside.bin"}}),
      std::string(": the stored tensor \"w\" keeps its data in \"../outside.bin\"") + kRefused);
  EXPECT_EQ(complaint({{"location", "a/../../outside.bin"}}),
            std::string(": the stored tensor \"w\" keeps its data in \"a/../../outside.bin\"") +
                kRefused);
  fs::create_symlink(top_ / "outside.bin", folder_ / "link.bin");
  EXPECT_EQ(complaint({{"location", "link.bin"}}),
            ": the stored tensor \"w\" keeps its data in \"link.bin\", a link to \"" +
                fs::canonical(top_ / "outside.bin").string() + "\"" + kRefused);
  EXPECT_EQ(complaint({{"location", "."}}),
            ": the stored tensor \"w\" keeps its data in \".\", which is not a regular file");
  EXPECT_EQ(complaint({{"location", std::string("a\0b", 3)}}),
            ": the stored tensor \"w\" keeps its data in \"a\\x00b\", which is not a file name");
}

TEST_F(ExternalTest, ALinkInsideTheFolderIsFine) {
  fs::create_symlink("weights.bin", folder_ / "inside.bin");
  EXPECT_EQ(complaint({{"location", "inside.bin"}}), "");
}

TEST_F(ExternalTest, BothFilesMayBeLinksIntoOneFolder) {
  const fs::path blobs = top_ / "blobs";
  fs::create_directory(blobs);
  write(
      blobs / "1a",
      model(GraphParts{.initializers = {external_tensor("w", 1, {10}, {{"location", "w.bin"}})}}));
  write(blobs / "2b", std::string(40, 'w'));
  fs::create_symlink("../blobs/1a", folder_ / "cached.onnx");
  fs::create_symlink("../blobs/2b", folder_ / "w.bin");
  const auto cached = read_model((folder_ / "cached.onnx").string());
  EXPECT_TRUE(cached) << cached.error().message;
}

TEST_F(ExternalTest, OutsideCanBeAllowed) {
  fs::create_symlink(top_ / "outside.bin", folder_ / "link.bin");
  for (const std::string location : {"../outside.bin", "link.bin"}) {
    const auto model = read({{"location", location}}, {.allow_outside_data = true});
    EXPECT_TRUE(model) << model.error().message;
  }
}

TEST_F(ExternalTest, InMemoryNothingIsLookedFor) {
  const std::string bytes =
      model(GraphParts{.initializers = {external_tensor("w", 1, {10}, {{"location", "gone"}})}});
  const auto fine = read_onnx(bytes, "memory");
  ASSERT_TRUE(fine);
  EXPECT_TRUE(fine->notes.empty());
  const std::string bad =
      model(GraphParts{.initializers = {external_tensor("w", 1, {10}, {{"location", "/x"}})}});
  EXPECT_EQ(read_onnx(bad, "memory").error().message,
            std::string("memory: the stored tensor \"w\" keeps its data in \"/x\"") + kRefused);
}

// Standard input is read like this.
TEST_F(ExternalTest, AModelInNoFolderHasNoOtherFiles) {
  const auto path = folder_ / "piped.onnx";
  write(path, model(GraphParts{
                  .initializers = {external_tensor("w", 1, {10}, {{"location", "weights.bin"}})}}));
  const int file = ::open(path.c_str(), O_RDONLY);
  const auto copy = copy_to_memory(file, 1 << 20);
  ::close(file);
  ASSERT_TRUE(copy);
  const std::string name = "/proc/self/fd/" + std::to_string(*copy);
  EXPECT_EQ(read_model(name).error().message,
            name +
                ": the stored tensor \"w\" keeps its data in \"weights.bin\", but the model "
                "itself is in no folder");
  ::close(*copy);
}

}  // namespace
}  // namespace strata::onnx
