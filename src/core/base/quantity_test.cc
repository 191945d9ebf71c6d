#include "base/quantity.h"

#include <gmock/gmock.h>
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

TEST(Quantity, AsPeopleWriteThem) {
  EXPECT_DOUBLE_EQ(parse_quantity("100mbps", Quantity::BytesPerSecond).value(), 12.5e6);
  EXPECT_DOUBLE_EQ(parse_quantity("1gbps", Quantity::BytesPerSecond).value(), 125e6);
  EXPECT_DOUBLE_EQ(parse_quantity("100MBps", Quantity::BytesPerSecond).value(), 100e6);
  EXPECT_DOUBLE_EQ(parse_quantity("100KB/s", Quantity::BytesPerSecond).value(), 100e3);
  EXPECT_DOUBLE_EQ(parse_quantity("1GiB/s", Quantity::BytesPerSecond).value(), 1073741824);
  EXPECT_DOUBLE_EQ(parse_quantity("80 kb/s", Quantity::BytesPerSecond).value(), 10e3);
  EXPECT_DOUBLE_EQ(parse_quantity("50GFLOPS", Quantity::FlopsPerSecond).value(), 50e9);
  EXPECT_DOUBLE_EQ(parse_quantity("50 gflops", Quantity::FlopsPerSecond).value(), 50e9);
  EXPECT_DOUBLE_EQ(parse_quantity("50Gflop/s", Quantity::FlopsPerSecond).value(), 50e9);
  EXPECT_DOUBLE_EQ(parse_quantity("0.5TOPS", Quantity::FlopsPerSecond).value(), 0.5e12);
  EXPECT_DOUBLE_EQ(parse_quantity("2GOP/s", Quantity::FlopsPerSecond).value(), 2e9);
}

TEST(Quantity, WhatCanBeReadInTwoWaysIsRefused) {
  const auto message = [](const char* text, Quantity quantity) {
    const auto parsed = parse_quantity(text, quantity);
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_EQ(message("5m", Quantity::TimeLimit),
            "\"5m\" can be read in two ways: write a number with h, min, s, ms, us or ns, such as "
            "5min; a bare number is seconds");
  for (const char* text : {"100MBPS", "100mb/s", "1gb/s"})
    EXPECT_THAT(message(text, Quantity::BytesPerSecond), testing::HasSubstr("in two ways")) << text;
  EXPECT_THAT(message("2Gb", Quantity::Bytes), testing::HasSubstr("in two ways"));
}

TEST(Quantity, ABareNumberIsATimeLimitInSeconds) {
  EXPECT_DOUBLE_EQ(parse_quantity("30", Quantity::TimeLimit).value(), 30);
  EXPECT_DOUBLE_EQ(parse_quantity("0.5", Quantity::TimeLimit).value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("30s", Quantity::TimeLimit).value(), 30);
  EXPECT_DOUBLE_EQ(parse_quantity("5 min", Quantity::TimeLimit).value(), 300);
  EXPECT_DOUBLE_EQ(parse_quantity("10", Quantity::Seconds).value(), 10);
  EXPECT_DOUBLE_EQ(parse_quantity("2Min", Quantity::TimeLimit).value(), 120);
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
  EXPECT_DOUBLE_EQ(parse_quantity("40Hz", Quantity::PerSecond).value(), 40);
  EXPECT_DOUBLE_EQ(parse_quantity("30 fps", Quantity::PerSecond).value(), 30);
  EXPECT_DOUBLE_EQ(parse_quantity("8M", Quantity::Bytes).value(), 8e6);
  EXPECT_DOUBLE_EQ(parse_quantity("8mb", Quantity::Bytes).value(), 8e6);
  EXPECT_DOUBLE_EQ(parse_quantity("8MiB", Quantity::Bytes).value(), 8388608);
  EXPECT_DOUBLE_EQ(parse_quantity("2gib", Quantity::Bytes).value(), 2147483648.0);
  EXPECT_DOUBLE_EQ(parse_quantity("1.5K", Quantity::Bytes).value(), 1500);
  for (const char* text : {"40", "0/s", "-1/s", "40/h", "40kHz"})
    EXPECT_FALSE(parse_quantity(text, Quantity::PerSecond)) << text;
  for (const char* text : {"2", "2Gb", "2Mb", "0B", "2E", "2i", "2kk"})
    EXPECT_FALSE(parse_quantity(text, Quantity::Bytes)) << text;
  for (const char* text : {"1", "0.01", "0%", "-1%", "%"})
    EXPECT_FALSE(parse_quantity(text, Quantity::Share)) << text;
}

TEST(Quantity, AnythingElseSaysWhatIsAccepted) {
  for (const char* text : {"", "100", "Mbps", "-1Mbps", "0Mbps", "infMbps", "nanMbps", "1e400Mbps",
                           "100Mbpsx", "100M", "1 0Mbps", "100ms", "100Ebps", "100iB/s"}) {
    const auto parsed = parse_quantity(text, Quantity::BytesPerSecond);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::Usage);
    EXPECT_EQ(
        parsed.error().message,
        std::string("\"") + text +
            "\" is not a data rate: write a number with bps (bits) or B/s (bytes) and k, M, G or "
            "T before it, such as 100Mbps or 12.5MB/s");
  }
  for (const char* text : {"10m", "10mins", "-1ms", "kms", "10ks"})
    EXPECT_FALSE(parse_quantity(text, Quantity::Seconds)) << text;
  for (const char* text : {"50", "50G", "50FLOP", "50GB/s"})
    EXPECT_FALSE(parse_quantity(text, Quantity::FlopsPerSecond)) << text;
}

}  // namespace
}  // namespace strata
