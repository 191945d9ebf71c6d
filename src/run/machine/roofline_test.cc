#include "strata/machine/roofline.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/peak_kernels.h"

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
  roofline.made = 1'700'000'000;
  roofline.waited = 0.25;
  const auto back = roofline_from_json(roofline_to_json(roofline));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->cpu, "Acme");
  EXPECT_EQ(back->threads, 2);
  EXPECT_DOUBLE_EQ(back->fp32_flops, 1e11);
  EXPECT_DOUBLE_EQ(*back->int8_ops, 4e11);
  EXPECT_FALSE(back->bf16_flops.has_value());
  EXPECT_EQ(back->made, 1'700'000'000);
  EXPECT_DOUBLE_EQ(back->waited, 0.25);
  EXPECT_TRUE(back->made_under_load());
  for (const char* wrong : {"", "[]", "{}", "{\"threads\": \"two\"}",
                            "{\"threads\":1,\"fp32_flops_per_second\":-1,\"bytes_per_second\":1}"})
    EXPECT_FALSE(roofline_from_json(wrong)) << wrong;
}

// The result changes with the number of rounds, so nothing was optimised away.
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
  // On a busy machine it is measured under load and not kept, so store one that was not.
  Roofline kept = first;
  kept.waited = 0.01;
  kept.made = 1'000'000;
  kept.fp32_flops = 123e9;
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) file = entry.path();
  std::ofstream(file) << roofline_to_json(kept);
  const std::int64_t day = 24 * 3600;
  const auto at = [&](std::int64_t now) { return cached_roofline(1, folder.string(), now); };
  EXPECT_DOUBLE_EQ(at(kept.made + day).fp32_flops, 123e9);
  EXPECT_EQ(at(kept.made + day).note, "");
  const Roofline again = at(kept.made + 31 * day);
  EXPECT_NE(again.fp32_flops, 123e9);
  EXPECT_THAT(again.note, testing::HasSubstr("older than 30 days"));
  EXPECT_EQ(again.made, kept.made + 31 * day);
  kept.waited = 0.5;
  std::ofstream(file) << roofline_to_json(kept);
  EXPECT_THAT(at(kept.made + day).note, testing::HasSubstr("was made under load"));
  std::ofstream(file) << "{broken";
  EXPECT_GT(cached_roofline(1, folder.string()).fp32_flops, 1e8);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace strata
