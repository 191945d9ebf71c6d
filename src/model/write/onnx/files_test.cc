// Writing to files: weights beside the model, weights in other places, and what remains after a
// failure.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "read/onnx/test_proto.h"
#include "strata/base/scratch_folder.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "write/onnx/test_difference.h"

namespace strata::onnx {
namespace {

using namespace test;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().filename() != ".strata-scratch")  // the folder's own
        names.push_back(entry.path().filename().string());
    return names;
  }
  void save(std::string_view name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string load(std::string_view name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static Model text(std::string_view lines) {
    auto model = model_from_text(lines);
    EXPECT_TRUE(model);
    return std::move(*model);
  }

  ScratchFolder scratch_ = ScratchFolder::create().value();
  fs::path folder_ = scratch_.path();
};

Status sevens(const TensorData& data, std::int64_t, std::span<std::byte> chunk) {
  for (std::byte& byte : chunk) byte = static_cast<std::byte>(data.name[0]);
  return {};
}

// Without a model of that name, the file beside it belongs to somebody else.
TEST_F(FilesTest, WeightsOfAnotherModelAreNotReplaced) {
  const Model model = text("weight b f32[300000]\ny = Op(b)\noutput y\n");
  WriteOptions options;
  options.fill = sevens;
  options.max_file = 4096;
  save("m.onnx.data", "mine");
  const Status status = write_onnx(model, path("m.onnx"), options);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("m.onnx.data is there already"));
  EXPECT_EQ(load("m.onnx.data"), "mine");
  EXPECT_THAT(files(), UnorderedElementsAre("m.onnx.data"));
  fs::remove(path("m.onnx.data"));
  ASSERT_TRUE(write_onnx(model, path("m.onnx"), options));
  ASSERT_TRUE(write_onnx(model, path("m.onnx"), options));  // both are replaced
}

TEST_F(FilesTest, LargeWeightsGoBesideTheModel) {
  const Model model = text(
      "weight a f32[1000]\nweight b f32[300000]\nweight c f32[10]\nweight d f32[257]\n"
      "y = Op(a, b, c, d)\noutput y\n");
  WriteOptions options;
  options.fill = sevens;
  options.max_file = 4096;
  ASSERT_TRUE(write_onnx(model, path("m.onnx"), options));
  EXPECT_THAT(files(), UnorderedElementsAre("m.onnx", "m.onnx.data"));
  EXPECT_LE(fs::file_size(path("m.onnx")), 4096u);
  const auto written = read_model(path("m.onnx"));
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_TRUE(written->notes.empty());
  const std::string data = load("m.onnx.data");
  for (const TensorData& each : written->stored) {
    if (each.name == "c") {
      EXPECT_EQ(each.store, TensorData::Store::Raw);
      EXPECT_EQ(each.bytes, std::string(40, 'c'));
      continue;
    }
    ASSERT_EQ(each.store, TensorData::Store::External);
    EXPECT_EQ(each.location, "m.onnx.data");
    EXPECT_EQ(each.offset % (each.name == "b" ? 4096 : 64), 0) << each.name;
    const auto size = static_cast<std::size_t>(each.elements().value()) * 4;
    EXPECT_EQ(data.substr(static_cast<std::size_t>(each.offset), size),
              std::string(size, each.name[0]));
  }
  // When it is written again, it becomes a single file once more.
  ASSERT_TRUE(write_onnx(*written, path("one.onnx")));
  const auto one = read_model(path("one.onnx"));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->stored[1].bytes, std::string(1200000, 'b'));
}

// The new data file replaces the one that is being copied from.
TEST_F(FilesTest, AModelCanBeWrittenOverItself) {
  const Model model = text("weight a f32[1000]\nweight b f32[1000]\ny = Op(a, b)\noutput y\n");
  WriteOptions options;
  options.fill = sevens;
  options.max_file = 1024;
  ASSERT_TRUE(write_onnx(model, path("m.onnx"), options));
  const std::string before = load("m.onnx.data");
  auto read = read_model(path("m.onnx"));
  ASSERT_TRUE(read);
  ASSERT_TRUE(write_onnx(*read, path("m.onnx"), options));
  EXPECT_EQ(load("m.onnx.data"), before);
  EXPECT_EQ(before, std::string(4000, 'a') + std::string(32, '\0') + std::string(4000, 'b'));

  options.elsewhere = WriteOptions::Elsewhere::Refer;
  ASSERT_TRUE(write_onnx(*read, path("refers.onnx"), options));
  const auto refers = read_model(path("refers.onnx"));
  ASSERT_TRUE(refers);
  EXPECT_EQ(difference(*read, *refers), "");
}

