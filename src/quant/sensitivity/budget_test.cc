#include "sensitivity/budget.h"

#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

// Simulated layers, whose noise on a sample is roughly their own times the sample's, as in a real
// network.
class Made : public LayerTrials {
 public:
  Made(std::vector<double> noises, std::size_t samples, double jitter = 0.1)
      : noises_(std::move(noises)), samples_(samples) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (std::size_t s = 0; s < samples; ++s) hard_.push_back(std::exp(0.3 * normal(random)));
    for (std::size_t i = 0; i < noises_.size() * samples; ++i)
      jitter_.push_back(std::exp(jitter * normal(random)));
    so_far_.layers.resize(noises_.size());
    SampleScore clean;
    clean.signal = 1;
    so_far_.baseline.assign(samples, clean);
  }

  Status alone(std::size_t layer, std::size_t count) override {
    auto& scores = so_far_.layers[layer].alone;
    while (scores.size() < count && !stopped()) {
      scores.push_back(score(layer, scores.size()));
      order.push_back(layer);
    }
    return {};
  }
  Status left_out(std::size_t layer, std::size_t count) override {
    auto& scores = so_far_.layers[layer].left_out;
    while (scores.size() < count && !stopped()) scores.push_back(score(layer, scores.size()));
    return {};
  }
  Status joint(std::size_t count) override {
    if (so_far_.joint.size() < count) so_far_.joint.resize(count);
    return {};
  }
  const Sensitivity& so_far() const override { return so_far_; }
  bool ended(double) const override { return stopped(); }

  void know(const Sensitivity& earlier) { so_far_ = earlier; }
  std::vector<std::size_t> worst(std::size_t count) const {
    std::vector<std::size_t> all(noises_.size());
    std::iota(all.begin(), all.end(), 0);
    std::sort(all.begin(), all.end(), [&](auto a, auto b) { return noises_[a] > noises_[b]; });
    all.resize(count);
    return all;
  }
  // The worst layers according to the measurements.
  std::vector<std::size_t> found(std::size_t count) const {
    std::vector<std::size_t> all(noises_.size());
    std::iota(all.begin(), all.end(), 0);
    const auto amount = [&](std::size_t l) {
      return drop_of(Quality::Sqnr, so_far_.layers[l].alone, so_far_.baseline).value_or(0);
    };
    std::sort(all.begin(), all.end(), [&](auto a, auto b) { return amount(a) > amount(b); });
    all.resize(count);
    return all;
  }
  std::vector<std::size_t> counts() const {
    std::vector<std::size_t> out;
    for (const LayerScore& layer : so_far_.layers) out.push_back(layer.alone.size());
    return out;
  }

  std::size_t stop_after = 1'000'000;  // samples, over all layers
  std::vector<std::size_t> order;      // the order in which layers were measured

 private:
  bool stopped() const { return order.size() >= stop_after; }
  SampleScore score(std::size_t layer, std::size_t sample) const {
    SampleScore out;
    out.signal = 1;
    out.noise = noises_[layer] * hard_[sample] * jitter_[layer * samples_ + sample];
    return out;
  }

  std::vector<double> noises_, hard_, jitter_;
  std::size_t samples_;
  Sensitivity so_far_;
};

// Each layer is a quarter worse than the one before.
std::vector<double> steps(std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(1e-5 * std::pow(1.25, (i * 7) % count));
  return out;
}

BudgetTask task_for(std::size_t layers, std::size_t samples, double budget) {
  BudgetTask task;
  task.samples = samples;
  task.share.assign(layers, 0.5);
  task.like.resize(layers);
  std::iota(task.like.begin(), task.like.end(), 0);
  task.allowed = budget * static_cast<double>(layers * samples);
  return task;
}

TEST(Budget, FindsTheTopWithinIt) {
  Made made(steps(40), 64);
  const BudgetTask task = task_for(40, 64, 0.1);
  const auto spent = spend_budget(task, made);
  ASSERT_TRUE(spent);
  EXPECT_LE(spent->passes, task.allowed);
  EXPECT_GT(spent->passes, 0.5 * task.allowed);
  EXPECT_THAT(made.found(10), UnorderedElementsAreArray(made.worst(10)));
  EXPECT_THAT(made.counts(), Each(testing::Ge(4)));
  EXPECT_EQ(made.so_far().joint.size(), 4);
}

// Layers whose place is clear get no more samples than the first round.
TEST(Budget, OnlyContestedLayersGetMore) {
  std::vector<double> noises(20, 1e-6);
  noises[3] = 1e-2;
  noises[5] = noises[6] = 1e-3;
  Made made(noises, 64);
  BudgetTask task = task_for(20, 64, 0.2);
  task.top = 2;
  const auto spent = spend_budget(task, made);
  ASSERT_TRUE(spent);
  EXPECT_EQ(made.counts()[3], 4);
  EXPECT_EQ(made.counts()[0], 4);
  EXPECT_GT(made.counts()[5], 4);
  EXPECT_EQ(made.counts()[5], made.counts()[6]);
}

