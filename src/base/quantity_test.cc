#include "base/quantity.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Quantity, BitsAndBytesAreToldApart) {
  EXPECT_DOUBLE_EQ(parse_quantity("100Mbps", Quantity::BytesPerSecond).value(), 12.5e6);
  EXPECT_DOUBLE_EQ(parse_quantity("100 Mbit/s", Quantity::BytesPerSecond).value(), 12.5e6);
  EXPECT_DOUBLE_EQ(parse_quantity("12.5MB/s", Quantity::BytesPerSecond).value(), 12.5e6);
  EXPECT_DOUBLE_EQ(parse_quantity("8Gb/s", Quantity::BytesPerSecond).value(), 1e9);
  EXPECT_DOUBLE_EQ(parse_quantity("64bps", Quantity::BytesPerSecond).value(), 8);
}

TEST(Quantity, DurationsAndSpeeds) {
  EXPECT_DOUBLE_EQ(parse_quantity("10ms", Quantity::Seconds).value(), 0.01);
  EXPECT_DOUBLE_EQ(parse_quantity("0s", Quantity::Seconds).value(), 0);
  EXPECT_DOUBLE_EQ(parse_quantity("2.5us", Quantity::Seconds).value(), 2.5e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("2.5µs", Quantity::Seconds).value(), 2.5e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("30min", Quantity::Seconds).value(), 1800);
  EXPECT_DOUBLE_EQ(parse_quantity("2h", Quantity::Seconds).value(), 7200);
  EXPECT_DOUBLE_EQ(parse_quantity("50GFLOP/s", Quantity::FlopsPerSecond).value(), 50e9);
  EXPECT_DOUBLE_EQ(parse_quantity("1e3FLOP/s", Quantity::FlopsPerSecond).value(), 1000);
}

TEST(Quantity, ABareNumberIsATimeLimitInSeconds) {
  EXPECT_DOUBLE_EQ(parse_quantity("30", Quantity::TimeLimit).value(), 30);
  EXPECT_DOUBLE_EQ(parse_quantity("0.5", Quantity::TimeLimit).value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("30s", Quantity::TimeLimit).value(), 30);
  EXPECT_DOUBLE_EQ(parse_quantity("5 min", Quantity::TimeLimit).value(), 300);
  for (const char* text : {"", "0", "0s", "-1", "5m", "inf", "5 minutes"})
    EXPECT_FALSE(parse_quantity(text, Quantity::TimeLimit)) << text;
}

TEST(Quantity, RatesSizesAndShares) {
  EXPECT_DOUBLE_EQ(parse_quantity("40/s", Quantity::PerSecond).value(), 40);
  EXPECT_DOUBLE_EQ(parse_quantity("30/min", Quantity::PerSecond).value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("2GiB", Quantity::Bytes).value(), 2147483648.0);
  EXPECT_DOUBLE_EQ(parse_quantity("2GB", Quantity::Bytes).value(), 2e9);
  EXPECT_DOUBLE_EQ(parse_quantity("512B", Quantity::Bytes).value(), 512);
  EXPECT_DOUBLE_EQ(parse_quantity("0.5%", Quantity::Share).value(), 0.005);
  EXPECT_DOUBLE_EQ(parse_quantity("1 %", Quantity::Share).value(), 0.01);
  for (const char* text : {"40", "0/s", "-1/s", "40/h", "40Hz"})
    EXPECT_FALSE(parse_quantity(text, Quantity::PerSecond)) << text;
  for (const char* text : {"2", "2G", "2Gb", "2gib", "0B"})
    EXPECT_FALSE(parse_quantity(text, Quantity::Bytes)) << text;
  for (const char* text : {"1", "0.01", "0%", "-1%", "%"})
    EXPECT_FALSE(parse_quantity(text, Quantity::Share)) << text;
}

TEST(Quantity, AnythingElseSaysWhatIsAccepted) {
  for (const char* text :
       {"", "100", "Mbps", "100mbps", "100MBPS", "-1Mbps", "0Mbps", "infMbps", "nanMbps",
        "1e400Mbps", "100Mbpsx", "100KB/s", "100M", "1 0Mbps", "100ms"}) {
    const auto parsed = parse_quantity(text, Quantity::BytesPerSecond);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::Usage);
    EXPECT_EQ(
        parsed.error().message,
        std::string("\"") + text +
            "\" is no data rate: write a number with bps (bits) or B/s (bytes) and k, M, G or "
            "T before it, such as 100Mbps or 12.5MB/s");
  }
  for (const char* text : {"10", "10m", "10mins", "-1ms", "kms"})
    EXPECT_FALSE(parse_quantity(text, Quantity::Seconds)) << text;
  for (const char* text : {"50", "50G", "50GFLOPS", "50GB/s"})
    EXPECT_FALSE(parse_quantity(text, Quantity::FlopsPerSecond)) << text;
}

}  // namespace
}  // namespace strata
