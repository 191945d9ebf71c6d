#include "compare/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace strata::compare {
namespace {

SideRow row(std::string name, std::string type, std::int64_t macs = 0, std::string output = "1×8") {
  SideRow out{.name = std::move(name), .type = std::move(type), .output = std::move(output)};
  at(out.figures, Measure::Macs) = count_figure(macs);
  return out;
}

// `a, b|a` for each group: names before and after.
std::vector<std::string> matched(const std::vector<SideRow>& before,
                                 const std::vector<SideRow>& after) {
  std::vector<std::string> out;
  for (const Group& group : match_rows(before, after)) {
    std::string& text = out.emplace_back();
    for (std::size_t i = 0; i < group.before.size(); ++i)
      text += (i > 0 ? "," : "") + before[group.before[i]].name;
    text += "|";
    for (std::size_t i = 0; i < group.after.size(); ++i)
      text += (i > 0 ? "," : "") + after[group.after[i]].name;
  }
  return out;
}

using ::testing::ElementsAre;

// TensorFlow Lite has other names, shapes with channels last, and activations in their layers.
TEST(Match, LayersOfTfliteBelongToThoseOfOnnxByTheirWork) {
  const std::vector<SideRow> before = {
      row("a/conv", "Conv2d+RELU6", 50, "1×8×8×4"), row("a/pad", "PAD", 0, "1×9×9×4"),
      row("b/conv", "Conv2d", 70, "1×4×4×8"), row("mean", "MEAN", 0, "1×8")};
  const std::vector<SideRow> after = {
      row("/0/Conv", "Conv2d", 50, "1×4×8×8"), row("/1/Clip", "Clip", 0, "1×4×8×8"),
      row("/2/Conv", "Conv2d", 70, "1×8×4×4"), row("/3/Mean", "ReduceMean", 0, "1×8")};
  EXPECT_THAT(matched(before, after),
              ElementsAre("a/conv|/0/Conv,/1/Clip", "a/pad|", "b/conv|/2/Conv", "mean|/3/Mean"));
}

TEST(Match, EqualNamesBelongTogetherWhateverTheyCost) {
  EXPECT_THAT(
      matched({row("a", "Conv", 5), row("b", "Relu")}, {row("a", "Conv", 9), row("b", "Relu")}),
      ElementsAre("a|a", "b|b"));
}

TEST(Match, ARenamedLayerIsFoundByItsStructure) {
  EXPECT_THAT(matched({row("a", "Conv", 5), row("old", "Conv", 7), row("c", "Relu")},
                      {row("a", "Conv", 5), row("new", "Conv", 7), row("c", "Relu")}),
              ElementsAre("a|a", "old|new", "c|c"));
}

// One network, written by torch.export and by its ONNX exporter.
TEST(Match, OperatorsOfPyTorchAreThoseOfOnnx) {
  EXPECT_THAT(matched({row("conv", "Conv2d", 5), row("add_", "add_.Tensor"), row("view", "view")},
                      {row("conv", "Conv2d", 5), row("/Add", "Add"), row("/Mul", "Mul")}),
              ElementsAre("conv|conv", "add_|/Add", "view|", "|/Mul"));
  EXPECT_TRUE(are_same_type("add_.Tensor", "Add"));
  EXPECT_TRUE(are_same_type("Conv2d+relu_", "Conv2d+Relu"));
  EXPECT_FALSE(are_same_type("Conv2d+relu_", "Conv2d"));
  EXPECT_FALSE(are_same_type("add.Tensor", "Mul"));
}

TEST(Match, WhatIsOnOneSideOnlyStandsInItsPlace) {
  EXPECT_THAT(matched({row("a", "Conv"), row("gone", "Dropout"), row("c", "Relu")},
                      {row("first", "Pad"), row("a", "Conv"), row("c", "Relu")}),
              ElementsAre("|first", "a|a", "gone|", "c|c"));
}

// In a Sequential every layer behind an insertion has another number.
TEST(Match, NumbersInNamesShift) {
  EXPECT_THAT(matched({row("net.0", "Conv", 5), row("net.1", "Conv", 6), row("net.2", "Conv", 7)},
                      {row("net.0", "Conv", 5), row("net.1", "Conv", 9), row("net.2", "Conv", 6),
                       row("net.3", "Conv", 7)}),
              ElementsAre("net.0|net.0", "|net.1", "net.1|net.2", "net.2|net.3"));
  EXPECT_THAT(
      matched({row("Conv_0", "Conv", 5), row("Conv_1", "Conv", 6)},
              {row("Conv_0", "Conv", 1), row("Conv_1", "Conv", 5), row("Conv_2", "Conv", 6)}),
      ElementsAre("|Conv_0", "Conv_0|Conv_1", "Conv_1|Conv_2"));
}

TEST(Match, ALayerThatMovedKeepsItsName) {
  EXPECT_THAT(matched({row("a", "Conv", 1), row("b", "Relu", 2), row("c", "Pool", 3)},
                      {row("c", "Pool", 3), row("a", "Conv", 1), row("b", "Relu", 2)}),
              ElementsAre("c|c", "a|a", "b|b"));
}

TEST(Match, AsFewAsCanBeHaveMoved) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<SideRow> before;
    before.reserve(9);
    for (int i = 0; i < 9; ++i) before.push_back(row(std::string(1, "abcdefghi"[i]), "Conv", i));
    std::vector<std::size_t> order(before.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<SideRow> after;
    after.reserve(order.size());
    for (const std::size_t i : order) after.push_back(before[i]);
    // The most that stay: the longest rising piece that ends at each place, by comparing all pairs.
    std::vector<std::size_t> longest(order.size(), 1);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (order[j] < order[i]) longest[i] = std::max(longest[i], longest[j] + 1);
    const auto groups = match_rows(before, after);
    const auto moved =
        std::count_if(groups.begin(), groups.end(), [](const Group& group) { return group.moved; });
    EXPECT_EQ(static_cast<std::size_t>(moved),
              order.size() - *std::max_element(longest.begin(), longest.end()));
    std::uint32_t last = 0;
    for (const Group& group : groups) {
      ASSERT_EQ(group.before.size(), 1u);
      if (group.moved) continue;
      EXPECT_GE(group.before.front(), last);
      last = group.before.front();
    }
  }
}

