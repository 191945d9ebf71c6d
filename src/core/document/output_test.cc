#include "document/output.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

using testing::HasSubstr;

class OutputTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().message;
    folder_.emplace(std::move(*folder));
  }
  std::string path(const std::string& name) const { return *folder_ / name; }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static Document numbers() {
    Document document = new_document("profile");
    Table table{.name = "rows", .columns = {{"layer", "Layer"}}};
    for (const char* name : {"a", "b", "c"})
      table.rows.push_back({.cells = {Cell(std::string(name))}});
    document.tables.push_back(std::move(table));
    return document;
  }
  std::optional<ScratchFolder> folder_;
};

TEST_F(OutputTest, AFileAppearsWhenItIsWhole) {
  auto output = Output::open(path("a.txt"), {});
  ASSERT_TRUE(output) << output.error().message;
  ASSERT_TRUE(output->write("one "));
  EXPECT_FALSE(std::filesystem::exists(path("a.txt")));
  ASSERT_TRUE(output->write("two"));
  ASSERT_TRUE(output->finish());
  EXPECT_EQ(content(path("a.txt")), "one two");
}

TEST_F(OutputTest, AStreamStaysOpen) {
  std::FILE* stream = std::fopen(path("a.txt").c_str(), "wb");
  ASSERT_NE(stream, nullptr);
  {
    Output output = Output::to_stream(stream, "it");
    ASSERT_TRUE(output.write("one "));
    ASSERT_TRUE(output.finish());
  }
  std::fputs("two", stream);
  std::fclose(stream);
  EXPECT_EQ(content(path("a.txt")), "one two");
}

TEST_F(OutputTest, AFullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  auto output = Output::open("/dev/full", {});
  ASSERT_TRUE(output) << output.error().message;
  ASSERT_TRUE(output->write("text"));
  EXPECT_THAT(output->finish().error().message, HasSubstr("cannot write /dev/full: No space left"));
  EXPECT_TRUE(check_output("/dev/full", {FileForm::Json, "profile"}));
}

TEST_F(OutputTest, ADocumentIsSavedAsItsFormat) {
  ASSERT_TRUE(save_document(numbers(), **find_renderer("csv"), path("a.csv")));
  EXPECT_EQ(content(path("a.csv")), "layer\na\nb\nc\n");
  ASSERT_TRUE(save_document(numbers(), **find_renderer("json"), path("a.json")));
  // JSON of another kind is not replaced.
  Document other = numbers();
  other.kind = "bench";
  EXPECT_FALSE(save_document(other, **find_renderer("json"), path("a.json")));
  EXPECT_THAT(content(path("a.json")), HasSubstr("\"kind\": \"profile\""));
}

TEST_F(OutputTest, TooMuchLeavesNoFile) {
  const Renderer& csv = **find_renderer("csv");
  const auto write = [&](std::uint64_t most_bytes) {
    auto output = Output::open(path("a.csv"), file_kind(csv, "profile"));
    return write_document(numbers(), csv, {}, std::move(*output), most_bytes);
  };
  const Status status = write(11);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::OverLimit);
  EXPECT_FALSE(std::filesystem::exists(path("a.csv")));
  EXPECT_TRUE(write(12));  // "layer", three letters and four line breaks
}

TEST(MostOutputBytes, IsInProportionToTheFileAndTheFactor) {
  EXPECT_EQ(most_output_bytes(0), 67'108'864u);  // 64 MiB
  EXPECT_EQ(most_output_bytes(1'000), 67'108'864u + 64'000u);
  EXPECT_EQ(most_output_bytes(1'000, 10), 671'728'640u);
}

}  // namespace
}  // namespace strata
