// Rows and totals of a real network: torchvision's resnet50, batch norm kept.
#include "strata/profile/profile.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "strata/build/builder.h"
#include "strata/profile/analysis.h"
#include "strata/profile/rows.h"
#include "strata/read/read.h"

namespace strata {
namespace {

class ProfileOfResNet50 : public testing::Test {
 protected:
  static Profile make(const ProfileOptions& options) {
    auto model = read_model(STRATA_SOURCE_DIR "/tests/models/resnet50.onnx");
    EXPECT_TRUE(model) << model.error().message;
    auto inference = infer(*model);
    EXPECT_TRUE(inference) << inference.error().message;
    auto profile = make_profile(*model, *inference, options);
    EXPECT_TRUE(profile) << profile.error().message;
    return std::move(*profile);
  }
  static Profile make(ReportKind kind, const std::string& columns = "") {
    ProfileOptions options;
    options.rows.report = kind;
    options.columns = columns;
    return make(options);
  }
  static std::int64_t number(const Cell& cell) { return std::get<Expr>(cell.value).value(); }
  static std::string text(const Cell& cell) { return std::get<std::string>(cell.value); }
};

// The published counts of torchvision's own documentation and of fvcore's kind of
// MACs: 25,557,032 parameters, 4,089,184,256 MACs.
TEST_F(ProfileOfResNet50, EveryReportHasTheSameTotals) {
  for (ReportKind kind : {ReportKind::Tape, ReportKind::Node, ReportKind::Leaves, ReportKind::Tree,
                          ReportKind::Root, ReportKind::Type, ReportKind::None}) {
    const Profile profile = make(kind, "layer,params,macs");
    EXPECT_EQ(number(profile.totals.cells[1]), 25557032) << name_of(kind);
    EXPECT_EQ(number(profile.totals.cells[2]), 4089184256) << name_of(kind);
  }
}

TEST_F(ProfileOfResNet50, TotalsAreSumsOfRows) {
  for (ReportKind kind :
       {ReportKind::Tape, ReportKind::Node, ReportKind::Leaves, ReportKind::Type}) {
    ProfileOptions options;
    options.rows.report = kind;
    options.rows.all = true;
    options.columns = "layer,params,macs,flops,read,write";
    const Profile profile = make(options);
    for (std::size_t c = 1; c < profile.columns.size(); ++c) {
      std::int64_t sum = 0;
      for (const ProfileRow& row : profile.rows) sum += number(row.cells[c]);
      EXPECT_EQ(sum, number(profile.totals.cells[c]))
          << name_of(kind) << " " << profile.columns[c].name;
    }
  }
}

TEST_F(ProfileOfResNet50, ChildrenOfTheTreeAddUpToTheirParents) {
  const Profile profile = make(ReportKind::Tree, "layer,macs,params,flops");
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    std::map<std::size_t, std::int64_t> sums;
    bool has_children = false;
    for (std::size_t j = i + 1;
         j < profile.rows.size() && profile.rows[j].depth > profile.rows[i].depth; ++j) {
      if (profile.rows[j].depth != profile.rows[i].depth + 1) continue;
      has_children = true;
      for (std::size_t c = 1; c < 4; ++c) sums[c] += number(profile.rows[j].cells[c]);
    }
    if (!has_children) continue;
    for (std::size_t c = 1; c < 4; ++c)
      EXPECT_EQ(sums[c], number(profile.rows[i].cells[c])) << text(profile.rows[i].cells[0]);
  }
}

TEST_F(ProfileOfResNet50, ModuleCalledThreeTimesIsThreeCallsAndOneLeaf) {
  const auto count = [&](const Profile& profile) {
    return std::count_if(profile.rows.begin(), profile.rows.end(), [](const ProfileRow& row) {
      return text(row.cells[0]) == "layer1.0.relu";
    });
  };
  EXPECT_EQ(count(make(ReportKind::Tape, "layer")), 3);
  EXPECT_EQ(count(make(ReportKind::Leaves, "layer")), 1);
}

// 53 convolutions each followed by a norm; 33 of those by a ReLU alone.
TEST_F(ProfileOfResNet50, FuseGathersConvolutionNormAndActivation) {
  ProfileOptions options;
  options.rows.fuse = true;
  options.columns = "layer,type,macs,write";
  const Profile profile = make(options);
  std::map<std::string, int> types;
  for (const ProfileRow& row : profile.rows) ++types[text(row.cells[1])];
  EXPECT_EQ(types["Conv2d+BatchNorm2d+ReLU"], 33);
  EXPECT_EQ(types["Conv2d+BatchNorm2d"], 20);
  EXPECT_EQ(types["Conv2d"], 0);
  // Stem: writes 1×64×112×112 floats once.
  EXPECT_EQ(number(profile.rows[0].cells[3]), 64 * 112 * 112 * 4);
}

TEST_F(ProfileOfResNet50, SortsByAColumn) {
  ProfileOptions options;
  options.sort = "macs";
  options.columns = "layer,macs";
  const Profile profile = make(options);
  for (std::size_t i = 1; i < profile.rows.size(); ++i)
    EXPECT_GE(number(profile.rows[i - 1].cells[1]), number(profile.rows[i].cells[1]));
}

TEST_F(ProfileOfResNet50, ArenaHoldsThePeak) {
  ProfileOptions options;
  options.arena = true;
  const Profile profile = make(options);
  ASSERT_TRUE(profile.arena);
  EXPECT_GE(profile.arena->bytes, profile.arena->bound);
  EXPECT_GE(profile.arena->bound, profile.memory.peak_bytes.value());
  EXPECT_LE(profile.arena->bytes, profile.arena->bound * 11 / 10);
}

TEST_F(ProfileOfResNet50, JsonHoldsEveryRow) {
  const Profile profile = make(ReportKind::Tape);
  const auto json = nlohmann::json::parse(profile_to_json(profile));
  EXPECT_EQ(json["schema"], Profile::kSchema);
  const auto& layers = json["tables"]["layers"];
  EXPECT_EQ(layers["rows"].size(), profile.rows.size());
  EXPECT_EQ(layers["totals"]["macs"], 4089184256);
  EXPECT_EQ(layers["rows"][0]["layer"], "conv1");
  EXPECT_EQ(layers["rows"][0]["macs"], 118013952);
  EXPECT_EQ(layers["rows"][0]["output"], nlohmann::json::parse("[[1, 64, 112, 112]]"));
  EXPECT_EQ(json["facts"]["model"]["graph_hash"].get<std::string>().size(), 16u);
}

TEST_F(ProfileOfResNet50, SaysWhatTheReaderHadToAssume) {
  auto model = read_model(STRATA_SOURCE_DIR "/tests/models/resnet50.onnx");
  model->notes.push_back("weights.bin is missing");
  auto inference = infer(*model);
  const auto profile = make_profile(*model, *inference, {});
  ASSERT_TRUE(profile);
  ASSERT_FALSE(profile->notes.empty());
  EXPECT_EQ(profile->notes.back(), "weights.bin is missing");
}

TEST_F(ProfileOfResNet50, UnknownColumnListsThoseThereAre) {
  auto model = read_model(STRATA_SOURCE_DIR "/tests/models/resnet50.onnx");
  auto inference = infer(*model);
  ProfileOptions options;
  options.columns = "layer,mcas";
  const auto profile = make_profile(*model, *inference, options);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().kind, ErrorKind::Usage);
  EXPECT_NE(profile.error().message.find("there is no column \"mcas\""), std::string::npos);
}

// A hundred kilobytes, as the name of every one of 2,000 layers, would be 200 megabytes in each
// column.
TEST(LongNames, AreShortened) {
  build::Builder net("Net");
  build::Var x = net.input("x", {1, 4});
  const std::string name(20'000, 'x');
  {
    const auto outer = net.module(name, "Sequential");
    for (int i = 0; i < 300; ++i) x = net.relu(std::to_string(i), x);
  }
  net.output("y", x);
  const auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  const auto profile = make_profile(network->model, network->inference, {});
  ASSERT_TRUE(profile) << profile.error().message;
  const Rows rows = make_rows(*analyse(network->model, network->inference));
  ASSERT_EQ(rows.list.size(), 300u);
  for (std::size_t i = 0; i < rows.list.size(); ++i) {
    EXPECT_LE(rows.list[i].layer.size(), 1003u);
    EXPECT_THAT(rows.list[i].layer, testing::EndsWith("x." + std::to_string(i)));
  }
}

}  // namespace
}  // namespace strata
