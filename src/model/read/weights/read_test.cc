// Files that safetensors, torch and gguf wrote, against what they read in them (make_weights.py).
#include "strata/read/weights.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/weights/test_files.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kFolder = STRATA_SOURCE_DIR "/tests/models/weights/";

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> tensors_of(const Weights& weights) {
  std::vector<std::string> lines;
  for (const StoredWeight& weight : weights.tensors)
    lines.push_back(fmt::format(
        "{} {} {} {}", weight.name, weight.type,
        weight.dims.empty() ? "-" : fmt::format("{}", fmt::join(weight.dims, "x")), weight.bytes));
  std::sort(lines.begin(), lines.end());
  return lines;
}

Weights read(const std::string& name) {
  auto weights = read_weights(kFolder + name);
  EXPECT_TRUE(weights) << weights.error().message;
  return weights ? std::move(*weights) : Weights();
}

TEST(ReadWeights, TensorsAreThoseOfTheRealLibraries) {
  for (const char* name : {"plain.safetensors", "state_dict.pth", "old_state_dict.pth",
                           "checkpoint.pth", "parameters.bin", "q4_k_m.gguf", "types.gguf"}) {
    const auto expected = lines_of(kFolder + name + ".txt");
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(tensors_of(read(name)), expected) << name;
    EXPECT_TRUE(Source(kFolder + name).is_weights()) << name;
  }
  const Weights sharded = read("sharded/model.safetensors.index.json");
  EXPECT_EQ(tensors_of(sharded), lines_of(kFolder + "sharded.txt"));
  EXPECT_EQ(sharded.files.size(), 2u);
  EXPECT_FALSE(Source(STRATA_SOURCE_DIR "/tests/models/resnet18.onnx").is_weights());
}

// 8·3·3·3 + 8 + 8 + 10·8 + 10; a mean, a variance of 8 and a number of batches beside them.
TEST(ReadWeights, SharedElementsCountOnceAndStatisticsApart) {
  const WeightTotals plain = totals_of(read("plain.safetensors"));
  EXPECT_EQ(plain.params, 216u + 16 + 90);
  EXPECT_EQ(plain.statistics, 17u);
  EXPECT_EQ(plain.bytes, 4u * (216 + 16 + 10 + 16) + 2 * 80 + 8);
  for (const char* name : {"state_dict.pth", "old_state_dict.pth"}) {
    const Weights weights = read(name);
    const WeightTotals totals = totals_of(weights);
    EXPECT_EQ(totals.params, 322u) << name;
    EXPECT_EQ(totals.bytes, 4u * (322 + 16) + 8) << name;
    EXPECT_EQ(totals.shared, 2u) << name;
    for (const StoredWeight& weight : weights.tensors)
      if (weight.name == "tied.weight" || weight.name == "turned")
        EXPECT_EQ(weight.same_as, "head.weight");
      else
        EXPECT_EQ(weight.same_as, "");
  }
}

TEST(ReadWeights, ACheckpointIsItsStateDict) {
  const Weights weights = read("checkpoint.pth");
  EXPECT_EQ(weights.tensors.front().name, "stem.0.weight");
  // SGD keeps a momentum for each of the 5 parameters.
  EXPECT_THAT(
      weights.notes,
      ElementsAre("the table is of \"state_dict\"; 5 tensors beside it, such as those of an "
                  "optimizer, are left out"));
}

TEST(ReadWeights, GgufSaysItsQuantization) {
  const Weights medium = read("q4_k_m.gguf");
  EXPECT_EQ(medium.format, "GGUF");
  EXPECT_EQ(medium.quantization, "Q4_K_M");
  EXPECT_THAT(medium.notes, IsEmpty());
  EXPECT_EQ(medium.tensors[0].bits_per_weight(), 4.5);     // 144 bytes for 256
  EXPECT_EQ(medium.tensors[3].bits_per_weight(), 6.5625);  // 210 bytes for 256
  // The file has as many weights of every type of 256, more than of Q8_0.
  EXPECT_THAT(read("types.gguf").notes,
              ElementsAre(HasSubstr("the file calls itself Q8_0, but most weights")));
}

TEST(ReadWeights, GgufOfAnUnknownQuantizationSaysSo) {
  using namespace weights::test;
  const auto read = read_weights(
      gguf({gguf_number("general.file_type", 999)}, {gguf_tensor("a", {4, 2}, 0, 0)}, 32), "m");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->tensors[0].dims, ElementsAre(2, 4));
  EXPECT_EQ(read->quantization, "");
  EXPECT_THAT(read->notes, ElementsAre(HasSubstr("by the number 999")));
}

TEST(ReadWeights, EmptyTensorsAndScalars) {
  using namespace weights::test;
  const auto read =
      read_weights(safetensors(R"({"a":{"dtype":"F32","shape":[0,7],"data_offsets":[0,0]},)"
                               R"("b":{"dtype":"F4","shape":[3,2],"data_offsets":[0,3]}})",
                               3),
                   "m");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->tensors[0].elements, 0u);
  EXPECT_EQ(read->tensors[0].bits_per_weight(), 0);
  EXPECT_EQ(read->tensors[1].bits_per_weight(), 4);
  EXPECT_EQ(totals_of(*read).params, 6u);
}

}  // namespace
}  // namespace strata
