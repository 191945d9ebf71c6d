#include "strata/compare/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/compare/document.h"

namespace strata::compare {
namespace {

SideRow row(std::string name, std::int64_t macs) {
  SideRow out{.name = std::move(name), .type = "Conv2d", .output = "1×8"};
  at(out.figures, Measure::Macs) = count_figure(macs);
  return out;
}

std::vector<std::string> changes(const Side& before, const Side& after) {
  std::vector<std::string> out;
  for (const RowDiff& one : diff_of(before, after).rows)
    out.push_back(names_of(after, one.after) + " " + std::string(name_of(one.change)));
  return out;
}

using ::testing::ElementsAre;

TEST(Diff, ALayerThatRunsElsewhereHasMoved) {
  const Side before{.rows = {row("a", 1), row("b", 2), row("c", 3), row("d", 4)}};
  const Side after{.rows = {row("a", 1), row("d", 4), row("b", 2), row("c", 9)}};
  EXPECT_THAT(changes(before, after), ElementsAre("a same", "d moved", "b same", "c changed"));
}

TEST(Diff, AMovedLayerMayHaveChangedToo) {
  const Side before{.rows = {row("a", 1), row("b", 2), row("c", 3)}};
  const Side after{.rows = {row("c", 9), row("a", 1), row("b", 2)}};
  EXPECT_THAT(changes(before, after), ElementsAre("c moved", "a same", "b same"));
  const RowDiff moved = diff_of(before, after).rows.front();
  EXPECT_EQ(change_of_row(before, after, moved, Measure::Macs).verdict, Verdict::More);
}

TEST(Diff, RowsThatWereSortedHaveNoPlace) {
  const Side before{.rows = {row("a", 1), row("b", 2)}};
  const Side after{.rows = {row("b", 2), row("a", 1)}, .in_running_order = false};
  EXPECT_THAT(changes(before, after), ElementsAre("b same", "a same"));
}

TEST(Diff, WhatIsPutInFrontMovesNothing) {
  const Side before{.rows = {row("a", 1), row("b", 2)}};
  const Side after{.rows = {row("x", 7), row("a", 1), row("b", 2)}};
  EXPECT_THAT(changes(before, after), ElementsAre("x inserted", "a same", "b same"));
}

// A convolution of 3×3, from 3 to 8 channels at 4×4 places, its norm, and it with a bias: 216 and
// 8·2 parameters against 216 + 8; 16·216 MACs.
SideRow layer(std::string name, std::string type, std::int64_t params, std::int64_t macs,
              std::string output = "1×8×4×4") {
  SideRow out{.name = std::move(name), .type = std::move(type), .output = std::move(output)};
  at(out.figures, Measure::Params) = count_figure(params);
  at(out.figures, Measure::Macs) = count_figure(macs);
  at(out.figures, Measure::Flops) = count_figure(macs * 2 + params);
  return out;
}

Side network(std::vector<SideRow> rows) {
  Side out{.kind = "model", .rows = std::move(rows)};
  for (const Measure measure : {Measure::Params, Measure::Macs}) {
    std::int64_t sum = 0;
    for (const SideRow& one : out.rows) sum += at(one.figures, measure).count.value();
    at(out.totals, measure) = count_figure(sum);
  }
  return out;
}

std::string sameness(const Side& before, const Side& after) {
  return same_network(before, after, diff_of(before, after));
}

const SideRow kConv = layer("net.0", "Conv2d", 216, 3456);
const SideRow kNorm = layer("net.1", "BatchNorm2d", 16, 0);
const SideRow kRelu = layer("net.2", "ReLU", 0, 0);
const SideRow kWithBias = layer("net.0", "Conv2d", 224, 3456);

TEST(Diff, NormsThatWereFoldedBelongToTheirConvolution) {
  const Side norms = network({kConv, kNorm, kRelu}), folded = network({kWithBias, kRelu});
  EXPECT_THAT(changes(norms, folded), ElementsAre("net.0 folded", "net.2 same"));
  EXPECT_EQ(diff_of(norms, folded).rows.front().before, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(sameness(norms, folded),
            "the same network, except that 1 norm was folded into the layer before it");
  EXPECT_THAT(changes(folded, norms), ElementsAre("net.0, net.1 unfolded", "net.2 same"));
  EXPECT_EQ(sameness(folded, norms),
            "the same network, except that 1 norm was taken out of the layer before it");
}

TEST(Diff, ANormIsNotFoldedIntoALayerThatGotNoBiasOrOtherWork) {
  EXPECT_THAT(changes(network({kConv, kNorm, kRelu}), network({kConv, kRelu})),
              ElementsAre("net.0 same", " removed", "net.2 same"));
  const SideRow wider = layer("net.0", "Conv2d", 224, 6912),
                odd = layer("net.0", "Conv2d", 219, 3456);
  for (const SideRow& other : {wider, odd}) {
    EXPECT_THAT(changes(network({kConv, kNorm, kRelu}), network({other, kRelu})),
                ElementsAre("net.0 changed", " removed", "net.2 same"));
    EXPECT_EQ(sameness(network({kConv, kNorm, kRelu}), network({other, kRelu})), "");
  }
  // A norm before the convolution scales its input, borders included, and stays.
  EXPECT_EQ(sameness(network({kNorm, kConv}), network({kWithBias})), "");
}

TEST(Diff, ASubclassAtTheSamePathIsTheSameLayer) {
  const Side before = network({layer("stem.0", "Conv3DSimple", 648, 9000), kRelu});
  const Side after = network({layer("stem.0", "Conv3d", 648, 9000), kRelu});
  EXPECT_THAT(changes(before, after), ElementsAre("stem.0 changed", "net.2 same"));
  EXPECT_EQ(sameness(before, after),
            "the same network, except that 1 layer has another class of the same cost");
  // Without work, the class alone says what the operator is.
  EXPECT_EQ(sameness(network({kConv, kRelu}), network({kConv, layer("net.2", "Tanh", 0, 0)})), "");
}

TEST(Diff, OnlyEqualTotalsAreCalledTheSame) {
  Comparison comparison;
  for (const std::int64_t read : {1000, 1124}) {
    Side& side = comparison.sides.emplace_back(network({kConv, kRelu}));
    side.label = "x";
    at(side.totals, Measure::Read) = count_figure(read);
  }
  comparison.diffs = {diff_of(comparison.sides[0], comparison.sides[1])};
  const auto verdict = [&] { return diff_document(comparison).sections.front().lines({}); };
  EXPECT_THAT(verdict(), testing::StartsWith("x → x: the same network; Read +12.4 %.\n"));
  comparison.sides[1] = comparison.sides[0];
  comparison.diffs = {diff_of(comparison.sides[0], comparison.sides[1])};
  EXPECT_THAT(verdict(), testing::StartsWith("x → x: the same network; the same totals.\n"));
}

TEST(Diff, TheSameNetworkIsSaidOnlyOfAllLayers) {
  const Side whole = network({kConv, kRelu});
  EXPECT_EQ(sameness(whole, whole), "the same network");
  Side part = whole;
  part.rows.erase(part.rows.begin());
  EXPECT_EQ(sameness(part, part), "");
  Side sorted = whole;
  sorted.in_running_order = false;
  EXPECT_EQ(sameness(whole, sorted), "");
  EXPECT_EQ(sameness(whole, network({kRelu, kConv})), "");
  SideRow drop = layer("drop", "Dropout", 0, 0), view = layer("drop", "Flatten", 0, 0);
  drop.input = drop.output;
  view.input = "1×8×16";
  EXPECT_EQ(sameness(whole, network({kConv, kRelu, drop})),
            "the same network, except that 1 layer without cost was inserted");
  EXPECT_EQ(sameness(whole, network({kConv, kRelu, view})), "");
  EXPECT_EQ(sameness(whole, network({kConv, layer("act", "ReLU", 0, 0)})),
            "the same network, except that 1 layer has another name");
}

}  // namespace
}  // namespace strata::compare
