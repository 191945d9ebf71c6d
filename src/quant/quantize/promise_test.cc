#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "calibrate/ratio_db.h"
#include "sensitivity/sample_split.h"
#include "strata/quantize/quantize.h"

namespace strata {
namespace {

std::vector<SampleScore> noisy(double noise, const std::vector<double>& factors) {
  std::vector<SampleScore> out;
  for (const double factor : factors) {
    SampleScore& one = out.emplace_back();
    one.signal = 1;
    one.noise = noise * factor;
  }
  return out;
}

// The figures are numpy's.
TEST(RatioDb, JackknifeError) {
  const double signal[] = {4, 5, 3, 8}, noise[] = {0.01, 0.03, 0.02, 0.005};
  const auto found = ratio_db(signal, noise);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 24.8811663902, 1e-9);
  EXPECT_NEAR(found->error, 2.1931107633, 1e-9);
  const double lonely[] = {0, 1, 0, 0};
  EXPECT_FALSE(ratio_db(signal, lonely));  // one sample has it all
  EXPECT_FALSE(ratio_db(std::span(signal).first(1), std::span(noise).first(1)));
}

TEST(Promise, IsKeptToHalfADecibel) {
  const std::vector<double> wild = {0.1, 4, 0.3, 1, 2, 0.5};
  QuantizeOutcome outcome;
  EXPECT_EQ(outcome.kept_promise(), std::nullopt);
  outcome.promised = noisy(1e-3, wild);
  outcome.got = outcome.promised;
  EXPECT_EQ(outcome.kept_promise(), true);
  outcome.got = noisy(1.05e-3, wild);  // 0.2 dB
  EXPECT_EQ(outcome.kept_promise(), true);
  // The factor is the same on every sample, so it does not matter how much the samples differ: 1.1
  // dB.
  outcome.got = noisy(1.3e-3, wild);
  EXPECT_EQ(outcome.kept_promise(), false);
  outcome.got = noisy(1e-4, wild);
  EXPECT_EQ(outcome.kept_promise(), false);
  // There is more noise on some samples, less on others.
  outcome.got = noisy(1e-3, {0.3, 3, 0.1, 2, 1, 1.8});
  EXPECT_EQ(outcome.kept_promise(), true);
  outcome.got.resize(1);
  outcome.promised.resize(1);
  EXPECT_EQ(outcome.kept_promise(), std::nullopt);
}

// With sanitizers, which take several times as long, a fifth of the trials, and twice the standard
// deviation that they have by chance; `make test-all` has all.
#ifdef STRATA_SANITIZED
constexpr int kTrials = 200;
constexpr double kMaxAlarms = 0.05 + 2 * 0.0154;
#else
constexpr int kTrials = 1000;
constexpr double kMaxAlarms = 0.05;
#endif

// Samples that differ by 3 dB, kernels whose noise differs from the simulation's by `spread` dB
// from sample to sample and by `shift` dB in the mean: how often is the promise called broken?
double alarms(std::size_t samples, double spread, double shift) {
  const double nepers = std::log(10) / 10;
  std::mt19937_64 random(samples);
  std::normal_distribution<double> normal;
  int broken = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    QuantizeOutcome outcome;
    for (std::size_t i = 0; i < samples; ++i) {
      SampleScore one;
      one.signal = 1;
      one.noise = 1e-3 * std::exp(3 * nepers * normal(random));
      outcome.promised.push_back(one);
      const double own = spread * nepers;
      one.noise *= std::exp(shift * nepers + own * normal(random) - own * own / 2);
      outcome.got.push_back(one);
    }
    broken += outcome.kept_promise() == false ? 1 : 0;
  }
  return broken / static_cast<double>(kTrials);
}

TEST(Promise, FalseAlarmsAreRareWithFewSamplesToo) {
  for (const std::size_t samples : {2u, 3u, 4u, 8u, 16u})
    for (const double spread : {0.2, 0.5, 1.0, 2.0}) {
      EXPECT_LE(alarms(samples, spread, 0), kMaxAlarms)
          << samples << " samples, " << spread << " dB";
      // The largest difference that is still allowed.
      EXPECT_LE(alarms(samples, spread, 0.5), kMaxAlarms)
          << samples << " samples, " << spread << " dB";
    }
}

TEST(Promise, WhatIsBrokenIsFound) {
  EXPECT_GE(alarms(4, 0.5, 3), 0.95);
  EXPECT_GE(alarms(8, 1, 3), 0.95);
  EXPECT_GE(alarms(8, 0.2, 1), 0.95);
  EXPECT_GE(alarms(16, 2, 3), 0.9);
}

TEST(SampleSplit, HalvesThatShareNothing) {
  for (std::size_t count = 0; count < 40; ++count) {
    const SampleSplit split = split_samples(count);
    EXPECT_EQ(split.apart, count >= 8) << count;
    EXPECT_EQ(split.choose.first, 0u);
    EXPECT_EQ(split.judge.end, count);
    EXPECT_EQ(split.judge.first, split.apart ? split.choose.end : 0) << count;
    if (!split.apart) continue;
    EXPECT_GE(split.choosing(), 4u);
    EXPECT_GE(split.judging(), split.choosing());
  }
}

}  // namespace
}  // namespace strata
