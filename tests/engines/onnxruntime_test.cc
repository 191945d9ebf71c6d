// Checks the traits of ONNX Runtime that other engines do not share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "small_models.h"
#include "strata/read/read.h"

namespace strata {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class OnnxRuntime : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_engine("onnxruntime");
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    engine_ = std::make_unique<Engine>(std::move(*loaded));
  }

  std::string refused(const SessionOptions& options) const {
    static const std::string kModel = test::zoo_bytes("squeezenet1_0?resolution=64");
    const auto session = engine_->open(ModelBytes{kModel}, options);
    EXPECT_FALSE(session);
    return session ? "" : session.error().message;
  }
  // The model of one of the ONNX project's node tests.
  static std::string node_test(const std::string& name) {
    std::ifstream file("/usr/share/libonnx-testdata/data/node/" + name + "/model.onnx",
                       std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_FALSE(bytes.empty()) << "libonnx-testdata is not installed";
    return bytes;
  }
  // y = cond ? Relu(x) : -x
  static std::string conditional() {
    build::Builder net("Conditional");
    const build::Var x = net.input("x", {2});
    net.output("y", net.relu(x));
    auto network = std::move(net).finish();
    EXPECT_TRUE(network) << network.error().message;
    Model& model = network->model;
    Graph& main = model.graph();
    const Node relu = main.nodes[0];
    const auto body = [&](std::string_view op, std::string_view output) {
      Graph& graph = model.graphs.emplace_back();
      graph.name = op;
      graph.parent = &main;
      graph.tensors.resize(2);
      graph.tensors[0] = {.name = "x", .type = {}, .role = Role::Captured, .outer = relu.inputs[0]};
      graph.tensors[1] = {.name = output, .type = {}, .producer = 0};
      graph.tensors[1].type = main.tensors[relu.outputs[0]].type;
      Node node = relu;
      node.op = op;
      node.name = op;
      node.inputs = model.keep(std::span<const TensorId>(std::vector<TensorId>{0}));
      node.outputs = model.keep(std::span<const TensorId>(std::vector<TensorId>{1}));
      graph.nodes.push_back(node);
      graph.outputs = {1};
      return &graph;
    };
    const std::vector<Attribute> branches = {{"then_branch", body("Relu", "then")},
                                             {"else_branch", body("Neg", "else")}};
    const auto condition = static_cast<TensorId>(main.tensors.size());
    main.tensors.push_back(
        {.name = "cond", .type = TypeInfo::tensor(DType::Bool, {}), .role = Role::Input});
    main.inputs.push_back(condition);
    main.nodes.change(0, [&](Node& node) {
      node.op = "If";
      node.name = "choice";
      node.inputs = model.keep(std::span<const TensorId>(&condition, 1));
      node.attributes = model.keep(std::span<const Attribute>(branches));
    });
    return test::bytes_of(model);
  }
  template <class T>
  static HostTensor tensor(const char* name, DType dtype, std::vector<std::int64_t> dims,
                           std::vector<T> items) {
    HostTensor out{name, dtype, std::move(dims), std::vector<std::byte>(items.size() * sizeof(T))};
    std::memcpy(out.data.data(), items.data(), out.data.size());
    return out;
  }
  // Runs once with everything recorded, and checks the assignment.
  Trace traced(const std::string& bytes, std::vector<HostTensor> inputs,
               StrataOptimization level = STRATA_OPT_ALL) const {
    auto session = engine_->open(ModelBytes{bytes}, {.optimization = level, .trace_time = true});
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return {};
    if (inputs.empty()) inputs = test::inputs_for(session->inputs());
    const Status bound = session->bind(std::move(inputs));
    EXPECT_TRUE(bound) << bound.error().message;
    auto trace = session->run_traced({.outputs = true});
    EXPECT_TRUE(trace) << trace.error().message;
    const auto model = read_onnx(bytes, "model");
    EXPECT_TRUE(model);
    if (!trace || !model) return {};
    EXPECT_THAT(test::check_assignment(*model, trace->kernels, session->absent()).mistakes,
                IsEmpty());
    return std::move(*trace);
  }

  std::unique_ptr<Engine> engine_;
};

// ----- devices

TEST_F(OnnxRuntime, WhatThisBuildLacksIsSaid) {
  EXPECT_THAT(
      refused({.provider = "openvino"}),
      AllOf(HasSubstr("without openvino"), HasSubstr("cpu"), HasSubstr("STRATA_ONNXRUNTIME")));
  EXPECT_THAT(refused({.provider = "webgpu"}), HasSubstr("not offered"));
  EXPECT_THAT(refused({.device = "cuda", .provider = "cpu"}), HasSubstr("cuda"));
}

TEST_F(OnnxRuntime, LibrariesThatAreMissingAreNamed) {
  const auto devices = engine_->devices();
  if (devices.size() > 1) GTEST_SKIP() << "there is a " << devices[1].name;
  for (const auto& [options, words] :
       {std::pair(SessionOptions{.device = "cuda:0"}, std::pair("cuda", "cuDNN")),
        std::pair(SessionOptions{.provider = "tensorrt"}, std::pair("tensorrt", "TensorRT"))}) {
    const std::string message = refused(options);
    if (message.find("is built without") != message.npos) continue;
    EXPECT_THAT(message, AllOf(HasSubstr(words.first), HasSubstr(words.second)));
  }
}

TEST_F(OnnxRuntime, ComputesInWhatIsStored) {
  EXPECT_THAT(refused({.precision = "int8"}), AllOf(HasSubstr("fp32"), HasSubstr("int8")));
  EXPECT_FALSE(engine_->probe("cpu", "bf16"));
}

