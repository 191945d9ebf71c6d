// Checks every engine that opens TorchScript files, as conformance_test.cc does for those
// that open ONNX files, and recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>

#include "engine_fixture.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string& script() {
  static const std::string kBytes = [] {
    std::ifstream file(STRATA_TEST_MODELS "/small_script.pt", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return kBytes;
}

std::vector<HostTensor> one_image(float value = 0.5f) {
  HostTensor image{"input", DType::F32, {1, 3, 64, 64}, {}};
  std::vector<float> pixels(3 * 64 * 64);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = value * static_cast<float>(i % 7) - static_cast<float>(i % 3);
  const auto* bytes = reinterpret_cast<const std::byte*>(pixels.data());
  image.data.assign(bytes, bytes + pixels.size() * sizeof(float));
  return {image};
}

class ScriptEngine : public EngineTest {
 protected:
  Session open_image(SessionOptions options = {}) const {
    if (options.trace_time || options.trace_memory) options.optimization = STRATA_OPT_NONE;
    Session session = open(script(), options);
    const Status bound = session.bind(one_image());
    EXPECT_TRUE(bound) << bound.error().message;
    return session;
  }
  std::string refusal(const SessionOptions& options) const {
    const auto session = engine_->open(ModelBytes{script()}, options);
    EXPECT_FALSE(session);
    return session ? "" : session.error().message;
  }
};

TEST_P(ScriptEngine, SaysWhatItIs) {
  EXPECT_EQ(engine_->name(), GetParam());
  EXPECT_FALSE(engine_->release().empty());
  EXPECT_THAT(std::string(engine_->formats()), HasSubstr("torchscript"));
  EXPECT_TRUE(engine_->records());
  EXPECT_EQ(engine_->devices().at(0).name, "cpu");
  EXPECT_TRUE(engine_->probe("cpu", "fp32"));
  EXPECT_TRUE(engine_->probe("cpu", "bf16"));
  EXPECT_THAT(engine_->probe("cpu", "fp31").error().message, HasSubstr("fp31"));
  EXPECT_THAT(engine_->probe("toaster:0", "fp32").error().message, HasSubstr("toaster"));
}

TEST_P(ScriptEngine, RefusesWhatItLacks) {
  EXPECT_THAT(refusal({.device = "toaster:0"}), HasSubstr("toaster"));
  EXPECT_THAT(refusal({.provider = "teapot"}), HasSubstr("teapot"));
  EXPECT_THAT(refusal({.precision = "fp31"}), HasSubstr("fp31"));
  EXPECT_THAT(refusal({.options = {"colour=blue"}}), HasSubstr("colour"));
  EXPECT_THAT(refusal({.options = {"mode=fast"}}), HasSubstr("mode=fast"));
  EXPECT_THAT(refusal({.options = {"library=/nowhere.so"}}), HasSubstr("/nowhere.so"));
  EXPECT_THAT(refusal({.fetch = {"inside"}}), HasSubstr("inside"));
  EXPECT_THAT(refusal({.optimization = STRATA_OPT_ALL, .trace_time = true}), HasSubstr("frozen"));
  const auto missing = engine_->open("/nowhere/model.pt", {});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/model.pt"));
  EXPECT_FALSE(engine_->open(ModelBytes{""}, {}));
  EXPECT_FALSE(engine_->open(ModelBytes{"this is prose"}, {}));
  EXPECT_FALSE(engine_->open(ModelBytes{std::string_view(script()).substr(0, 1000)}, {}));
}

TEST_P(ScriptEngine, RefusesWrongInputs) {
  Session session = open(script());
  EXPECT_THAT(session.inputs(), SizeIs(1));
  EXPECT_EQ(session.inputs().at(0).name, "input");
  EXPECT_FALSE(session.run());  // nothing is bound
  const auto refused = [&](const std::function<void(HostTensor&)>& change) {
    auto inputs = one_image();
    change(inputs[0]);
    const Status status = session.bind(inputs);
    EXPECT_FALSE(status);
    if (status) return std::string();
    EXPECT_EQ(status.error().kind, ErrorKind::Usage);
    return status.error().message;
  };
  EXPECT_THAT(refused([](HostTensor& t) { t.name = "picture"; }),
              AllOf(HasSubstr("\"picture\""), HasSubstr("\"input\" Tensor")));
  EXPECT_THAT(refused([](HostTensor& t) { t.data.resize(12); }), HasSubstr("12 bytes"));
  EXPECT_THAT(session.bind({}).error().message, HasSubstr("\"input\" is missing"));
  // Code says at the first layer, when it runs, what shape it takes.
  auto gray = one_image();
  gray[0].dims = {3, 1, 64, 64};
  ASSERT_TRUE(session.bind(gray));
  const Status run = session.run();
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, AllOf(HasSubstr("[3, 1, 64, 64]"), Not(HasSubstr("\n"))));
  EXPECT_TRUE(session.bind(one_image()));
  EXPECT_TRUE(session.run());
}

