// The stages of a profile one by one, on torchvision's resnet50: 25,557,032 parameters and
// 4,089,184,256 MACs, as its documentation and fvcore say.
#include "strata/profile/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/measure/runs_in.h"
#include "strata/measure/timing.h"
#include "strata/profile/columns.h"
#include "strata/profile/rows.h"
#include "strata/read/read.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMacs = 4089184256, kParams = 25557032;

class Stages : public testing::Test {
 protected:
  void SetUp() override {
    auto read = read_model(STRATA_SOURCE_DIR "/tests/models/resnet50.onnx");
    ASSERT_TRUE(read) << read.error().message;
    model = std::move(*read);
    auto inferred = infer(model);
    ASSERT_TRUE(inferred) << inferred.error().message;
    inference = std::move(*inferred);
  }
  Analysis analysed(const AnalysisOptions& options = {}) {
    auto analysis = analyse(model, inference, options);
    EXPECT_TRUE(analysis) << analysis.error().message;
    return std::move(*analysis);
  }
  static std::int64_t total(const Profile& profile, std::string_view column) {
    for (std::size_t i = 0; i < profile.columns.size(); ++i)
      if (profile.columns[i].name == column)
        return std::get<Expr>(profile.totals.cells[i].value).number().value_or(-1);
    return -1;
  }

  Model model;
  Inference inference;
};

// Without its shapes the model cannot be counted again, so all tables come from the one count.
TEST_F(Stages, OneAnalysisServesEveryTable) {
  const Analysis analysis = analysed();
  for (Tensor& tensor : model.graph().tensors) tensor.type = TypeInfo::unranked(DType::F32);
  ASSERT_NE(count(model).total.macs.number(), kMacs);
  for (const ReportKind report : {ReportKind::Tape, ReportKind::Node, ReportKind::Leaves,
                                  ReportKind::Tree, ReportKind::Root, ReportKind::Type})
    for (const bool all : {false, true}) {
      ProfileView view;
      view.rows.report = report;
      view.all_columns = all;
      const auto profile = make_profile(analysis, view);
      ASSERT_TRUE(profile) << profile.error().message;
      EXPECT_EQ(total(*profile, "macs"), kMacs) << name_of(report);
      EXPECT_EQ(total(*profile, "params"), kParams) << name_of(report);
    }
}

// Many of the network's 53 norms are alike.
TEST_F(Stages, LayersThatAreAlikeShareTheirFigures) {
  Analysis analysis = analysed();
  const auto layer = [&](std::string_view path) -> Shared<Figures>& {
    for (std::size_t i = 0; i < analysis.layers.list.size(); ++i)
      if (layer_path(model, analysis.costs, analysis.layers.list[i]) == path)
        return analysis.by_layer[i];
    ADD_FAILURE() << path;
    return analysis.by_layer[0];
  };
  EXPECT_TRUE(is_same(layer("layer1.1.conv2"), layer("layer1.2.conv2")));
  EXPECT_FALSE(is_same(layer("layer1.1.conv2"), layer("layer2.1.conv2")));
  // A measurement belongs to one of them.
  layer("layer1.1.conv2").edit().seconds = 0.5;
  EXPECT_FALSE(layer("layer1.2.conv2")->seconds);
}

TEST_F(Stages, RowsHaveTypedNumbers) {
  const Analysis analysis = analysed();
  const Rows calls = make_rows(analysis);
  EXPECT_EQ(calls.totals.figures.macs.number(), static_cast<double>(kMacs));
  // 7·7·3·64 weights at 112·112 places.
  EXPECT_EQ(calls.list[0].layer, "conv1");
  EXPECT_EQ(calls.list[0].figures.macs.number(), 7.0 * 7 * 3 * 64 * 112 * 112);
  EXPECT_EQ(calls.list[0].kind, LayerKind::Conv);
  EXPECT_FALSE(calls.has_repeated_calls());
  EXPECT_TRUE(make_rows(analysis, {.report = ReportKind::Leaves}).has_repeated_calls());
}

