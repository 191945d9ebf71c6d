// Tails as TFLite Micro itself printed them for networks of the scripts in tests/tflm
// (tests/tflite/check_models.py), and one that is added up by hand.
#include "read/tflite/arena_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "base/mapped_file.h"
#include "strata/cost/tflm_arena.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata::tflite {
namespace {

using ::testing::ElementsAre;

const std::string kModels = std::string(STRATA_SOURCE_DIR) + "/tests/models/";

Result<ArenaTail> tail_of(const std::string& path, std::int64_t scratch_buffers = 0) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return tail_of_arena((*file)->bytes(), scratch_buffers);
}

// Asked of the planner, whose heads are compared with TFLite Micro's in tflm_arena_test.cc.
std::int64_t scratch_buffers_of(const std::string& path) {
  auto model = read_model(path);
  EXPECT_TRUE(model);
  EXPECT_TRUE(infer(*model));
  const auto arena = plan_tflm_arena(*model);
  EXPECT_TRUE(arena);
  return std::count_if(arena->buffers.begin(), arena->buffers.end(),
                       [](const TflmBuffer& buffer) { return buffer.is_scratch; });
}

TEST(ArenaTail, TailsAreThoseOfTfliteMicro) {
  std::ifstream arenas(kModels + "tflm/arenas.csv");
  std::string line;
  std::getline(arenas, line);
  int networks = 0;
  while (std::getline(arenas, line)) {
    const std::string path = kModels + "tflm/" + line.substr(0, line.find(','));
    const auto tail = tail_of(path, scratch_buffers_of(path));
    ASSERT_TRUE(tail) << tail.error().message;
    EXPECT_EQ(std::to_string(tail->bytes.package), line.substr(line.rfind(',') + 1)) << line;
    EXPECT_LT(tail->bytes.chip, tail->bytes.package) << line;
    EXPECT_THAT(tail->unknown, ElementsAre()) << line;
    ++networks;
  }
  EXPECT_EQ(networks, 54);
}

// A product of int8 with 4 channels, on a chip. The allocator has 36, the planner 44 and the
// interpreter's allocator 36 bytes, that of options 8, and the subgraph 8; 4 tensors of 12 and a
// node of 32 make 212. Options of 24 make 236. The kernel keeps 48, which makes 284 and ends at
// 288, and 4 multipliers and 4 shifts: 320. The input's pointer ends at 336; its tensor has 40, its
// quantization 12 and its zero point 8: 396. The output's pointer ends at 400, and the same 60
// bytes make 460.
TEST(ArenaTail, AddsUpByHand) {
  const auto tail = tail_of(kModels + "tflite/int8.tflite");
  ASSERT_TRUE(tail) << tail.error().message;
  EXPECT_EQ(tail->bytes.chip, 460);
  EXPECT_EQ(tail->bytes.package, 1008);  // as TFLite Micro prints
}

TEST(ArenaTail, NamesOperatorsWithoutKernel) {
  const auto tail = tail_of(kModels + "tflite/signatures.tflite");
  ASSERT_TRUE(tail) << tail.error().message;
  EXPECT_THAT(tail->unknown, ElementsAre("MyOwn"));
}

TEST(ArenaTail, DamagedFilesGetASentence) {
  const auto file = MappedFile::open(kModels + "tflite/image.tflite");
  ASSERT_TRUE(file);
  const std::string_view whole = (*file)->bytes();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const auto tail = tail_of_arena(whole.substr(0, size), 0);
    if (!tail) EXPECT_FALSE(tail.error().message.empty());
  }
  EXPECT_FALSE(tail_of_arena(whole.substr(0, 100), 0));
}

}  // namespace
}  // namespace strata::tflite
