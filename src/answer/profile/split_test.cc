#include "strata/profile/split.h"

#include <gtest/gtest.h>

#include "cost/test_counted.h"

namespace strata {
namespace {

// 2·4·100·10 = 8,000 FLOPs, then 2·4·10·1000 = 80,000; the middle is narrow.
constexpr std::string_view kNarrow = R"(
    input x f32[4,100]
    weight a f32[100,10]
    weight b f32[10,1000]
    weight flat i64[1]={-1}
    narrow = MatMul(x, a) name="first"
    same = Reshape(narrow, flat)
    back = Reshape(same, shape)
    weight shape i64[2]={4,10}
    wide = MatMul(back, b) name="second"
    output wide)";

// Rows of layer, call and seconds.
Profile profile_of(const std::vector<std::tuple<std::string, int, double>>& rows) {
  Profile profile;
  profile.columns = {{"layer", "Layer", Unit::Text, false, 0},
                     {"call", "Call", Unit::Count, false, 0},
                     {"time", "Time", Unit::Seconds, true, 0}};
  for (const auto& [layer, call, seconds] : rows)
    profile.rows.push_back({{{layer}, {Expr(call + 1)}, {seconds}}, 0});
  return profile;
}

TEST(LayerTimes, AreWorkBySpeed) {
  const test::Counted net = test::counted(kNarrow);
  const auto times = times_from_speed(net.model, net.costs, net.layers, {1000, std::nullopt});
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(times->seconds, (std::vector<double>{8, 0, 0, 80}));
  EXPECT_TRUE(times->notes.empty());
}

TEST(LayerTimes, AreTheLongerOfWorkAndMemory) {
  const test::Counted net = test::counted(kNarrow);
  const auto times = times_from_speed(net.model, net.costs, net.layers, {1000, 100.0});
  ASSERT_TRUE(times) << times.error().message;
  // Bytes: (400 + 1000 + 40)·4 = 5760, and (40 + 10000 + 4000)·4 = 56160.
  EXPECT_EQ(times->seconds, (std::vector<double>{57.6, 0, 0, 561.6}));
}

TEST(LayerTimes, OpenSizesAreAskedFor) {
  const test::Counted net = test::counted("input x f32[N,M]\ny = Relu(x)\noutput y");
  const auto times = times_from_speed(net.model, net.costs, net.layers, {1000, std::nullopt});
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().message, "the work of its layers depends on sizes that are open: M, N");
  EXPECT_EQ(times.error().code, Code::OpenWork);
}

TEST(LayerTimes, ComeFromAProfileByPathAndCall) {
  const test::Counted net = test::counted(kNarrow);
  const auto times = times_from_profile(net.model, net.costs, net.layers,
                                        profile_of({{"second", 0, 0.5}, {"first", 0, 0.25}}), "p");
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(times->seconds, (std::vector<double>{0.25, 0, 0, 0.5}));
}

// A measurement with fused kernels: `second` runs in the kernel of `first`, and an engine's own
// change of layout is a row that no layer of the model stands behind.
TEST(LayerTimes, OfFusedLayersAreWithTheKernelsOwner) {
  const test::Counted net = test::counted(kNarrow);
  Profile profile = profile_of({{"first", 0, 0.25}});
  profile.columns.push_back({"calls", "Calls", Unit::Count, false, 0});
  profile.columns.push_back({"in_kernel_of", "In kernel of", Unit::Text, false, 0});
  profile.rows[0].cells.insert(profile.rows[0].cells.end(), {{Expr(1)}, {std::string()}});
  profile.rows.push_back(
      {{{std::string("second")}, {Expr(1)}, {}, {Expr(1)}, {std::string("first")}}, 0});
  profile.rows.push_back(
      {{{std::string("ReorderOutput")}, {Expr(0)}, {0.5}, {Expr(0)}, {std::string()}}, 0});
  const auto times = times_from_profile(net.model, net.costs, net.layers, profile, "p");
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(times->seconds, (std::vector<double>{0.25, 0, 0, 0}));
}

TEST(LayerTimes, OfAnotherNetworkAreRefused) {
  const test::Counted net = test::counted(kNarrow);
  const auto times = times_from_profile(
      net.model, net.costs, net.layers,
      profile_of({{"first", 0, 1}, {"a", 0, 1}, {"b", 0, 1}, {"c", 1, 1}, {"d", 0, 1}}), "p.json");
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().message,
            "profile p.json is of another network: 1 layer of the model is not in it (second), and "
            "4 of its rows are not in the model (a, b, c#2 and 1 more)");
}