// 53 convolutions, 53 norms, 49 calls of 17 ReLUs, a max pool, an average pool and a classifier.
TEST_F(Stages, RowsCanBeChosen) {
  const Analysis analysis = analysed();
  EXPECT_EQ(make_rows(analysis, {.only = RowChoice::Modules}).list.size(), 158u);
  EXPECT_EQ(make_rows(analysis, {.only = RowChoice::ModulesOnce}).list.size(), 126u);
  EXPECT_EQ(make_rows(analysis, {.only = RowChoice::Activations}).list.size(), 49u);
}

TEST_F(Stages, ColumnsOfOnesOwn) {
  const Analysis analysis = analysed();
  const Rows rows = make_rows(analysis, {.report = ReportKind::Root});
  const ColumnRule megabytes = {
      "weights_mb", "MB", Unit::Number, false, 0, true, "megabytes of weights", [](const Row& row) {
        const auto bytes = row.figures.param_bytes.value();
        return Cell{static_cast<double>(bytes) / 1e6, Certainty::Exact};
      }};
  const ChosenColumn columns[] = {{&megabytes}};
  const Profile profile = make_profile(analysis, rows, columns);
  ASSERT_EQ(profile.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(std::get<double>(profile.rows[0].cells[0].value), 4e-6 * kParams);
}

TEST_F(Stages, AnAnalysisSaysWhatItHas) {
  const Needs counted = Needs::counted() | Need::Energy | Need::LoadWork;
  EXPECT_EQ(analysed().has, counted);
  EXPECT_EQ(analysed({.device_memory = "arena"}).has, counted | Need::Alive);
  EXPECT_EQ(analysed({.in_depth = true}).has, counted | Need::Alive | Need::Formulas);
  EXPECT_EQ(analysed({.convention = "thop", .in_depth = true}).has.has(Need::Formulas), false);
  EXPECT_EQ(analysed({.device_memory = "pytorch-cuda"}).has, counted | Need::CudaMemory);
  // thop counts multiply-accumulates and nothing else.
  EXPECT_EQ(analysed({.convention = "thop"}).has, Need::Macs | Need::Energy | Need::LoadWork);
}

TEST_F(Stages, WhatNoColumnNeedsIsNotCounted) {
  const auto columns = choose_columns("layer,macs,mem", false, Needs::all());
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_EQ(needs_of(*columns), Need::Macs | Need::ReadBytes | Need::WriteBytes);
  const Analysis analysis = analysed({.needs = needs_of(*columns)});
  EXPECT_FALSE(analysis.has.has(Need::Energy));
  EXPECT_TRUE(make_profile(analysis, ProfileView{.columns = "layer,macs,mem"}));
  const auto energy = make_profile(analysis, ProfileView{.columns = "layer,energy"});
  ASSERT_FALSE(energy);
  EXPECT_THAT(energy.error().message, HasSubstr("column \"energy\" needs"));
}

TEST_F(Stages, AViewSaysWhatItsColumnsAndItsOrderNeed) {
  EXPECT_FALSE(needs_of(ProfileView{}).has(Need::Energy));
  EXPECT_TRUE(needs_of(ProfileView{.columns = "+energy"}).has(Need::Energy));
  EXPECT_TRUE(needs_of(ProfileView{.columns = "layer,energy%"}).has(Need::Energy));
  EXPECT_TRUE(needs_of(ProfileView{.sort = "-energy"}).has(Need::Energy));
  EXPECT_TRUE(needs_of(ProfileView{.all_columns = true}).has(Need::Energy));
  EXPECT_TRUE(needs_of(ProfileView{.layout = "rasp"}).has(Need::Energy));
  EXPECT_EQ(needs_of(ProfileView{.columns = "layer,nonsense"}), Needs::all());
}

TEST_F(Stages, TheHashIsThereUnlessNobodyNeedsIt) {
  EXPECT_EQ(analysed().facts.graph_hash.size(), 16u);
  EXPECT_EQ(analysed({.needs = Needs(Need::Macs)}).facts.graph_hash, "");
}

TEST_F(Stages, AnEnergyModelThatDoesNotExistIsAnErrorEvenIfNoColumnNeedsIt) {
  const auto analysis = analyse(model, inference, {.energy_model = "steam", .needs = {}});
  ASSERT_FALSE(analysis);
  EXPECT_THAT(analysis.error().message, HasSubstr("steam"));
}

// A convention without FLOPs: the column is left out, but whoever asks for it by name gets it
// empty.
TEST_F(Stages, AColumnThatTheConventionLacksIsLeftOutUnlessAskedFor) {
  const Analysis analysis = analysed({.convention = "thop"});
  const auto usual = make_profile(analysis, ProfileView{});
  ASSERT_TRUE(usual) << usual.error().message;
  for (const Column& column : usual->columns) EXPECT_NE(column.name, "flops");
  const auto asked = make_profile(analysis, ProfileView{.columns = "layer,flops"});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_TRUE(asked->rows[0].cells[1].is_unknown());
}

TEST_F(Stages, ALayoutNeedsItsOwnCount) {
  const Analysis ours = analysed();
  const auto table = make_profile(ours, ProfileView{.layout = "rasp"});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message,
            "the layout \"rasp\" counts as rasp, and the model was counted as strata");
  ProfileOptions options;
  options.layout = "rasp";
  const auto theirs = analyse_for(model, inference, options);
  ASSERT_TRUE(theirs) << theirs.error().message;
  EXPECT_TRUE(make_profile(*theirs, options));
}