TEST(Match, AnotherOperatorUnderTheSameName) {
  EXPECT_THAT(matched({row("act", "ReLU")}, {row("act", "SiLU")}), ElementsAre("act|act"));
}

TEST(Match, CallsOfOneModuleAreTheirOwnRows) {
  std::vector<SideRow> before = {row("relu", "ReLU", 0, "1×8"), row("relu", "ReLU", 0, "1×4")};
  before[1].call = 2;
  std::vector<SideRow> after = before;
  EXPECT_THAT(match_rows(before, after).size(), 2u);
  after.erase(after.begin());
  const std::vector<Group> groups = match_rows(before, after);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_TRUE(groups[0].after.empty());
  EXPECT_THAT(groups[1].before, ElementsAre(1));
}

TEST(Match, FusedLayersJoinWhatTheyWereMadeOf) {
  EXPECT_THAT(matched({row("conv", "Conv", 5), row("bn", "BatchNorm"), row("relu", "ReLU"),
                       row("fc", "Linear", 3)},
                      {row("conv", "Conv+BatchNorm+ReLU", 5), row("fc", "Linear", 3)}),
              ElementsAre("conv,bn,relu|conv", "fc|fc"));
  EXPECT_THAT(matched({row("x", "Conv+BatchNorm", 5), row("y", "ReLU")},
                      {row("x", "Conv", 5), row("y", "BatchNorm+ReLU")}),
              ElementsAre("x,y|x,y"));
}

TEST(Match, ATypeOfManyPlusesIsOnePart) {
  const std::string hostile(1'000'000, '+');
  EXPECT_EQ(match_rows(std::vector{row("a", hostile)}, std::vector{row("b", hostile)}).size(), 1u);
}

// The most groups with the same parts on both sides, of all ways to cut both lists into pieces.
std::size_t most_common_groups(const std::vector<std::string>& before,
                               const std::vector<std::string>& after) {
  const std::function<std::int64_t(std::size_t, std::size_t)> best =
      [&](std::size_t b, std::size_t a) -> std::int64_t {
    if (b == before.size() && a == after.size()) return 0;
    std::int64_t most = -1000;
    std::string left;
    for (std::size_t i = b; i < before.size(); ++i) {
      left += (left.empty() ? "" : "+") + before[i];
      std::string right;
      for (std::size_t j = a; j < after.size(); ++j) {
        right += (right.empty() ? "" : "+") + after[j];
        if (left == right) most = std::max(most, 1 + best(i + 1, j + 1));
      }
    }
    return most;
  };
  return static_cast<std::size_t>(best(0, 0));
}

TEST(Match, GroupsAreTheSmallestThatBothSidesHave) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t parts = 1 + random() % 8;
    std::vector<std::string> kinds;
    for (std::size_t p = 0; p < parts; ++p) kinds.emplace_back(1, "ABC"[random() % 3]);
    std::vector<SideRow> sides[2];
    std::vector<std::string> types[2];
    for (int s = 0; s < 2; ++s)
      for (std::size_t p = 0; p < parts; ++p) {
        if (p == 0 || random() % 2 == 0) {
          sides[s].push_back(row("part" + std::to_string(p), kinds[p]));
          types[s].push_back(kinds[p]);
        } else {
          sides[s].back().type += "+" + kinds[p];
          types[s].back() += "+" + kinds[p];
        }
      }
    const std::vector<Group> groups = match_rows(sides[0], sides[1]);
    EXPECT_EQ(groups.size(), most_common_groups(types[0], types[1]));
    for (const Group& group : groups) {
      EXPECT_FALSE(group.before.empty());
      EXPECT_FALSE(group.after.empty());
    }
  }
}

TEST(Match, EveryRowIsInOneGroup) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<SideRow> sides[2];
    for (auto& side : sides)
      for (std::size_t i = random() % 12; i > 0; --i)
        side.push_back(row("n" + std::to_string(random() % 9),
                           std::vector<const char*>{"A", "B", "A+B", "", "+"}[random() % 5],
                           static_cast<std::int64_t>(random() % 3)));
    std::vector<int> seen[2] = {std::vector<int>(sides[0].size()),
                                std::vector<int>(sides[1].size())};
    for (const Group& group : match_rows(sides[0], sides[1])) {
      for (const std::uint32_t r : group.before) ++seen[0][r];
      for (const std::uint32_t r : group.after) ++seen[1][r];
    }
    EXPECT_THAT(seen[0], testing::Each(1));
    EXPECT_THAT(seen[1], testing::Each(1));
  }
}

}  // namespace
}  // namespace strata::compare
