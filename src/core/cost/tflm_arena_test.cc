// Placed by hand, as the planner's rules say. Heads of whole files are compared with TFLite Micro's
// own in tests/tflm.
#include "strata/cost/tflm_arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

using ::testing::ElementsAre;

Result<Model> read_small(const std::string& name) {
  auto model = read_model(std::string(STRATA_SOURCE_DIR) + "/tests/models/tflite/" + name);
  if (!model) return model;
  if (auto done = infer(*model); !done) return failure(done);
  return model;
}

// All tensors are floats: an input of 768 bytes, then 256, 512, 32 and 20. The input is placed at
// 0; 512 is alive with 256 and 32; 256 meets the input and 512.
TEST(TflmArena, LargestFirst) {
  const auto model = read_small("image.tflite");
  ASSERT_TRUE(model);
  const auto arena = plan_tflm_arena(*model);
  ASSERT_TRUE(arena) << arena.error().message;
  // 768 + 256. 512 is placed at 0, and a MEAN's two lists of 16 bytes fit above.
  EXPECT_EQ(arena->head_bytes, 1024);
  EXPECT_EQ(arena->alive_bytes, 1024);
  EXPECT_TRUE(arena->is_exact);
  EXPECT_FALSE(arena->is_estimate);
  EXPECT_EQ(arena->peak_layer, "model/conv/Conv2D");
  EXPECT_EQ(arena->operators, 4);
  EXPECT_THAT(arena->without_kernel, ElementsAre());
}

TEST(TflmArena, SaysWhatHasNoKernel) {
  const auto halves = read_small("image_float16.tflite");
  ASSERT_TRUE(halves);
  EXPECT_THAT(plan_tflm_arena(*halves)->without_kernel,
              ElementsAre("DEQUANTIZE of float16 weights"));
  const auto sparse = read_small("sparse.tflite");
  ASSERT_TRUE(sparse);
  EXPECT_THAT(plan_tflm_arena(*sparse)->without_kernel, ElementsAre("DENSIFY of sparse weights"));
}

// Handles and constants need no memory: an input of 4 bytes, a state of 8, and 12 and 8 after it,
// each in units of 16.
TEST(TflmArena, HandlesNeedNoMemory) {
  const auto model = read_small("state.tflite");
  ASSERT_TRUE(model);
  const auto arena = plan_tflm_arena(*model);
  ASSERT_TRUE(arena);
  EXPECT_EQ(arena->buffers.size(), 4u);
  EXPECT_EQ(arena->head_bytes, 48);
}

TEST(TflmArena, OpenSizesHaveNoPlan) {
  const auto model = read_small("open_sizes.tflite");
  ASSERT_TRUE(model);
  const auto arena = plan_tflm_arena(*model);
  ASSERT_FALSE(arena);
  EXPECT_EQ(arena.error().message,
            "the arena cannot be planned, because the size of \"input\" is open: "
            "12·batch·height·width");
}

// Networks that the scripts in tests/tflm write, and the heads that TFLite Micro itself printed for
// them (tests/tflite/check_models.py). Their tails are in read/tflite/arena_tail_test.cc.
TEST(TflmArena, HeadsAreThoseOfTfliteMicro) {
  const std::string folder = std::string(STRATA_SOURCE_DIR) + "/tests/models/tflm/";
  std::ifstream heads(folder + "arenas.csv");
  std::string line;
  std::getline(heads, line);
  int networks = 0;
  while (std::getline(heads, line)) {
    const std::size_t comma = line.find(','), end = line.find(',', comma + 1);
    auto model = read_model(folder + line.substr(0, comma));
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_TRUE(infer(*model));
    const auto arena = plan_tflm_arena(*model);
    ASSERT_TRUE(arena) << arena.error().message;
    EXPECT_EQ(std::to_string(arena->head_bytes), line.substr(comma + 1, end - comma - 1)) << line;
    EXPECT_TRUE(arena->is_exact) << line;
    ++networks;
  }
  EXPECT_EQ(networks, 54);
}

// The file places a state of 640 bytes at 64. Below it, 64 bytes are free, which scratch memory
// takes; an input of 128 and an output of 32 lie above.
TEST(TflmArena, OffsetsInTheFileStay) {
  const auto model = read_small("../tflm/offline_state.tflite");
  ASSERT_TRUE(model);
  const auto arena = plan_tflm_arena(*model);
  ASSERT_TRUE(arena) << arena.error().message;
  std::vector<std::int64_t> offsets;
  for (const TflmBuffer& buffer : arena->buffers)
    if (buffer.is_fixed) offsets.push_back(buffer.offset);
  EXPECT_THAT(offsets, ElementsAre(64));
  EXPECT_EQ(arena->head_bytes, 64 + 640 + 160);
}

// The fuzzer's: memcpy was given null pointers.
TEST(TflmArena, APlanOfNothing) {
  Model model;
  model.opsets.push_back({"tflite", 3});
  model.metadata.push_back({"OfflineMemoryAllocation", {}});
  const auto arena = plan_tflm_arena(model);
  ASSERT_TRUE(arena) << arena.error().message;
  EXPECT_EQ(arena->head_bytes, 0);
}

TEST(TflmArena, RefusesAPlanForOtherTensors) {
  auto model = read_small("image.tflite");
  ASSERT_TRUE(model);
  model->metadata.push_back({"OfflineMemoryAllocation", "\x10"});
  const auto arena = plan_tflm_arena(*model);
  ASSERT_FALSE(arena);
  EXPECT_EQ(arena.error().message,
            "the arena cannot be planned, because the offline plan in the file is for another "
            "number of tensors; TFLite Micro refuses such a file");
}

// Estimates int8: a quarter of the bytes of floats.
TEST(TflmArena, OtherFilesGetAnEstimate) {
  auto model = read_model(std::string(STRATA_SOURCE_DIR) + "/tests/models/mobilenet_v2.onnx");
  ASSERT_TRUE(model);
  ASSERT_TRUE(infer(*model));
  const auto arena = plan_tflm_arena(*model);
  ASSERT_TRUE(arena) << arena.error().message;
  EXPECT_TRUE(arena->is_estimate);
  // The expansion to 96 channels of 112×112, and what the next layer makes of it. TFLite Micro's
  // own planner has the same head for the network that TensorFlow quantized to int8.
  EXPECT_EQ(arena->head_bytes, 112 * 112 * 96 + 56 * 56 * 96);
  EXPECT_EQ(arena->alive_bytes % 16, 0);
}

}  // namespace
}  // namespace strata