// Every node has a kernel of 1 µs.
Timing even_timing(const Model& model) {
  Timing timing;
  for (const std::string& key : node_keys(model)) {
    Kernel kernel;
    kernel.name = key;
    kernel.sources = {key};
    timing.kernels.push_back({kernel, {1e-6}});
  }
  timing.runs = timing.recorded = {1e-6 * static_cast<double>(timing.kernels.size())};
  return timing;
}

TEST_F(Stages, WhatIsAttachedIsReplacedNotAdded) {
  Analysis analysis = analysed();
  {
    const Timing timing = even_timing(model);
    attach(analysis, {.timing = &timing});
    attach(analysis, {.timing = &timing});
  }  // the analysis has its own copy
  EXPECT_TRUE(analysis.has.has(Need::Time | Need::Kernels));
  const Rows rows = make_rows(analysis);
  EXPECT_EQ(rows.list[0].layer, "conv1");
  EXPECT_DOUBLE_EQ(rows.list[0].figures.seconds.value_or(0), 1e-6);
  EXPECT_DOUBLE_EQ(rows.totals.figures.seconds.value_or(0),
                   1e-6 * static_cast<double>(model.graph().nodes.size()));
  attach(analysis, {});
  EXPECT_FALSE(analysis.has.has(Need::Time));
  EXPECT_FALSE(make_rows(analysis).list[0].figures.seconds);
  EXPECT_FALSE(make_profile(analysis, ProfileView{.columns = "layer,time"}));
}

// Layers without a measurement are counted as before.
TEST_F(Stages, AttachingTimesChangesNoCount) {
  Analysis analysis = analysed();
  const Timing timing = even_timing(model);
  attach(analysis, {.timing = &timing});
  EXPECT_EQ(make_rows(analysis).totals.figures.macs.number(), static_cast<double>(kMacs));
}

// More than a hundred nodes with names of 1 MiB would be out of proportion to a file of nothing.
TEST_F(Stages, LongNamesOfNodesAreShortened) {
  const std::string name(std::size_t{1} << 20, 'n');
  NodeList& nodes = model.graph().nodes;
  for (NodeId i = 0; i < nodes.size(); ++i) nodes.change(i, [&](Node& node) { node.name = name; });
  model.file_bytes = 0;
  ProfileView view;
  view.rows = {.report = ReportKind::Node, .all = true};
  view.columns = "layer";
  EXPECT_TRUE(make_profile(analysed(), view));
  for (const Row& row : make_rows(analysed(), view.rows).list)
    EXPECT_EQ(row.layer, "…" + name.substr(0, 1000));
}

}  // namespace
}  // namespace strata