TEST(LayerTimes, NeedAMeasuredProfile) {
  const test::Counted net = test::counted(kNarrow);
  Profile profile = profile_of({{"first", 0, 1}, {"second", 0, 1}});
  profile.columns[2].name = "macs";
  const auto without = times_from_profile(net.model, net.costs, net.layers, profile, "p.json");
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().message, "profile p.json has no times");
  EXPECT_EQ(without.error().code, Code::NoTimes);
  profile.columns[2].name = "time";
  profile.report = ReportKind::Tree;
  EXPECT_FALSE(times_from_profile(net.model, net.costs, net.layers, profile, "p.json"));
  profile.report = ReportKind::Tape;
  for (const Cell& cell : {Cell{-1.0}, Cell{}, Cell{1e300}, Cell{std::string("soon")}}) {
    profile.rows[1].cells[2] = cell;
    const auto wrong = times_from_profile(net.model, net.costs, net.layers, profile, "p.json");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message, "profile p.json: second has no time that can be used");
  }
}

TEST(MachineSpeed, IsWorkAndPerhapsMemory) {
  const auto plain = parse_machine_speed("50GFLOP/s");
  ASSERT_TRUE(plain);
  EXPECT_DOUBLE_EQ(plain->flops_per_second, 50e9);
  EXPECT_FALSE(plain->bytes_per_second);
  const auto both = parse_machine_speed("2TFLOP/s,20GB/s");
  ASSERT_TRUE(both);
  EXPECT_DOUBLE_EQ(both->bytes_per_second.value(), 20e9);
  for (const char* text : {"", "50", "50GB/s", "50GFLOP/s,", "50GFLOP/s,3", "50GFLOP/s,1GB/s,2"})
    EXPECT_FALSE(parse_machine_speed(text)) << text;
}

struct Tried {
  test::Counted net;
  Split split;
  std::string best;
};

Tried try_split(double link, double round_trip, Precision precision, bool returns) {
  test::Counted net = test::counted(kNarrow);
  const LayerTimes edge{{0.001, 0, 0, 0.1}, {}}, server{{0.0001, 0, 0, 0.001}, {}};
  auto split = find_split(net.model, net.costs, net.layers, edge, server,
                          {link, round_trip, precision, returns});
  EXPECT_TRUE(split) << split.error().message;
  std::string best = describe(net.model, net.costs, net.layers, *split, split->best);
  return {std::move(net), std::move(*split), best};
}

TEST(Split, CutsAtTheNarrowPlace) {
  // To the server: 1600 B of x, or 160 B of what is narrow; back: 16,000 B.
  const auto [net, split, best] = try_split(800e3, 0.002, Precision::Raw, true);
  EXPECT_EQ(best, "after first");
  EXPECT_DOUBLE_EQ(split.latency(split.best, 800e3), 0.001 + 0.0002 + 0.001 + 0.02 + 0.002);
  EXPECT_DOUBLE_EQ(split.latency(split.all_edge, 800e3), 0.101);
  EXPECT_DOUBLE_EQ(split.latency(split.all_server, 800e3), 0.0011 + 0.002 + 0.02 + 0.002);
  ASSERT_EQ(split.best.shipped.size(), 1u);
  EXPECT_EQ(net.model.graph().tensors[split.tensors[split.best.shipped[0]].tensor].name, "narrow")
      << "its two views are the same memory";
}

TEST(Split, PrecisionAndReturn) {
  EXPECT_DOUBLE_EQ(try_split(160e3, 0, Precision::Int8, false).split.best.up_bytes, 40);
  EXPECT_DOUBLE_EQ(try_split(160e3, 0, Precision::Fp16, false).split.best.up_bytes, 80);
  const Split kept = try_split(800e3, 0, Precision::Raw, false).split;
  EXPECT_DOUBLE_EQ(kept.best.down_bytes, 0);
  EXPECT_DOUBLE_EQ(try_split(800e3, 0, Precision::Int8, true).split.best.down_bytes, 16000)
      << "results come back as they are";
}

TEST(Split, BreakEvenSpeedsAreWhereLinesMeet) {
  const Split split = try_split(800e3, 0, Precision::Raw, false).split;
  // Edge 101 ms; cut 2 ms and 160 B; server 1.1 ms and 1600 B.
  ASSERT_EQ(split.pieces.size(), 3u);
  EXPECT_TRUE(split.pieces[0].best.is_all_server());
  EXPECT_TRUE(split.pieces[2].best.is_all_edge());
  EXPECT_NEAR(1 / split.pieces[0].to, 1440 / 0.0009, 1e-3);
  EXPECT_NEAR(1 / split.pieces[1].to, 160 / 0.099, 1e-6);
}

}  // namespace
}  // namespace strata
