#include "profile/partition.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace strata {
namespace {

constexpr std::uint32_t kInput = PartitionProblem::kInput;

// Every choice in which nothing at the edge waits for the server.
std::vector<Partition> all_partitions(const PartitionProblem& problem) {
  std::vector<Partition> all;
  for (std::uint32_t bits = 0; bits < (1u << problem.steps.size()); ++bits) {
    const auto at_edge = [&](std::uint32_t step) { return ((bits >> step) & 1) != 0; };
    const bool possible = std::all_of(
        problem.tensors.begin(), problem.tensors.end(), [&](const PartitionProblem::Tensor& t) {
          if (t.maker != kInput && !at_edge(t.maker))
            return std::none_of(t.readers.begin(), t.readers.end(), at_edge);
          return t.can_be_shipped || std::all_of(t.readers.begin(), t.readers.end(), at_edge);
        });
    if (!possible) continue;
    std::vector<bool> on_edge;
    for (std::uint32_t s = 0; s < problem.steps.size(); ++s) on_edge.push_back(at_edge(s));
    all.push_back(evaluate(problem, on_edge));
  }
  return all;
}

double least_latency(const std::vector<Partition>& all, double seconds_per_byte) {
  double least = std::numeric_limits<double>::infinity();
  for (const Partition& one : all) least = std::min(least, one.line().at(seconds_per_byte));
  return least;
}

// A chain has as many choices as steps: those up to some step run at the edge.
TEST(Partition, LongChainsAgreeWithEveryPlaceToCut) {
  constexpr std::uint32_t kSteps = 30'000;
  PartitionProblem problem;
  std::uint32_t state = 1;
  const auto any = [&](std::uint32_t most) {
    return (state = state * 1664525 + 1013904223) % most;
  };
  for (std::uint32_t s = 0; s < kSteps; ++s) {
    problem.steps.push_back({1.0 + any(100), 1.0 + any(90)});
    problem.tensors.push_back({.maker = s == 0 ? kInput : s - 1,
                               .readers = {s},
                               .bytes = static_cast<double>(1 + any(1'000))});
  }
  for (const double seconds_per_byte : {0.0, 0.1, 10.0, 1e6}) {
    double edge = 0, server = 0;
    for (const auto& step : problem.steps) server += step.server_seconds;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t cut = 0; cut < kSteps; ++cut) {
      least = std::min(least, edge + server + problem.tensors[cut].bytes * seconds_per_byte);
      edge += problem.steps[cut].edge_seconds;
      server -= problem.steps[cut].server_seconds;
    }
    least = std::min(least, edge);  // nothing is shipped
    const Partition best = best_partition(problem, seconds_per_byte);
    EXPECT_NEAR(best.line().at(seconds_per_byte), least, 1e-9 * least) << seconds_per_byte;
  }
}

PartitionProblem any_problem() {
  PartitionProblem problem;
  const auto steps = *rc::gen::inRange<std::uint32_t>(1, 9);
  for (std::uint32_t s = 0; s < steps; ++s)
    problem.steps.push_back({static_cast<double>(*rc::gen::inRange(0, 200)),
                             static_cast<double>(*rc::gen::inRange(0, 60))});
  const auto tensors = *rc::gen::inRange<std::uint32_t>(1, 13);
  for (std::uint32_t t = 0; t < tensors; ++t) {
    PartitionProblem::Tensor tensor;
    const auto maker = *rc::gen::inRange<std::uint32_t>(0, steps + 1);
    tensor.maker = maker == steps ? kInput : maker;
    for (std::uint32_t s = maker == steps ? 0 : maker + 1; s < steps; ++s)
      if (*rc::gen::inRange(0, 2) == 1) tensor.readers.push_back(s);
    tensor.bytes = *rc::gen::inRange(0, 100);
    tensor.can_be_shipped = *rc::gen::inRange(0, 6) > 0;
    if (*rc::gen::inRange(0, 4) == 0) tensor.result_bytes = *rc::gen::inRange(0, 30);
    problem.tensors.push_back(tensor);
  }
  problem.round_trip_seconds = *rc::gen::element(0, 0, 5, 40);
  return problem;
}

TEST(Partition, TensorWithManyReadersIsShippedOnce) {
  PartitionProblem problem;
  problem.steps = {{1, 1}, {100, 1}, {100, 1}, {100, 1}};
  problem.tensors = {{kInput, {0}, 1000, true, 0},
                     {0, {1, 2}, 10, true, 0},
                     {1, {3}, 500, true, 0},
                     {2, {3}, 500, true, 0},
                     {3, {}, 0, true, 4}};
  problem.round_trip_seconds = 7;
  const Partition best = best_partition(problem, 1);
  EXPECT_EQ(best.on_edge, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(best.shipped, (std::vector<std::uint32_t>{1}));
  EXPECT_DOUBLE_EQ(best.line().at(1), 1 + 3 + 10 + 4 + 7);
  EXPECT_DOUBLE_EQ(all_edge(problem).line().at(1), 301);
  EXPECT_DOUBLE_EQ(all_server(problem).line().at(1), 4 + 1000 + 4 + 7);
}

// Two branches: the best cut takes each at its own narrow place, and no position in the order of
// the steps has both.
TEST(Partition, CutsBranchesAtTheirOwnPlaces) {
  PartitionProblem problem;
  //  0 → 1 (narrow) → 2 (wide) ↘
  //  3 → 4 (wide) → 5 (narrow) → 6
  for (int i = 0; i < 7; ++i) problem.steps.push_back({1, 0.1});
  problem.steps[6] = {1000, 1};
  problem.steps[2] = {50, 0.1};
  problem.tensors = {{kInput, {0, 3}, 900, true, 0},
                     {0, {1}, 100, true, 0},
                     {1, {2}, 1, true, 0},
                     {2, {6}, 100, true, 0},
                     {3, {4}, 100, true, 0},
                     {4, {5}, 100, true, 0},
                     {5, {6}, 1, true, 0}};
  const Partition best = best_partition(problem, 1);
  EXPECT_EQ(best.shipped, (std::vector<std::uint32_t>{2, 6}));
  EXPECT_EQ(best.on_edge, (std::vector<bool>{true, true, false, true, true, true, false}));
}

TEST(Partition, LinkThatIsTooSlowIsNotUsed) {
  PartitionProblem problem;
  problem.steps = {{5, 1}};
  problem.tensors = {{kInput, {0}, 10, true, 0}};
  EXPECT_TRUE(best_partition(problem, 1).is_all_edge());
  EXPECT_TRUE(best_partition(problem, 0.1).is_all_server());
  problem.round_trip_seconds = 4;
  EXPECT_TRUE(best_partition(problem, 0.1).is_all_edge());
}

TEST(Partition, WrongProblemsAreToldApart) {
  PartitionProblem problem;
  problem.steps = {{1, 1}};
  EXPECT_TRUE(problem.is_valid());
  problem.tensors = {{0, {1}, 1, true, 0}};
  EXPECT_FALSE(problem.is_valid());
  problem.tensors = {{3, {0}, 1, true, 0}};
  EXPECT_FALSE(problem.is_valid());
  problem.tensors = {};
  problem.steps[0].edge_seconds = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(problem.is_valid());
}

RC_GTEST_PROP(Partition, IsTheBestOfAllChoices, ()) {
  const PartitionProblem problem = any_problem();
  const std::vector<Partition> all = all_partitions(problem);
  for (double slowness : {0.01, 0.3, 1.0, 7.0}) {
    const Partition best = best_partition(problem, slowness);
    const double expected = least_latency(all, slowness);
    RC_ASSERT(std::abs(best.line().at(slowness) - expected) <= 1e-9 * (1 + expected));
    // It must be possible, with the right cost.
    RC_ASSERT(std::any_of(all.begin(), all.end(), [&](const Partition& one) {
      return one.on_edge == best.on_edge && one.line().at(1) == best.line().at(1);
    }));
  }
}

RC_GTEST_PROP(Partition, EnvelopeIsTheBestAtEveryLink, ()) {
  const PartitionProblem problem = any_problem();
  const std::vector<Partition> all = all_partitions(problem);
  const double from = 0.01, to = 20;
  const auto pieces = best_partitions(problem, from, to);
  RC_ASSERT(!pieces.empty());
  RC_ASSERT(pieces.front().from == from && pieces.back().to == to);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const EnvelopePiece& piece = pieces[i];
    RC_ASSERT(piece.from < piece.to);
    if (i > 0) RC_ASSERT(pieces[i - 1].to == piece.from);
    if (i > 0) RC_ASSERT(pieces[i - 1].best.on_edge != piece.best.on_edge);
    for (double part : {0.0, 0.25, 0.5, 1.0}) {
      const double x = piece.from + part * (piece.to - piece.from);
      const double expected = least_latency(all, x);
      RC_ASSERT(std::abs(piece.best.line().at(x) - expected) <= 1e-9 * (1 + expected));
    }
  }
}

}  // namespace
}  // namespace strata
