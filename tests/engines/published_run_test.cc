// The published run of Faster R-CNN, component by component (tests/golden/
// fasterrcnn_time_memory.csv), as `stat --time --memory --report tree` shows it: every component
// has a row inside the row of the component that it is part of, and children add up to
// their parents. The numbers are the fake engine's: published times are another machine's.
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_models.h"
#include "strata/data/inputs.h"
#include "strata/measure/memory.h"
#include "strata/profile/profile.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

// A component of the published table, its row, and the row that it is inside.
struct Component {
  std::string_view published, row, inside;
  int calls = 1;  // the published number is the average of this many calls
};

constexpr std::string_view kBetween = "(between modules)";

constexpr Component kComponents[] = {
    // Sizes of images are constants of the network, so nothing runs.
    {"get_original_images_sizes", "", ""},
    {"transform", "transform", ""},
    {"backbonefpn_body", "backbone.body", "backbone"},
    {"backbonefpn_fpn", "backbone.fpn", "backbone"},
    {"backbonefpn_fpn_inner_3", "backbone.fpn.inner_blocks.3", "backbone.fpn"},
    {"backbonefpn_fpn_layer_3", "backbone.fpn.layer_blocks.3", "backbone.fpn"},
    {"backbonefpn_fpn_inner_2", "backbone.fpn.inner_blocks.2", "backbone.fpn"},
    {"backbonefpn_fpn_interpolate2", "backbone.fpn.Resize", kBetween},
    {"backbonefpn_fpn_layer_2", "backbone.fpn.layer_blocks.2", "backbone.fpn"},
    {"backbonefpn_fpn_inner_1", "backbone.fpn.inner_blocks.1", "backbone.fpn"},
    {"backbonefpn_fpn_interpolate1", "backbone.fpn.Resize_1", kBetween},
    {"backbonefpn_fpn_layer_1", "backbone.fpn.layer_blocks.1", "backbone.fpn"},
    {"backbonefpn_fpn_inner_0", "backbone.fpn.inner_blocks.0", "backbone.fpn"},
    {"backbonefpn_fpn_interpolate0", "backbone.fpn.Resize_2", kBetween},
    {"backbonefpn_fpn_layer_0", "backbone.fpn.layer_blocks.0", "backbone.fpn"},
    {"backbonefpn_fpn_extra", "backbone.fpn.extra_blocks", "backbone.fpn"},
    {"rpn_head_on_5_features", "rpn.head", "rpn"},
    {"rpn_head_details_conv_per_feature", "rpn.head.conv", "rpn.head", 5},
    {"rpn_head_details_logits_per_feature", "rpn.head.cls_logits", "rpn.head", 5},
    {"rpn_head_details_regression_per_feature", "rpn.head.bbox_pred", "rpn.head", 5},
    {"rpn_anchor_generator", "rpn.anchor_generator", "rpn"},
    {"roi_heads", "roi_heads", ""},
    {"roi_heads_box_roi_pool", "roi_heads.box_roi_pool", "roi_heads"},
    {"roi_heads_box_head", "roi_heads.box_head", "roi_heads"},
    {"roi_heads_box_predictor", "roi_heads.box_predictor", "roi_heads"},
    {"roi_heads_postprocess_detections", kBetween, "roi_heads"},
    {"roi_heads_box_head_fc6", "roi_heads.box_head.fc6", "roi_heads.box_head"},
    {"roi_heads_box_head_fc7", "roi_heads.box_head.fc7", "roi_heads.box_head"},
    {"roi_heads_box_predictor_cls_score(linear)", "roi_heads.box_predictor.cls_score",
     "roi_heads.box_predictor"},
    {"roi_heads_box_predictor_bbox_pred(linear)", "roi_heads.box_predictor.bbox_pred",
     "roi_heads.box_predictor"},
};

enum Columns : std::size_t { kLayer, kCalls, kTime, kTimePerCall, kTaken, kTakenPerCall };

std::optional<double> number(const ProfileRow& row, Columns column) {
  const Cell& cell = row.cells[column];
  if (const auto* real = std::get_if<double>(&cell.value)) return *real;
  if (const auto* exact = std::get_if<Expr>(&cell.value)) return exact->number();
  return std::nullopt;
}
const std::string& layer(const ProfileRow& row) {
  return std::get<std::string>(row.cells[kLayer].value);
}