TEST_P(ScriptEngine, GivesTheSameForTheSameInEveryMode) {
  Session session = open_image({.optimization = STRATA_OPT_NONE});
  const auto expected = outputs_of(session);
  ASSERT_THAT(expected, SizeIs(1));
  EXPECT_EQ(expected[0].data.size(), 1000 * sizeof(float));
  EXPECT_TRUE(equal(outputs_of(session), expected));
  const auto floats = [](const std::vector<HostTensor>& outputs) {
    std::vector<float> all(outputs[0].data.size() / sizeof(float));
    std::memcpy(all.data(), outputs[0].data.data(), outputs[0].data.size());
    return all;
  };
  for (const auto level : {STRATA_OPT_BASIC, STRATA_OPT_ALL}) {
    Session other = open_image({.optimization = level});
    EXPECT_THAT(floats(outputs_of(other)),
                ::testing::Pointwise(::testing::FloatNear(1e-4f), floats(expected)));
  }
  Session coarse = open_image({.precision = "bf16", .optimization = STRATA_OPT_NONE});
  EXPECT_FALSE(equal(outputs_of(coarse), expected));
  ASSERT_TRUE(session.bind(one_image(2)));
  EXPECT_FALSE(equal(outputs_of(session), expected));
}

TEST_P(ScriptEngine, EveryNodeOfItsRecordingIsInOneKernelOrAbsent) {
  Session session = open_image({.trace_time = true});
  const auto text = session.record();
  ASSERT_TRUE(text) << text.error().message;
  auto model = read_recording(*text, "small_script.pt");
  ASSERT_TRUE(model) << model.error().message;
  const auto inference = infer(*model);
  ASSERT_TRUE(inference) << inference.error().message;
  EXPECT_THAT(inference->unsupported, IsEmpty());
  std::map<std::string, std::string> types;
  for (const Scope& scope : model->scopes) types[std::string(scope.path)] = scope.cls;
  EXPECT_EQ(types["net.features.0.0"], "Conv2d");
  EXPECT_EQ(types["idle"], "Identity");
  const auto trace = session.run_traced({});
  ASSERT_TRUE(trace) << trace.error().message;
  const auto found = test::check_assignment(*model, trace->kernels, session.absent());
  EXPECT_THAT(found.mistakes, IsEmpty());
  EXPECT_GT(found.assigned, 100u);
  EXPECT_EQ(found.absent, 1u);
}

TEST_P(ScriptEngine, KernelsAndCallsLieInTheirRuns) {
  Session session = open_image({.trace_time = true});
  std::map<std::uint64_t, Trace> runs;
  for (int i = 0; i < 3; ++i) {
    const auto trace = session.run_traced({.kernels = false});
    ASSERT_TRUE(trace) << trace.error().message;
    runs[trace->run] = *trace;
  }
  const auto calls = session.modules();
  ASSERT_TRUE(calls);
  const auto kernels = session.kernels();
  ASSERT_TRUE(kernels);
  std::map<std::uint64_t, std::int64_t> sums;
  for (const Kernel& kernel : *kernels) {
    const Trace& run = runs.at(kernel.run);
    EXPECT_GE(kernel.start_ns, run.start_ns);
    EXPECT_LE(kernel.start_ns + kernel.duration_ns, run.end_ns);
    EXPECT_THAT(kernel.output_dims, Not(IsEmpty()));
    EXPECT_EQ(kernel.dtype, DType::F32);
    sums[kernel.run] += kernel.duration_ns;
  }
  for (const auto& [number, run] : runs) {
    EXPECT_GT(2 * sums[number], run.end_ns - run.start_ns);
    EXPECT_LE(sums[number], run.end_ns - run.start_ns);
  }
  std::map<std::string, std::uint64_t> last;
  for (const ModuleCall& call : *calls) {
    EXPECT_LE(call.enter_ns, call.exit_ns);
    EXPECT_GE(call.enter_ns, runs.at(call.run).start_ns);
    last[call.path] = call.call;
  }
  EXPECT_EQ(last.at(""), 1u);
  EXPECT_EQ(last.at("twice"), 2u);
  EXPECT_EQ(last.at("net.classifier.1"), 1u);
  EXPECT_THAT(session.kernels().value(), IsEmpty());
  EXPECT_THAT(session.modules().value(), IsEmpty());
}

TEST_P(ScriptEngine, BlocksAreGivenBack) {
  Session session = open_image({.trace_memory = true});
  ASSERT_TRUE(session.run());
  const auto trace = session.run_traced({.kernels = false, .blocks = true, .outputs = true});
  ASSERT_TRUE(trace) << trace.error().message;
  std::int64_t now = 0, peak = 0;
  for (const Block& block : trace->blocks) {
    EXPECT_GE(block.time_ns, trace->start_ns);
    peak = std::max(peak, now += block.bytes);
  }
  EXPECT_EQ(now, 0);
  EXPECT_GE(peak, 24 * 32 * 32 * 4);  // the largest activation
  EXPECT_LE(peak, 10 * 24 * 32 * 32 * 4);
}

TEST_P(ScriptEngine, KnowsItsWeights) {
  const Session session = open(script(), {.optimization = STRATA_OPT_NONE});
  EXPECT_GT(session.weight_bytes(), 4'000'000);
  EXPECT_LT(session.weight_bytes(), static_cast<std::int64_t>(script().size()));
}

TEST_P(ScriptEngine, VisitorsAndOthersCanEndARun) {
  Session session = open_image();
  EXPECT_FALSE(session.run_visiting([](const StrataTensor&) { return false; }));
  EXPECT_TRUE(session.run());
  session.cancel();
  EXPECT_FALSE(session.run());
  EXPECT_TRUE(session.run());
  std::atomic<bool> started = false;
  std::thread runs([&] {
    while (session.run()) started = true;
  });
  while (!started) std::this_thread::yield();
  session.cancel();
  runs.join();
  EXPECT_TRUE(session.run());
}

INSTANTIATE_TEST_SUITE_P(Engines, ScriptEngine, ::testing::ValuesIn(test::script_engines()),
                         [](const auto& each) { return each.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ScriptEngine);

}  // namespace
}  // namespace strata
