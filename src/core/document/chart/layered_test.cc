#include "document/chart/layered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace strata {
namespace {

using ::testing::ElementsAreArray;

// The boxes at which the lines that begin at a point arrive, followed from end to end.
std::set<std::size_t> arrivals(const LayeredGraph& graph, const LayeredPlaces& places,
                               LayeredPoint start) {
  const auto same = [](double a, double b) { return std::abs(a - b) < 0.6; };  // nearly straight
  std::set<std::size_t> found;
  std::set<std::size_t> seen;  // lines
  std::vector<LayeredPoint> open = {start};
  while (!open.empty()) {
    const LayeredPoint at = open.back();
    open.pop_back();
    for (std::size_t l = 0; l < places.lines.size(); ++l) {
      const LayeredLine& line = places.lines[l];
      if (!same(line.x1, at.x) || !same(line.y1, at.y) || !seen.insert(l).second) continue;
      if (!line.arrives) open.push_back({line.x2, line.y2});
      for (std::size_t i = 0; line.arrives && i < graph.boxes.size(); ++i)
        if (same(line.x2, places.corners[i].x + graph.boxes[i].width / 2 + graph.boxes[i].in) &&
            same(line.y2, places.corners[i].y))
          found.insert(i);
    }
  }
  return found;
}

void expect_drawn(const LayeredGraph& graph) {
  const LayeredPlaces places = layered(graph);
  ASSERT_EQ(places.corners.size(), graph.boxes.size());
  for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
    const LayeredBox& box = graph.boxes[i];
    const LayeredPoint& at = places.corners[i];
    EXPECT_GE(at.x, -1e-6);
    EXPECT_LE(at.x + box.width, places.width + 1e-6);
    EXPECT_LE(at.y + box.height, places.height + 1e-6);
    for (std::size_t j = 0; j < i; ++j) {
      const LayeredPoint& other = places.corners[j];
      const bool apart = at.x + box.width <= other.x || other.x + graph.boxes[j].width <= at.x ||
                         at.y + box.height <= other.y || other.y + graph.boxes[j].height <= at.y;
      EXPECT_TRUE(apart) << i << " lies over " << j;
    }
    std::set<std::size_t> readers;
    for (const auto& [from, to] : graph.links)
      if (from == i) readers.insert(to);
    EXPECT_THAT(arrivals(graph, places, {at.x + box.width / 2 + box.out, at.y + box.height}),
                ElementsAreArray(readers));
  }
}

TEST(Layered, ChainsAreStraight) {
  LayeredGraph graph{.boxes = std::vector<LayeredBox>(4, {100, 30})};
  graph.boxes[2].width = 200;
  graph.links = {{0, 1}, {1, 2}, {2, 3}};
  expect_drawn(graph);
  const LayeredPlaces places = layered(graph);
  for (const LayeredLine& line : places.lines) EXPECT_EQ(line.x1, line.x2);
  EXPECT_EQ(places.height, 4 * 30 + 3 * 26);
  EXPECT_EQ(places.width, 200);
}

// A residual block: the value passes two boxes, and the last box reads both.
TEST(Layered, LinesPassBeside) {
  LayeredGraph graph{.boxes = std::vector<LayeredBox>(4, {100, 30}),
                     .links = {{0, 1}, {1, 2}, {2, 3}, {0, 3}}};
  expect_drawn(graph);
}

TEST(Layered, ValuesBeforeTheyAreMadeAreMarked) {
  const LayeredPlaces places =
      layered({.boxes = {{100, 30}, {100, 30}}, .links = {{0, 1}, {1, 0}}});
  EXPECT_EQ(std::count_if(places.lines.begin(), places.lines.end(),
                          [](const LayeredLine& line) { return line.is_back; }),
            1);
}

TEST(Layered, EndsStandAboveAndBelow) {
  const LayeredPlaces places = layered({.boxes = {{100, 30}, {100, 30}},
                                        .links = {{0, 1}},
                                        .entered = {0, 1},
                                        .left = {1},
                                        .end = {64, 22}});
  EXPECT_EQ(places.enter.y, 0);
  EXPECT_EQ(places.leave.y + 22, places.height);
  EXPECT_EQ(places.corners[0].y, 22 + 26);
}

TEST(Layered, NothingIsNothing) { EXPECT_EQ(layered({}).width, 0); }

// Networks made at random, with ports anywhere: no box lies over another, and following the lines
// from a box leads to its readers and to nothing else.
TEST(Layered, DrawsWhatIsLinked) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t from, std::size_t to) {
    return std::uniform_int_distribution<std::size_t>(from, to)(random);
  };
  for (int round = 0; round < 40; ++round) {
    LayeredGraph graph;
    std::set<std::pair<std::size_t, std::size_t>> links;
    const std::size_t count = pick(2, 30);
    for (std::size_t i = 0; i < count; ++i) {
      const double width = static_cast<double>(pick(20, 300));
      const double in = width * (static_cast<double>(pick(0, 80)) / 100 - 0.4);
      graph.boxes.push_back({width, static_cast<double>(pick(10, 90)), in, -in});
      for (std::size_t n = pick(0, 2); i > 0 && n > 0; --n) links.insert({pick(0, i - 1), i});
    }
    for (const auto& [from, to] : links) graph.links.push_back({from, to});
    SCOPED_TRACE(round);
    expect_drawn(graph);
  }
}

}  // namespace
}  // namespace strata