TEST(Budget, WhereItWasStoppedItGoesOnTheSameWay) {
  Made whole(steps(30), 64);
  const BudgetTask task = task_for(30, 64, 0.15);
  ASSERT_TRUE(spend_budget(task, whole));
  for (const std::size_t first : {1u, 50u, 121u, 133u, 200u}) {
    ASSERT_LT(first, whole.order.size());
    Made stopped(steps(30), 64);
    stopped.stop_after = first;
    ASSERT_TRUE(spend_budget(task, stopped));
    EXPECT_EQ(stopped.order.size(), first);
    Made resumed(steps(30), 64);
    resumed.know(stopped.so_far());
    ASSERT_TRUE(spend_budget(task, resumed));
    EXPECT_EQ(resumed.counts(), whole.counts()) << first;
    EXPECT_EQ(resumed.order.size() + first, whole.order.size());
  }
}

TEST(Budget, ASmallOneStillHasAllLayersOnce) {
  Made made(steps(30), 64);
  const BudgetTask task = task_for(30, 64, 0.001);
  const auto spent = spend_budget(task, made);
  ASSERT_TRUE(spent);
  EXPECT_EQ(spent->first, 1);
  EXPECT_THAT(made.counts(), Each(1));
  EXPECT_GT(spent->least, task.allowed);
}

TEST(Budget, WithATimeEachHasOneBeforeAnyHasMore) {
  Made made(steps(10), 16);
  made.stop_after = 14;
  BudgetTask task = task_for(10, 16, 1);
  task.timed = true;
  ASSERT_TRUE(spend_budget(task, made));
  EXPECT_THAT(std::vector(made.order.begin(), made.order.begin() + 10),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(made.so_far().joint.size(), 4);
  Made sooner(steps(10), 16);
  sooner.stop_after = 6;
  ASSERT_TRUE(spend_budget(task, sooner));
  EXPECT_EQ(sooner.so_far().joint.size(), 1);
}

// 24 layers, four of which stand for five others each, and a few worse ones on their own.
struct Repeated {
  std::vector<double> noises = std::vector<double>(24, 1e-5);
  BudgetTask task = task_for(24, 64, 0.1);
  Repeated() {
    for (std::size_t l = 0; l < 24; ++l) {
      task.like[l] = l / 6 * 6 + 2;
      noises[l] *= 1 + 0.01 * static_cast<double>(l);
    }
    task.top = 1;
  }
};

TEST(Budget, OneOfAFamilyIsEnough) {
  Repeated repeated;
  repeated.noises[8] = 4e-5;  // stands for others that are not like it
  Made made(repeated.noises, 64, 0.02);
  const auto spent = spend_budget(repeated.task, made);
  ASSERT_TRUE(spent);
  const auto counts = made.counts();
  EXPECT_EQ(counts[2], 4);
  EXPECT_GE(counts[8], 4);
  for (const std::size_t l : {0u, 1u, 3u, 4u, 5u, 23u}) EXPECT_EQ(counts[l], 1) << l;
  EXPECT_EQ(made.found(1)[0], 8);
}

TEST(Budget, TheOneThatBreaksIsFoundInAFamily) {
  Repeated repeated;
  repeated.noises[16] = 1e-2;
  Made made(repeated.noises, 64, 0.02);
  const auto spent = spend_budget(repeated.task, made);
  ASSERT_TRUE(spent);
  EXPECT_EQ(spent->like[16], 16);
  EXPECT_EQ(spent->like[15], 14);
  EXPECT_EQ(made.counts()[16], 4);
  EXPECT_EQ(made.found(1)[0], 16);
}

TEST(Budget, TheTopIsLeftOutOnTheSameSamples) {
  Made made(steps(40), 64);
  BudgetTask task = task_for(40, 64, 0.1);
  task.leave_one_out = true;
  ASSERT_TRUE(spend_budget(task, made));
  std::vector<std::size_t> left_out;
  std::size_t samples = 0;
  double passes = 0;
  for (std::size_t l = 0; l < 40; ++l)
    if (const std::size_t count = made.so_far().layers[l].left_out.size(); count > 0) {
      left_out.push_back(l);
      EXPECT_TRUE(samples == 0 || samples == count);
      samples = count;
      passes += 0.5 * static_cast<double>(count);
    }
  EXPECT_THAT(left_out, UnorderedElementsAreArray(made.worst(10)));
  EXPECT_GE(samples, 4);
  EXPECT_LE(passes, task.allowed);
  EXPECT_EQ(made.so_far().joint.size(), samples);
}

}  // namespace
}  // namespace strata