// ----- kernels

TEST_F(OnnxRuntime, LayoutChangesHaveNoSources) {
  const Trace trace = traced(test::zoo_bytes("squeezenet1_0?resolution=64"), {});
  const auto fused = std::count_if(trace.kernels.begin(), trace.kernels.end(),
                                   [](const Kernel& k) { return k.sources.size() > 1; });
  EXPECT_GE(fused, 20);  // convolution, bias and Relu
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.op.starts_with("Reorder")) {
      EXPECT_EQ(kernel.kind, KernelKind::Layout);
    }
  }
}

TEST_F(OnnxRuntime, BodiesLieWithinTheNodeThatRunsThem) {
  // Adds five numbers one by one.
  const Trace trace = traced(node_test("test_loop11"),
                             {tensor<std::int64_t>("trip_count", DType::I64, {}, {5}),
                              tensor<std::uint8_t>("cond", DType::Bool, {}, {1}),
                              tensor<float>("y", DType::F32, {1}, {-2})},
                             STRATA_OPT_NONE);
  const auto loop = std::find_if(trace.kernels.begin(), trace.kernels.end(),
                                 [](const Kernel& kernel) { return kernel.op == "Loop"; });
  ASSERT_NE(loop, trace.kernels.end());
  int adds = 0;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.op != "Add") continue;
    ++adds;
    EXPECT_GE(kernel.start_ns, loop->start_ns);
    EXPECT_LE(kernel.start_ns + kernel.duration_ns,
              loop->start_ns + loop->duration_ns + engine_->kernel_resolution_ns());
  }
  EXPECT_GE(adds, 5);
  ASSERT_THAT(trace.outputs, SizeIs(2));
  EXPECT_THAT(trace.outputs[1].dims, ElementsAre(5, 1));
}

TEST_F(OnnxRuntime, BranchesThatAreNotTakenAreAbsent) {
  for (const auto level : {STRATA_OPT_NONE, STRATA_OPT_ALL})
    for (const bool condition : {false, true}) {
      const Trace trace = traced(
          conditional(),
          {tensor<std::uint8_t>("cond", DType::Bool, {}, {static_cast<std::uint8_t>(condition)}),
           tensor<float>("x", DType::F32, {2}, {1, 2})},
          level);
      std::vector<std::string> ops;
      for (const Kernel& kernel : trace.kernels) ops.push_back(kernel.op);
      EXPECT_THAT(ops, ElementsAre("If", condition ? "Relu" : "Neg"));
    }
}

// An operator that ONNX Runtime has no kernel for, and expands.
TEST_F(OnnxRuntime, ExpandedOperatorsShareOneSource) {
  for (const char* name : {"test_celu", "test_hardswish"})
    for (const auto level : {STRATA_OPT_NONE, STRATA_OPT_ALL}) {
      const Trace trace = traced(node_test(name), {}, level);
      EXPECT_THAT(trace.kernels, Not(IsEmpty())) << name;
    }
}

TEST_F(OnnxRuntime, HalfPrecisionIsCast) {
  const Trace trace = traced(test::zoo_bytes("mobilenet_v2?resolution=64&width=0.25&dtype=f16"), {},
                             STRATA_OPT_NONE);
  const auto casts = std::count_if(trace.kernels.begin(), trace.kernels.end(),
                                   [](const Kernel& k) { return k.kind == KernelKind::Cast; });
  EXPECT_GT(casts, 0);
}

TEST_F(OnnxRuntime, RunsOnAfterManyEvents) {
  // A run has about 100 events; sessions are recreated at 50,000.
  const std::string bytes = test::zoo_bytes("squeezenet1_1?resolution=32");
  auto session = engine_->open(ModelBytes{bytes},
                               {.threads = 1, .optimization = STRATA_OPT_NONE, .trace_time = true});
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE(session->bind(test::inputs_for(session->inputs())));
  constexpr std::uint64_t kRuns = 1200;
  for (std::uint64_t i = 0; i < kRuns; ++i) ASSERT_TRUE(session->run_traced({.kernels = false}));
  std::map<std::uint64_t, int> per_run;
  ASSERT_TRUE(session->visit_kernels([&](const StrataKernel& kernel) { ++per_run[kernel.run]; }));
  ASSERT_EQ(per_run.size(), kRuns);
  for (const auto& [run, kernels] : per_run) EXPECT_EQ(kernels, per_run[0]) << run;
}

// ----- memory

#if !defined(STRATA_SANITIZED)
// Runs in a process of its own, whose memory is limited to little more than it has.
TEST_F(OnnxRuntime, SaysThatMemoryEnded) {
  const std::string bytes = test::zoo_bytes("mobilenet_v2?resolution=224&batch=N");
  for (const bool traced : {false, true}) {
    const auto run_out = [&] {
      auto session = engine_->open(ModelBytes{bytes}, {.threads = 1, .trace_memory = traced});
      if (!session || !session->bind(test::inputs_for(session->inputs(), 1, 32))) std::exit(1);
      std::ifstream statm("/proc/self/statm");
      rlim_t pages = 0;
      statm >> pages;
      const rlim_t limit = pages * 4096 + (64U << 20);
      const rlimit set = {limit, limit};
      ::setrlimit(RLIMIT_AS, &set);
      const Status status = session->run();
      if (status) std::exit(2);
      std::fputs(status.error().message.c_str(), stderr);
      std::exit(0);
    };
    EXPECT_EXIT(run_out(), ::testing::ExitedWithCode(0), "out of memory");
  }
}
#endif

}  // namespace
}  // namespace strata
