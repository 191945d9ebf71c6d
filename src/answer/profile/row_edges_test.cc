// On torchvision's resnet50: 53 convolutions and norms, 49 ReLUs, 16 sums, two pools and a linear
// layer.
#include "profile/row_edges.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/read/read.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class EdgesOfRows : public testing::Test {
 protected:
  void SetUp() override {
    auto read = read_model(STRATA_SOURCE_DIR "/tests/models/resnet50.onnx");
    ASSERT_TRUE(read) << read.error().message;
    model = std::move(*read);
    const auto inferred = infer(model);
    ASSERT_TRUE(inferred) << inferred.error().message;
    auto counted = analyse(model, *inferred, {.in_depth = true});
    ASSERT_TRUE(counted) << counted.error().message;
    analysis.emplace(std::move(*counted));
  }

  void find(const RowOptions& options) {
    rows = make_rows(*analysis, options);
    edges = row_edges(*analysis, rows);
  }
  std::size_t count() const {
    std::size_t sum = 0;
    for (const auto& from : edges.reads) sum += from.size();
    return sum;
  }
  std::string name(std::int32_t row) const {
    return row == RowEdges::kInput ? "input" : rows.list[static_cast<std::size_t>(row)].layer;
  }
  // Returns the inputs of the first row of this name.
  std::vector<std::string> read_by(std::string_view layer) const {
    std::vector<std::string> names;
    for (std::size_t r = 0; r < rows.list.size() && names.empty(); ++r)
      if (rows.list[r].layer == layer)
        for (const std::int32_t from : edges.reads[r]) names.push_back(name(from));
    return names;
  }

  Model model;
  std::optional<Analysis> analysis;
  Rows rows;
  RowEdges edges;
};

// Every row reads one value, the sums two: 53 + 53 + 49 + 16 + 3 = 174 rows, 190 values.
TEST_F(EdgesOfRows, CallsReadWhatOthersMake) {
  find({});
  ASSERT_EQ(rows.list.size(), 174u);
  EXPECT_EQ(edges.reads.size(), 174u);
  EXPECT_EQ(count(), 190u);
  EXPECT_THAT(read_by("conv1"), ElementsAre("input"));
  EXPECT_THAT(read_by("layer1.0.Add"),
              UnorderedElementsAre("layer1.0.bn3", "layer1.0.downsample.1"));
  EXPECT_THAT(read_by("layer1.1.Add"), UnorderedElementsAre("layer1.1.bn3", "layer1.0.relu"));
  EXPECT_THAT(read_by("fc"), ElementsAre("avgpool"));  // the view between them has no row
  ASSERT_EQ(edges.returned.size(), 1u);
  EXPECT_EQ(name(edges.returned[0]), "fc");
}

// A norm and, but for the 16 after the sums, a ReLU go into the convolution before: 53 + 16 + 16
// + 3.
TEST_F(EdgesOfRows, FusedLayersReadForAll) {
  find({.fuse = true});
  ASSERT_EQ(rows.list.size(), 88u);
  EXPECT_EQ(count(), 104u);
  EXPECT_THAT(read_by("layer1.0.Add"),
              UnorderedElementsAre("layer1.0.conv3", "layer1.0.downsample.0"));
}

// The three calls of a block's ReLU are one row.
TEST_F(EdgesOfRows, LayersReadWhatTheirCallsRead) {
  find({.report = ReportKind::Leaves});
  EXPECT_THAT(read_by("layer1.0.relu"),
              UnorderedElementsAre("layer1.0.bn1", "layer1.0.bn2", "layer1.0.Add"));
}

TEST_F(EdgesOfRows, RowsInAnotherOrderKeepTheirEdges) {
  const auto profile = make_profile(*analysis, {.columns = "layer", .sort = "macs"});
  ASSERT_TRUE(profile) << profile.error().message;
  const auto layer = [&](std::int32_t row) {
    return std::get<std::string>(profile->rows[static_cast<std::size_t>(row)].cells[0].value);
  };
  for (std::size_t r = 0; r < profile->rows.size(); ++r)
    if (layer(static_cast<std::int32_t>(r)) == "fc") {
      ASSERT_EQ(profile->edges.reads[r].size(), 1u);
      EXPECT_EQ(layer(profile->edges.reads[r][0]), "avgpool");
    }
}

TEST_F(EdgesOfRows, RowsThatAreMadeWhenTheyAreReadHaveTheSame) {
  for (const ReportKind report : {ReportKind::Tape, ReportKind::Node}) {
    const auto kept = make_profile(*analysis, {.rows = {.report = report}});
    const auto made = make_profile(*analysis, {.rows = {.report = report}, .row_by_row = true});
    ASSERT_TRUE(kept && made);
    ASSERT_TRUE(made->source.make);
    EXPECT_GT(kept->edges.reads.size(), 100u);
    EXPECT_EQ(made->edges.reads, kept->edges.reads);
    EXPECT_EQ(made->edges.returned, kept->edges.returned);
  }
}

TEST_F(EdgesOfRows, KindsOfLayersHaveNone) {
  find({.report = ReportKind::Type});
  EXPECT_THAT(edges.reads, IsEmpty());
}

}  // namespace
}  // namespace strata
