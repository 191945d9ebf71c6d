// Checks the traces of every engine: kernels, blocks of memory, values inside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine_fixture.h"
#include "strata/read/read.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class EngineTraces : public EngineTest {};

TEST_P(EngineTraces, EveryNodeIsInOneKernelOrAbsent) {
  const auto model = read_onnx(small_network(), "small");
  ASSERT_TRUE(model);
  for (const auto level :
       {STRATA_OPT_NONE, STRATA_OPT_BASIC, STRATA_OPT_EXTENDED, STRATA_OPT_ALL}) {
    Session session = open_bound(small_network(), {.optimization = level, .trace_time = true});
    const auto trace = session.run_traced({});
    ASSERT_TRUE(trace) << trace.error().message;
    const auto found = test::check_assignment(*model, trace->kernels, session.absent());
    EXPECT_THAT(found.mistakes, IsEmpty()) << "level " << level;
    EXPECT_GT(found.assigned, 100u);
    if (level != STRATA_OPT_NONE) continue;
    // An engine may still change the order of data between nodes, but no kernel does two.
    for (const Kernel& kernel : trace->kernels) EXPECT_LE(kernel.sources.size(), 1u) << kernel.name;
  }
}

TEST_P(EngineTraces, KernelsLieInTheirRuns) {
  Session session = open_bound(small_network(), {.trace_time = true});
  std::map<std::uint64_t, Trace> runs;
  for (int i = 0; i < 3; ++i) {
    const auto trace = session.run_traced({.kernels = false});
    ASSERT_TRUE(trace);
    EXPECT_LT(trace->start_ns, trace->end_ns);
    runs[trace->run] = *trace;
  }
  ASSERT_THAT(runs, SizeIs(3));
  const auto kernels = session.kernels();
  ASSERT_TRUE(kernels) << kernels.error().message;
  std::map<std::uint64_t, std::int64_t> sums;
  std::map<std::uint64_t, std::string> names;
  const std::int64_t resolution = engine_->kernel_resolution_ns();
  std::int64_t last_start = 0;
  std::uint64_t last_run = 0;
  for (const Kernel& kernel : *kernels) {
    ASSERT_TRUE(runs.contains(kernel.run));
    const Trace& run = runs[kernel.run];
    EXPECT_GE(kernel.start_ns + resolution, run.start_ns);
    EXPECT_LE(kernel.start_ns + kernel.duration_ns, run.end_ns + resolution);
    EXPECT_GE(kernel.duration_ns, 0);
    if (kernel.run == last_run) {
      EXPECT_GE(kernel.start_ns, last_start);
    }
    last_run = kernel.run;
    last_start = kernel.start_ns;
    sums[kernel.run] += kernel.duration_ns;
    EXPECT_EQ(names.try_emplace(kernel.index, kernel.name).first->second, kernel.name);
    EXPECT_THAT(kernel.output_dims, Not(IsEmpty()));
  }
  for (const auto& [number, run] : runs) {
    EXPECT_GT(sums[number], 0);
    EXPECT_LE(sums[number], run.end_ns - run.start_ns);
  }
}

TEST_P(EngineTraces, KernelsAreGivenOnce) {
  Session session = open_bound(small_network(), {.trace_time = true});
  ASSERT_TRUE(session.run_traced({.kernels = false}));
  const auto first = session.kernels();
  ASSERT_TRUE(first);
  EXPECT_THAT(*first, Not(IsEmpty()));
  const auto none = session.kernels();
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
  ASSERT_TRUE(session.run());
  const auto later = session.run_traced({});
  ASSERT_TRUE(later) << later.error().message;
  EXPECT_EQ(later->run, 1u);
  EXPECT_EQ(later->kernels.size(), first->size());
}

TEST_P(EngineTraces, NodesWithoutNamesHaveNumbers) {
  auto network = zoo::build("mobilenet_v2?resolution=64&width=0.25");
  ASSERT_TRUE(network);
  NodeList& nodes = network->model.graph().nodes;
  nodes.change(0, [](Node& node) { node.name = ""; });
  nodes.change(3, [](Node& node) { node.name = "twice"; });
  nodes.change(4, [](Node& node) { node.name = "twice"; });
  const std::string bytes = test::bytes_of(network->model);
  const auto model = read_onnx(bytes, "unnamed");
  ASSERT_TRUE(model);
  Session session = open_bound(bytes, {.optimization = STRATA_OPT_NONE, .trace_time = true});
  const auto trace = session.run_traced({});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_THAT(test::check_assignment(*model, trace->kernels, session.absent()).mistakes, IsEmpty());
  std::set<std::string> sources;
  for (const Kernel& kernel : trace->kernels)
    sources.insert(kernel.sources.begin(), kernel.sources.end());
  for (const char* key : {"#0", "#3", "#4"}) EXPECT_TRUE(sources.contains(key)) << key;
}

