#include "strata/profile/profile.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/measure/memory.h"
#include "strata/measure/runs_in.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

// Every node has a kernel of 1 µs, and 10 µs are outside of them.
Timing even_timing(const Model& model) {
  Timing timing;
  for (const std::string& key : node_keys(model)) {
    Kernel kernel;
    kernel.name = key;
    kernel.sources = {key};
    timing.kernels.push_back({kernel, {1e-6}});
  }
  timing.runs = {1e-6 * static_cast<double>(timing.kernels.size() + 10)};
  timing.recorded = timing.runs;
  return timing;
}

Profile profiled(const build::Network& network, const Timing& timing, ProfileOptions options) {
  options.timing = &timing;
  auto profile = make_profile(network.model, network.inference, options);
  EXPECT_TRUE(profile) << profile.error().message;
  return std::move(*profile);
}

std::vector<std::string> column_names_of(const Profile& profile) {
  std::vector<std::string> names;
  for (const Column& column : profile.columns) names.push_back(column.name);
  return names;
}

const Cell& cell(const Profile& profile, std::string_view layer, std::string_view column) {
  static const Cell kNone;
  std::size_t at = 0;
  while (at < profile.columns.size() && profile.columns[at].name != column) ++at;
  EXPECT_LT(at, profile.columns.size()) << column;
  for (const ProfileRow& row : profile.rows)
    if (std::get<std::string>(row.cells[0].value) == layer) return row.cells[at];
  ADD_FAILURE() << "no row " << layer;
  return kNone;
}

// Both blocks of a stage call their ReLU twice.
TEST(Measured, CallsAreAveragedWhereRowsStandForSeveral) {
  const auto network = zoo::build("resnet18?resolution=32");
  ASSERT_TRUE(network) << network.error().message;
  const Timing timing = even_timing(network->model);
  ProfileOptions options;
  EXPECT_THAT(column_names_of(profiled(*network, timing, options)),
              AllOf(Contains("time"), Not(Contains("time_per_call")), Not(Contains("calls"))));
  options.rows.report = ReportKind::Tree;
  const Profile tree = profiled(*network, timing, options);
  EXPECT_THAT(column_names_of(tree), AllOf(Contains("time_per_call"), Contains("calls")));
  EXPECT_DOUBLE_EQ(std::get<double>(cell(tree, "layer1.0.relu", "time").value), 2e-6);
  EXPECT_DOUBLE_EQ(std::get<double>(cell(tree, "layer1.0.relu", "time_per_call").value), 1e-6);
  EXPECT_TRUE(cell(tree, "outside layers", "time_per_call").is_unknown());
  options.columns = "-calls,-time_per_call";
  EXPECT_THAT(column_names_of(profiled(*network, timing, options)),
              AllOf(Contains("time"), Not(Contains("time_per_call")), Not(Contains("calls"))));
}

// Kernels that take longer while they are recorded than the run that is not: said, not hidden.
TEST(Measured, TimeOutsideOfLayersBelowZeroHasANote) {
  const auto network = zoo::build("resnet18?resolution=32");
  ASSERT_TRUE(network) << network.error().message;
  Timing timing = even_timing(network->model);
  const auto about_outside = Contains(testing::StartsWith("the time outside of layers is below"));
  const Profile above = profiled(*network, timing, {});
  EXPECT_THAT(above.notes, Not(about_outside));
  // Rows add up to the whole; so what is outside tells what is inside.
  const double outside = std::get<double>(cell(above, "outside layers", "time").value);
  EXPECT_GE(outside, 9.9e-6);
  const double layers = timing.runs[0] - outside;
  timing.runs = timing.recorded = {layers / 1.25};
  const Profile below = profiled(*network, timing, {});
  EXPECT_NEAR(std::get<double>(cell(below, "outside layers", "time").value), -layers / 5, 1e-12);
  EXPECT_THAT(below.notes, about_outside);
  EXPECT_THAT(below.notes, Contains(testing::HasSubstr("add up to 25.0 % more than a run")));
}

