#include "strata/profile/profile.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/machine/roofline.h"
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
  const auto about_outside = Contains(testing::StartsWith("the time outside layers is negative"));
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

// One kernel does a convolution and the ReLU behind it; the engine removed the sum.
TEST(Measured, LayersWithoutATimeSayWhy) {
  build::Builder net("Net");
  const build::Var x = net.input("x", {1, 8, 4, 4});
  net.output("y", net.add(x, net.relu(net.conv("conv", x, 8))));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  Timing timing = even_timing(network->model);
  ASSERT_EQ(timing.kernels.size(), 3);
  timing.kernels[0].kernel.sources.push_back(timing.kernels[1].kernel.sources[0]);
  timing.absent = {{timing.kernels[2].kernel.sources[0], "folded into a constant"}};
  timing.kernels.resize(1);
  for (const ReportKind report : {ReportKind::Tape, ReportKind::Node}) {
    ProfileOptions options;
    options.rows.report = report;
    options.columns = "layer,type,time,time%,flops_per_s";
    const Profile profile = profiled(*network, timing, options);
    std::map<std::string, const ProfileRow*> by_type;
    for (const ProfileRow& row : profile.rows)
      by_type[std::get<std::string>(row.cells[1].value).substr(0, 4)] = &row;
    for (const std::size_t column : {2, 3, 4}) {
      const Cell& fused = by_type.at("Relu")->cells[column];
      EXPECT_TRUE(fused.is_unknown());
      EXPECT_EQ(fused.meaning, Meaning::Elsewhere);
    }
    EXPECT_FALSE(by_type.at("Conv")->cells[2].is_unknown());
    if (report == ReportKind::Tape) {
      EXPECT_EQ(by_type.at("Add")->cells[2].meaning, Meaning::Nowhere);
    }
  }
}

// ResNet's first norm runs in the kernel of its first convolution, in the tree of modules as well.
TEST(Measured, ModulesWithoutATimeSayWhy) {
  const auto network = zoo::build("resnet18?resolution=32");
  ASSERT_TRUE(network) << network.error().message;
  Timing timing = even_timing(network->model);
  timing.kernels[0].kernel.sources.push_back(timing.kernels[1].kernel.sources[0]);
  timing.kernels.erase(timing.kernels.begin() + 1);
  ProfileOptions options;
  options.rows.report = ReportKind::Tree;
  options.columns = "layer,time,in_kernel_of";
  const Profile profile = profiled(*network, timing, options);
  EXPECT_TRUE(cell(profile, "bn1", "time").is_unknown());
  EXPECT_EQ(cell(profile, "bn1", "time").meaning, Meaning::Elsewhere);
  EXPECT_EQ(std::get<std::string>(cell(profile, "bn1", "in_kernel_of").value), "conv1");
  EXPECT_EQ(std::get<std::string>(cell(profile, "layer1", "in_kernel_of").value), "");
}

// Kernels are listed as they ran: a change of layout before the first convolution, two before the
// classifier, and one behind the last kernel of all.
TEST(Measured, WhatNoLayerAskedForStandsWhereItRan) {
  const auto network = zoo::build("resnet18?resolution=32");
  ASSERT_TRUE(network) << network.error().message;
  Timing timing = even_timing(network->model);
  const auto insert = [&](std::size_t at, const char* name) {
    Kernel kernel;
    kernel.name = name;
    kernel.op = "Reorder";
    timing.kernels.insert(timing.kernels.begin() + static_cast<std::ptrdiff_t>(at),
                          {kernel, {3e-6}});
  };
  insert(timing.kernels.size(), "last");
  insert(timing.kernels.size() - 2, "to_rows");
  insert(timing.kernels.size() - 2, "to_rows_2");
  insert(0, "to_blocks");
  MemoryTrace memory;
  for (const KernelTimes& times : timing.kernels)
    memory.kernels.push_back({times.kernel, 1000, 100, 500, 600});
  for (const char* report : {"tape", "node", "leaves"})
    for (const bool timed : {true, false}) {
      ProfileOptions options;
      options.rows.report = *report_kind_from_name(report);
      options.rows.all = true;
      options.columns = timed ? "layer,type,time" : "layer,type,mem_alloc";
      if (timed) options.timing = &timing;
      if (!timed) options.memory = &memory;
      const auto profile = make_profile(network->model, network->inference, options);
      ASSERT_TRUE(profile) << profile.error().message;
      std::vector<std::string> names;
      for (const ProfileRow& row : profile->rows)
        names.push_back(std::get<std::string>(row.cells[0].value));
      ASSERT_GT(names.size(), 8u);
      EXPECT_EQ(names[0], "to_blocks") << report;
      const std::size_t end = names.size() - (timed ? 1 : 0);  // a row for what is outside layers
      EXPECT_EQ(names[end - 1], "last") << report;
      EXPECT_THAT(names[end - 2], testing::HasSubstr("fc")) << report;
      EXPECT_EQ(names[end - 3], "to_rows_2") << report;
      EXPECT_EQ(names[end - 4], "to_rows") << report;
    }
}

// fc reads 512 activations and 513,000 weights and writes 1000 numbers: 2,058,048 bytes in 1 µs,
// and 1,025,000 FLOPs, which are fewer: memory is the nearer limit.
TEST(Measured, FarBelowTheRoofNeitherLimitIsMet) {
  const auto network = zoo::build("resnet18?resolution=32");
  ASSERT_TRUE(network) << network.error().message;
  const Timing timing = even_timing(network->model);
  const auto with = [&](double bytes_per_second) {
    Roofline roofline;
    roofline.fp32_flops = 1e15;
    roofline.bytes_per_second = bytes_per_second;
    ProfileOptions options;
    options.columns = "layer,bound,of_roof";
    options.roofline = &roofline;
    return profiled(*network, timing, options);
  };
  const Profile near = with(2.058048e13), far = with(2.058048e13 * 2);
  EXPECT_NEAR(std::get<double>(cell(near, "fc", "of_roof").value), 10, 1e-6);
  EXPECT_NEAR(std::get<double>(cell(far, "fc", "of_roof").value), 5, 1e-6);
  EXPECT_EQ(std::get<std::string>(cell(with(2e13), "fc", "bound").value), "memory");
  EXPECT_EQ(std::get<std::string>(cell(far, "fc", "bound").value), "neither");
  EXPECT_THAT(far.notes, Contains(testing::HasSubstr("of the roof it is probably overhead")));
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