TEST_F(FilesTest, WeightsInAnotherFile) {
  save("w.bin", "..12345678");
  save("m.onnx",
       test::model(GraphParts{
           .nodes = {node("Relu", {"w"}, {"y"})},
           .outputs = {value("y")},
           .initializers = {external_tensor(
               "w", 1, {2}, {{"location", "w.bin"}, {"offset", "2"}, {"length", "8"}})}}));
  const auto model = read_model(path("m.onnx"));
  ASSERT_TRUE(model);
  const auto copied = onnx_bytes(*model);
  ASSERT_TRUE(copied);
  EXPECT_EQ(read_onnx(*copied, "copied")->stored[0].bytes, "12345678");
  WriteOptions refer;
  refer.elsewhere = WriteOptions::Elsewhere::Refer;
  const auto referring = onnx_bytes(*model, refer);
  ASSERT_TRUE(referring);
  EXPECT_EQ(read_onnx(*referring, "referring")->stored[0].offset, 2);

  fs::resize_file(path("w.bin"), 9);
  EXPECT_THAT(onnx_bytes(*model).error().message,
              HasSubstr("needs 8 bytes from 2 on of \"w.bin\", which has only 9"));
  fs::remove(path("w.bin"));
  EXPECT_EQ(onnx_bytes(*model).error().message,
            fmt::format("the stored tensor \"w\" is needed: {}: there is no such file; check the "
                        "path",
                        path("w.bin")));
  const std::string bytes = load("m.onnx");
  EXPECT_THAT(onnx_bytes(*read_onnx(bytes, "memory")).error().message,
              HasSubstr("was not looked for when the model was read from memory"));
}

TEST_F(FilesTest, AFailureLeavesWhatWasThere) {
  const Model model = text("weight a f32[1000]\nweight b f32[1000]\ny = Op(a, b)\noutput y\n");
  const std::string old = "\x08\x07 an old model";  // only a model is replaced by one
  save("m.onnx", old);
  save("m.onnx.data", "old data");
  for (const std::uint64_t max_file : {std::uint64_t{1} << 30, std::uint64_t{1024}}) {
    WriteOptions options;
    options.max_file = max_file;
    options.fill = [](const TensorData& data, std::int64_t first, std::span<std::byte> chunk) {
      return data.name == "b" ? Status(failure("no more elements")) : sevens(data, first, chunk);
    };
    const Status status = write_onnx(model, path("m.onnx"), options);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "no more elements");
    EXPECT_EQ(load("m.onnx"), old);
    EXPECT_EQ(load("m.onnx.data"), "old data");
    EXPECT_THAT(files(), UnorderedElementsAre("m.onnx", "m.onnx.data"));
  }
}

TEST_F(FilesTest, PlacesThatCannotBeWritten) {
  const Model model = text("weight a f32[1]\ny = Relu(a)\noutput y\n");
  const auto problem = [&](const std::string& at) { return write_onnx(model, at).error().message; };
  EXPECT_EQ(problem(folder_.string()), folder_.string() + " is a directory; name a file inside it");
  EXPECT_EQ(problem("/dev/full"), "/dev/full is a device or a pipe; name a regular file");
  EXPECT_EQ(problem(path("no/m.onnx")),
            path("no/m.onnx") + ": cannot be written: No such file or directory");
  WriteOptions tiny;
  tiny.max_file = 10;
  EXPECT_THAT(write_onnx(model, path("m.onnx"), tiny).error().message,
              HasSubstr("bytes without its weights, more than the 10 a file may have"));
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace strata::onnx