// Ended before any kernel was recorded: only the whole is known.
TEST(Measured, WithoutRecordedRunsNothingIsSaidOfLayers) {
  const auto network = zoo::build("resnet18?resolution=32");
  ASSERT_TRUE(network) << network.error().message;
  Timing timing = even_timing(network->model);
  timing.kernels.clear();
  timing.recorded.clear();
  const Profile profile = profiled(*network, timing, {});
  EXPECT_THAT(profile.timing->unassigned, IsEmpty());
  EXPECT_TRUE(cell(profile, "conv1", "time").is_unknown());
  for (const ProfileRow& row : profile.rows)
    EXPECT_NE(std::get<std::string>(row.cells[0].value), "outside layers");
  EXPECT_EQ(profile.timing->median, timing.runs[0]);
}

// A change of layout between two layers, which no layer asked for.
TEST(Measured, WhatNoLayerAskedForHasRowsThatAddUp) {
  const auto network = zoo::build("resnet18?resolution=32");
  ASSERT_TRUE(network) << network.error().message;
  Timing timing = even_timing(network->model);
  Kernel reorder;
  reorder.name = "reorder_3";
  reorder.op = "Reorder";
  timing.kernels.push_back({reorder, {3e-6}});
  MemoryTrace memory;
  for (const KernelTimes& times : timing.kernels)
    memory.kernels.push_back({times.kernel, 1000, 100, 500, 600});
  const auto kernels = static_cast<std::int64_t>(memory.kernels.size());
  for (const bool timed : {false, true})
    for (const char* report : {"tape", "tree", "type"}) {
      ProfileOptions options;
      options.rows.report = *report_kind_from_name(report);
      options.rows.all = true;
      options.columns = "layer,mem_alloc,mem_scratch";
      options.memory = &memory;
      if (timed) options.timing = &timing;
      const auto profile = make_profile(network->model, network->inference, options);
      ASSERT_TRUE(profile) << profile.error().message;
      const bool tree = options.rows.report == ReportKind::Tree;
      std::int64_t sum = 0;
      for (const ProfileRow& row : profile->rows)
        if (const auto* bytes = std::get_if<Expr>(&row.cells[1].value);
            bytes != nullptr && (!tree || row.depth == 1))
          sum += bytes->value();
      EXPECT_EQ(sum, 1000 * kernels) << report;
      EXPECT_EQ(std::get<Expr>(profile->totals.cells[1].value), Expr(1000 * kernels));
      EXPECT_EQ(std::get<Expr>(profile->totals.cells[2].value), Expr(100 * kernels));
    }
}

// A kernel that does a sum, the activation behind it and the rounding of both counts at the sum,
// whatever it lists first; the activation's row says whose kernel it is in.
TEST(Measured, ConversionsAndFollowersAreNotTheMainWork) {
  build::Builder net("Net");
  const build::Var x = net.input("x", {1, 8, 4, 4});
  const build::Var sum = net.add(x, net.conv("conv", x, 8));
  net.output("y", net.relu(sum));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  std::map<std::string_view, std::string> key_of;
  const std::vector<std::string> keys = node_keys(network->model);
  for (std::size_t i = 0; i < keys.size(); ++i)
    key_of[network->model.graph().nodes[i].op] = keys[i];
  KernelPlan plan;
  plan.kernels.resize(2);
  plan.kernels[0].name = "first";
  plan.kernels[0].sources = {key_of["Conv"]};
  plan.kernels[0].dtype = DType::F32;
  plan.kernels[1].name = "second";
  plan.kernels[1].sources = {key_of["Relu"], key_of["Add"]};
  plan.kernels[1].dtype = DType::U8;
  ProfileOptions options;
  options.plan = &plan;
  options.columns = "layer,in_kernel_of,runs_in";
  auto profile = make_profile(network->model, network->inference, options);
  ASSERT_TRUE(profile) << profile.error().message;
  const auto text = [&](std::string_view layer, std::string_view column) {
    return std::get<std::string>(cell(*profile, layer, column).value);
  };
  EXPECT_EQ(text("conv", "runs_in"), "fp32");
  EXPECT_EQ(text("Add", "in_kernel_of"), "");
  EXPECT_EQ(text("Add", "runs_in"), "int8");
  EXPECT_EQ(text("Relu", "in_kernel_of"), "Add");
  EXPECT_EQ(text("Relu", "runs_in"), "int8");
  options.rows.report = ReportKind::Root;
  profile = make_profile(network->model, network->inference, options);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(std::get<std::string>(profile->rows[0].cells[2].value), "int8+fp32");
}

}  // namespace
}  // namespace strata