TEST_P(EngineTraces, BlocksAreGivenBack) {
  if (!tells_memory()) return;
  Session session = open_bound(small_network(), {.trace_memory = true});
  ASSERT_TRUE(session.run());
  const auto trace = session.run_traced({.kernels = false, .blocks = true, .outputs = true});
  ASSERT_TRUE(trace) << trace.error().message;
  std::map<std::uint64_t, std::int64_t> held;
  std::int64_t now = 0, peak = 0;
  for (const Block& block : trace->blocks) {
    EXPECT_GE(block.time_ns, trace->start_ns);
    EXPECT_EQ(held[block.address] == 0, block.bytes > 0);
    held[block.address] += block.bytes;
    EXPECT_GE(held[block.address], 0);
    peak = std::max(peak, now += block.bytes);
  }
  EXPECT_EQ(now, 0);
  // The largest activation of the network, with 96 / 4 channels, and its input.
  EXPECT_GE(peak, 24 * 32 * 32 * 4);
  EXPECT_LE(peak, 10 * 24 * 32 * 32 * 4);
}

TEST_P(EngineTraces, KnowsItsWeights) {
  const Session session = open(small_network(), {.trace_time = true});
  const std::int64_t bytes = session.weight_bytes();
  EXPECT_GT(bytes, 1'000'000);
  EXPECT_LT(bytes, static_cast<std::int64_t>(2 * small_network().size()));
}

// An engine runs what it says it will run, including types.
TEST_P(EngineTraces, ThePlanIsWhatRuns) {
  for (const auto level : {STRATA_OPT_NONE, STRATA_OPT_ALL}) {
    Session session = open_bound(small_network(), {.optimization = level, .trace_time = true});
    const auto plan = session.plan();
    ASSERT_TRUE(plan) << plan.error().message;
    const auto trace = session.run_traced({});
    ASSERT_TRUE(trace) << trace.error().message;
    std::map<std::string, const Kernel*> planned;
    for (const Kernel& kernel : *plan) planned[kernel.name] = &kernel;
    EXPECT_EQ(planned.size(), trace->kernels.size());
    for (const Kernel& kernel : trace->kernels) {
      ASSERT_TRUE(planned.contains(kernel.name)) << kernel.name;
      const Kernel& before = *planned[kernel.name];
      EXPECT_EQ(before.op, kernel.op);
      EXPECT_EQ(before.sources, kernel.sources);
      EXPECT_EQ(before.dtype, DType::F32) << kernel.name << " " << kernel.op;
      EXPECT_EQ(kernel.dtype, before.dtype);
      EXPECT_EQ(kernel.input_types, before.input_types);
      EXPECT_EQ(kernel.output_types, before.output_types);
      EXPECT_THAT(kernel.output_types, Not(IsEmpty()));
      EXPECT_EQ(before.duration_ns, 0);
    }
  }
}

// In engines that run modules, calls are nested in the calls that make them, and kernels in calls.
TEST_P(EngineTraces, CallsOfModulesNest) {
  Session session = open_bound(small_network(), {.trace_time = true});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(session.run_traced({.kernels = false}));
  const auto calls = session.modules();
  ASSERT_TRUE(calls) << calls.error().message;
  if (calls->empty()) return;  // the engine runs a graph, not modules
  const auto kernels = session.kernels();
  ASSERT_TRUE(kernels);
  std::map<std::uint64_t, int> runs;
  std::vector<const ModuleCall*> open;
  for (const ModuleCall& call : *calls) {
    ++runs[call.run];
    EXPECT_LE(call.enter_ns, call.exit_ns);
    EXPECT_GE(call.call, 1u);
    while (!open.empty() && (open.back()->run != call.run || open.back()->exit_ns <= call.enter_ns))
      open.pop_back();
    if (call.path.empty()) {
      EXPECT_TRUE(open.empty());
    } else {
      ASSERT_FALSE(open.empty()) << call.path;
      EXPECT_LE(call.exit_ns, open.back()->exit_ns) << call.path << " in " << open.back()->path;
      const std::string& outer = open.back()->path;
      EXPECT_TRUE(outer.empty() || call.path.starts_with(outer + ".")) << call.path;
    }
    open.push_back(&call);
  }
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0], runs[1]);
  for (const Kernel& kernel : *kernels)
    EXPECT_TRUE(std::any_of(calls->begin(), calls->end(), [&](const ModuleCall& call) {
      return call.run == kernel.run && call.path.empty() && call.enter_ns <= kernel.start_ns &&
             kernel.start_ns + kernel.duration_ns <= call.exit_ns;
    })) << kernel.name;
  const auto none = session.modules();
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineTraces, ::testing::ValuesIn(test::onnx_engines()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace strata
