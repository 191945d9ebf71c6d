#include "strata/measure/roofline.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/peak_kernels.h"

namespace strata {
namespace {

TEST(Roofline, TheLowerOfTwoLimits) {
  Roofline roofline;
  roofline.fp32_flops = 100;
  roofline.bytes_per_second = 10;
  EXPECT_DOUBLE_EQ(roofline.attainable(1), 10);
  EXPECT_DOUBLE_EQ(roofline.attainable(10), 100);
  EXPECT_DOUBLE_EQ(roofline.attainable(1000), 100);
}

TEST(Roofline, JsonThereAndBack) {
  Roofline roofline;
  roofline.cpu = "Acme";
  roofline.threads = 2;
  roofline.fp32_flops = 1e11;
  roofline.int8_ops = 4e11;
  roofline.bytes_per_second = 2e10;
  roofline.kernel = "avx512f";
  const auto back = roofline_from_json(roofline_to_json(roofline));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->cpu, "Acme");
  EXPECT_EQ(back->threads, 2);
  EXPECT_DOUBLE_EQ(back->fp32_flops, 1e11);
  EXPECT_DOUBLE_EQ(*back->int8_ops, 4e11);
  EXPECT_FALSE(back->bf16_flops.has_value());
  for (const char* wrong : {"", "[]", "{}", "{\"threads\": \"two\"}",
                            "{\"threads\":1,\"fp32_flops_per_second\":-1,\"bytes_per_second\":1}"})
    EXPECT_FALSE(roofline_from_json(wrong)) << wrong;
}

// Twice the rounds take part in the result: nothing was optimised away.
TEST(Roofline, KernelsReallyCompute) {
  for (const PeakKernel& kernel : peak_kernels()) {
    if (!kernel.available()) continue;
    EXPECT_GT(kernel.run(2000), kernel.run(1000)) << kernel.name;
  }
}

TEST(Roofline, MeasuredOnceAndKept) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "strata_roofline";
  std::filesystem::remove_all(folder);
  const Roofline first = cached_roofline(1, folder.string());
  EXPECT_GT(first.fp32_flops, 1e8);
  EXPECT_GT(first.bytes_per_second, 1e8);
  EXPECT_DOUBLE_EQ(cached_roofline(1, folder.string()).fp32_flops, first.fp32_flops);
  for (const auto& file : std::filesystem::directory_iterator(folder))
    std::ofstream(file.path()) << "{broken";
  EXPECT_GT(cached_roofline(1, folder.string()).fp32_flops, 1e8);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace strata
