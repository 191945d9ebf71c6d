#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/chart/charts.h"
#include "document/chart/graph_boxes.h"

namespace strata {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

Document profile(const std::vector<std::pair<std::string, Cell>>& layers) {
  Document document = new_document("profile");
  document.facts = {{"model", "net.onnx"}, {"report", "tape"}};
  Table table{
      .name = "layers",
      .columns = {{"layer", "Layer"}, {"type", "Type"}, {"macs", "MACs", Unit::Macs, true}}};
  for (const auto& [path, macs] : layers) {
    table.rows.push_back({.cells = {path, "Conv2d", macs}});
    table.edges.reads.push_back({static_cast<std::int32_t>(table.rows.size()) - 2});
  }
  table.edges.returned = {static_cast<std::int32_t>(layers.size()) - 1};
  document.tables.push_back(std::move(table));
  return document;
}

std::vector<std::string> texts(const PlotScene& scene) {
  std::vector<std::string> out;
  for (const PlotText& text : scene.texts) out.push_back(text.text);
  return out;
}

std::vector<std::string> drawn(const Document& document) {
  const auto scene = chart_of(document, "graph");
  EXPECT_TRUE(scene);
  return scene ? texts(*scene) : std::vector<std::string>();
}

TEST(GraphChart, HasModulesLayersAndTheirSums) {
  const Document document =
      profile({{"stem", 1000}, {"body.0.conv", 2000}, {"body.0.pool", 0}, {"body.1.conv", 5000}});
  EXPECT_THAT(drawn(document),
              IsSupersetOf({"input", "output", "stem Conv2d", "body", "body.0", "body.1",
                            "conv Conv2d", "pool Conv2d", "5.000 k MACs"}));
  // Closed, a module has the sum of its layers: 62 of 100 each make 6,200.
  std::vector<std::pair<std::string, Cell>> many = {{"stem", 1000}};
  for (int i = 0; i < 62; ++i) many.emplace_back("body.conv" + std::to_string(i), 100);
  EXPECT_THAT(drawn(profile(many)), IsSupersetOf({"body, 62 layers", "6.200 k"}));
}

TEST(GraphChart, UnknownSumsAreUnknown) {
  std::vector<std::pair<std::string, Cell>> many = {{"stem", 1000}, {"body.odd", Cell()}};
  for (int i = 0; i < 62; ++i) many.emplace_back("body.conv" + std::to_string(i), 100);
  EXPECT_THAT(drawn(profile(many)), Contains("?"));
}

TEST(GraphChart, NeedsEdges) {
  Document document = profile({{"a", 1}, {"b", 1}});
  document.tables[0].edges = {};
  const auto scene = chart_of(document, "graph");
  ASSERT_FALSE(scene);
  EXPECT_THAT(scene.error().message, Not(testing::HasSubstr("graph,")));
}

TEST(GraphBoxes, LinksAreSeenAtTheirLevel) {
  const Document document = profile({{"stem", 1}, {"body.0", 1}, {"body.1", 1}});
  const auto root = graph_boxes(document.tables[0]);
  ASSERT_EQ(root->children.size(), 2u);
  EXPECT_THAT(root->links, testing::ElementsAre(std::pair<std::size_t, std::size_t>(0, 1)));
  EXPECT_THAT(root->entered, testing::ElementsAre(0u));
  EXPECT_THAT(root->left, testing::ElementsAre(1u));
  const GraphBox& body = *root->children[1];
  EXPECT_EQ(body.layers, 2u);
  EXPECT_THAT(body.entered, testing::ElementsAre(0u));
  EXPECT_THAT(body.links, testing::SizeIs(1));
  EXPECT_THAT(body.left, testing::ElementsAre(1u));
  EXPECT_EQ(open_levels(*root, 3), 1u);
  EXPECT_FALSE(body.open);
  EXPECT_EQ(open_levels(*root, 4), 0u);
  EXPECT_TRUE(body.open);
}

TEST(GraphBoxes, LongListsHaveSections) {
  std::vector<std::pair<std::string, Cell>> flat;
  for (int i = 0; i < 130; ++i) flat.emplace_back("conv" + std::to_string(i), 1);
  const Document document = profile(flat);
  const auto root = graph_boxes(document.tables[0]);
  ASSERT_EQ(root->children.size(), 3u);
  EXPECT_EQ(root->children[2]->name, "121 to 130 of 130");
  EXPECT_EQ(root->children[2]->layers, 10u);
  EXPECT_EQ(root->links.size(), 2u);
}

}  // namespace
}  // namespace strata
