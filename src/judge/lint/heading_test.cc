#include "lint/heading.h"

#include <gtest/gtest.h>

namespace strata::lint {
namespace {

void expect(std::string_view title, Meaning meaning, Statistic statistic, double factor,
            double quantile = 0) {
  const Heading heading = parse_heading(title);
  EXPECT_EQ(heading.column.title, title);
  EXPECT_EQ(heading.column.meaning, meaning) << title;
  EXPECT_EQ(heading.column.statistic, statistic) << title;
  EXPECT_DOUBLE_EQ(heading.factor, factor) << title;
  EXPECT_DOUBLE_EQ(heading.column.quantile, quantile) << title;
}

TEST(LintHeading, OfPublishedTables) {
  expect("Median(FPS)", Meaning::FramesPerSecond, Statistic::Median, 1);
  expect("Mean(ms)", Meaning::Seconds, Statistic::Mean, 1e-3);
  expect("99th_p", Meaning::Seconds, Statistic::Percentile, 1, 0.99);
  expect("std_dev", Meaning::Seconds, Statistic::Deviation, 1);
  expect("memory(MB)", Meaning::TensorBytes, Statistic::Value, 1048576);
  expect("MAdd", Meaning::Macs, Statistic::Value, 1);
  expect("Flops", Meaning::Flops, Statistic::Value, 1);
  expect("MemRead(B)", Meaning::ReadBytes, Statistic::Value, 1);
  expect("MemR+W(B)", Meaning::MovedBytes, Statistic::Value, 1);
  expect("duration[%]", Meaning::SecondsShare, Statistic::Value, 1);
  expect("mem_rw", Meaning::MovedBytes, Statistic::Value, 1);
  expect("macc", Meaning::Macs, Statistic::Value, 1);
  expect("FLOPs", Meaning::Flops, Statistic::Value, 1);
  expect("FLOPS", Meaning::FlopsPerSecond, Statistic::Value, 1);
  expect("Latency (ms)", Meaning::Seconds, Statistic::Value, 1e-3);
  expect("Energy (pJ)", Meaning::Other, Statistic::Value, 1);
  expect("realTime (ms)", Meaning::Seconds, Statistic::Value, 1e-3);
}

TEST(LintHeading, OfStratasOwnColumns) {
  expect("median_s", Meaning::Seconds, Statistic::Median, 1);
  expect("mean_fps", Meaning::FramesPerSecond, Statistic::Mean, 1);
  expect("p999_s", Meaning::Seconds, Statistic::Percentile, 1, 0.999);
  expect("std_s", Meaning::Seconds, Statistic::Deviation, 1);
  expect("flops_per_s", Meaning::FlopsPerSecond, Statistic::Value, 1);
  expect("bytes_per_s", Meaning::BytesPerSecond, Statistic::Value, 1);
  expect("n", Meaning::Samples, Statistic::Value, 1);
  expect("cv", Meaning::Variation, Statistic::Value, 1);
  expect("load_s", Meaning::Other, Statistic::Value, 1);
  expect("peak_bytes", Meaning::Other, Statistic::Value, 1);
}

TEST(LintHeading, TextColumns) {
  EXPECT_EQ(text_column("type"), TextColumn::Type);
  EXPECT_EQ(text_column("layerType"), TextColumn::Type);
  EXPECT_EQ(text_column("in_shape"), TextColumn::Input);
  EXPECT_EQ(text_column("output shape"), TextColumn::Output);
  EXPECT_EQ(text_column("index"), TextColumn::Index);
  EXPECT_EQ(text_column("name"), TextColumn::None);
}

}  // namespace
}  // namespace strata::lint