class PublishedRun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto network = zoo::build("fasterrcnn_resnet50_fpn?min_size=96&max_size=160&candidates=50");
    ASSERT_TRUE(network) << network.error().message;
    const std::string bytes = test::bytes_of(network->model);
    const auto inputs = random_inputs(network->model, 0);
    ASSERT_TRUE(inputs) << inputs.error().message;
    const auto engine = load_engine("fake");
    ASSERT_TRUE(engine) << engine.error().message;
    std::int64_t clock = 0;
    TimingOptions options;
    options.now_ns = [&] { return clock; };
    options.runs = 4;
    options.warmup = 1;
    options.session.optimization = STRATA_OPT_NONE;
    options.session.options = {fmt::format("clock={}", reinterpret_cast<std::uintptr_t>(&clock))};
    const ModelSource source{"", ModelBytes{bytes}};
    const auto timing = time_model(*engine, source, *inputs, options);
    ASSERT_TRUE(timing) << timing.error().message;
    const auto memory = trace_memory(*engine, source, *inputs, options.session);
    ASSERT_TRUE(memory) << memory.error().message;
    ProfileOptions profiling;
    profiling.rows.report = ReportKind::Tree;
    profiling.columns = "layer,calls,time,time_per_call,mem_alloc,mem_alloc_per_call";
    profiling.timing = &*timing;
    profiling.memory = &*memory;
    auto profile = make_profile(network->model, network->inference, profiling);
    ASSERT_TRUE(profile) << profile.error().message;
    rows_ = std::move(profile->rows);
  }

  // The rows of the next level below.
  static std::vector<const ProfileRow*> children(const ProfileRow& parent) {
    std::vector<const ProfileRow*> found;
    for (const ProfileRow* row = &parent + 1;
         row != rows_.data() + rows_.size() && row->depth > parent.depth; ++row)
      if (row->depth == parent.depth + 1) found.push_back(row);
    return found;
  }
  // Rows of this name inside a row of the other name; "": the network.
  static std::vector<const ProfileRow*> find(std::string_view name, std::string_view inside) {
    std::vector<const ProfileRow*> found;
    for (const ProfileRow& parent : rows_) {
      if (inside.empty() ? parent.depth != 0 : layer(parent) != inside) continue;
      for (const ProfileRow* row : children(parent))
        if (layer(*row) == name) found.push_back(row);
    }
    return found;
  }

  inline static std::vector<ProfileRow> rows_;
};

TEST_F(PublishedRun, EveryComponentHasARow) {
  std::set<std::string_view> known;
  for (const Component& component : kComponents) {
    known.insert(component.published);
    if (component.row.empty()) continue;
    const auto found = find(component.row, component.inside);
    ASSERT_EQ(found.size(), 1u) << component.published;
    const ProfileRow& row = *found[0];
    if (component.row != kBetween) {
      EXPECT_EQ(number(row, kCalls), component.calls) << component.published;
    }
    ASSERT_TRUE(number(row, kTime) && number(row, kTaken)) << component.published;
    EXPECT_GT(*number(row, kTime), 0) << component.published;
    EXPECT_GT(*number(row, kTaken), 0) << component.published;
  }
  std::ifstream table(STRATA_SOURCE_DIR "/tests/golden/fasterrcnn_time_memory.csv");
  std::string line;
  std::getline(table, line);
  std::size_t components = 0;
  for (; std::getline(table, line); ++components)
    EXPECT_TRUE(known.contains(line.substr(0, line.find(',')))) << line;
  EXPECT_EQ(components, std::size(kComponents));
}

// For a head that is called on five levels, the published numbers are averages.
TEST_F(PublishedRun, CallsHaveTheirAverage) {
  for (const Component& component : kComponents) {
    if (component.calls == 1) continue;
    const ProfileRow& row = *find(component.row, component.inside).at(0);
    EXPECT_DOUBLE_EQ(*number(row, kTimePerCall) * component.calls, *number(row, kTime));
    EXPECT_DOUBLE_EQ(*number(row, kTakenPerCall) * component.calls, *number(row, kTaken));
  }
}

// If there are many operations between modules, they are grouped by operator.
TEST_F(PublishedRun, OperationsBetweenModulesAreToldApart) {
  const auto kept = find(kBetween, "rpn");
  ASSERT_EQ(kept.size(), 1u);
  std::map<std::string, double> calls;
  for (const ProfileRow* row : children(*kept[0])) calls[layer(*row)] = *number(*row, kCalls);
  EXPECT_EQ(calls["TopK"], 5);
  EXPECT_EQ(calls["NonMaxSuppression"], 1);
}

TEST_F(PublishedRun, ChildrenAddUpToTheirParents) {
  std::size_t parents = 0;
  for (const ProfileRow& row : rows_) {
    const auto below = children(row);
    if (below.empty()) continue;
    ++parents;
    double seconds = 0, bytes = 0;
    for (const ProfileRow* child : below) {
      seconds += number(*child, kTime).value_or(0);
      bytes += number(*child, kTaken).value_or(0);
    }
    EXPECT_NEAR(seconds, number(row, kTime).value_or(0), 1e-9) << layer(row);
    EXPECT_EQ(bytes, number(row, kTaken).value_or(0)) << layer(row);
  }
  EXPECT_GT(parents, 40u);
}

}  // namespace
}  // namespace strata
