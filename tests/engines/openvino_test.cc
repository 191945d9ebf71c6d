// Tests specific to OpenVINO, beyond those of every engine. ONNX Runtime is the oracle for what
// comes out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "edit/fold.h"
#include "small_models.h"
#include "strata/build/weights.h"
#include "strata/data/inputs.h"
#include "strata/edit/qdq.h"
#include "strata/machine/machine.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

double sqnr_of(const HostTensor& reference, const HostTensor& other) {
  const auto* a = reinterpret_cast<const float*>(reference.data.data());
  const auto* b = reinterpret_cast<const float*>(other.data.data());
  EXPECT_EQ(reference.data.size(), other.data.size());
  const std::size_t count = std::min(reference.data.size(), other.data.size()) / sizeof(float);
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < count; ++i) {
    signal += static_cast<double>(a[i]) * a[i];
    noise += std::pow(static_cast<double>(a[i]) - b[i], 2);
  }
  return 10 * std::log10(signal / noise);
}

class OpenVino : public ::testing::Test {
 protected:
  struct Run {
    std::vector<HostTensor> outputs;
    std::vector<Kernel> kernels;
    std::vector<Session::Absent> absent;
  };

  void SetUp() override {
    for (const char* name : {"openvino", "onnxruntime"}) {
      auto loaded = load_engine(name);
      if (!loaded) GTEST_SKIP() << loaded.error().message;
      engines_.emplace(name, std::move(*loaded));
    }
  }

  Run run(const char* engine, const std::string& bytes, SessionOptions options = {}) const {
    options.threads = 1;
    options.trace_time = true;
    auto session = engines_.at(engine).open(ModelBytes{bytes}, options);
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return {};
    EXPECT_TRUE(session->bind(test::inputs_for(session->inputs())));
    auto trace = session->run_traced({.kernels = true, .outputs = true});
    EXPECT_TRUE(trace) << trace.error().message;
    if (!trace) return {};
    return {std::move(trace->outputs), std::move(trace->kernels), session->absent()};
  }

  // Every layer between ranges that fit what random weights give.
  static std::string int8_bytes(std::string_view name) {
    Model model = std::move(zoo::build(name).value().model);
    QdqPlan plan;
    plan.fill = build::random_weights(model, 0);
    plan.reduce_range = cuts_off_products(read_machine().isa);
    const auto layers = find_quant_layers(model);
    for (const TensorId id : quant_tensors(model, layers))
      plan.ranges[std::string(model.graph().tensors[id].name)] = {-4, 4};
    auto made = quantized(model, layers, plan);
    EXPECT_TRUE(made) << made.error().message;
    return onnx_bytes(made->model, {.fill = plan.fill}).value();
  }

  std::string refused(const SessionOptions& options) const {
    static const std::string kModel = test::zoo_bytes("squeezenet1_0?resolution=64");
    const auto session = engines_.at("openvino").open(ModelBytes{kModel}, options);
    EXPECT_FALSE(session);
    return session ? "" : session.error().message;
  }

  std::map<std::string, Engine> engines_;
};

// The answers are ONNX Runtime's, and every node is in one kernel or absent for a reason.
TEST_F(OpenVino, NetworksGiveWhatOnnxRuntimeGives) {
  for (const char* network :
       {"resnet18?resolution=64", "shufflenet_v2_x0_5?resolution=64", "vit_b_16?classes=10"}) {
    SCOPED_TRACE(network);
    const std::string bytes = test::zoo_bytes(network);
    const auto model = read_onnx(bytes, network);
    ASSERT_TRUE(model);
    const Run want = run("onnxruntime", bytes), got = run("openvino", bytes);
    ASSERT_FALSE(got.outputs.empty());
    EXPECT_GT(sqnr_of(want.outputs[0], got.outputs[0]), 90);
    EXPECT_THAT(test::check_assignment(*model, got.kernels, got.absent).mistakes, IsEmpty());
    // Kernels that work together have one list, and it has as many convolutions as they are.
    std::map<std::string, std::string> ops;
    const std::vector<std::string> keys = node_keys(*model);
    for (std::size_t i = 0; i < keys.size(); ++i) ops[keys[i]] = model->graph().nodes[i].op;
    std::map<std::vector<std::string>, std::ptrdiff_t> convolutions;
    for (const Kernel& kernel : got.kernels) {
      convolutions[kernel.sources] += kernel.op == "Convolution" ? 1 : 0;
      EXPECT_EQ(kernel.dtype, DType::F32) << kernel.name << " " << kernel.op;
    }
    for (const auto& [sources, count] : convolutions)
      EXPECT_EQ(std::count_if(sources.begin(), sources.end(),
                              [&](const std::string& key) { return ops[key] == "Conv"; }),
                count)
          << fmt::format("{}", fmt::join(sources, ", "));
  }
}

TEST_F(OpenVino, QuantizedNetworksRunOnInt8Kernels) {
  const std::string bytes = int8_bytes("resnet18?resolution=64");
  const auto model = read_onnx(bytes, "int8");
  ASSERT_TRUE(model);
  const Run want = run("onnxruntime", bytes), got = run("openvino", bytes, {.precision = "int8"});
  ASSERT_FALSE(got.outputs.empty());
  EXPECT_GT(sqnr_of(want.outputs[0], got.outputs[0]), 25);
  EXPECT_THAT(test::check_assignment(*model, got.kernels, got.absent).mistakes, IsEmpty());
  std::map<DType, int> convolutions;
  for (const Kernel& kernel : got.kernels)
    if (kernel.op == "Convolution") ++convolutions[kernel.dtype];
  EXPECT_EQ(convolutions[DType::I8] + convolutions[DType::U8], 20);
  EXPECT_EQ(convolutions[DType::F32], 0);
}

// Rounding is simulated: the same file in float, and nothing multiplies whole numbers.
// Calibration reads all values, also those that OpenVINO drops because a Dropout gives them on.
TEST_F(OpenVino, GivesEveryValueInside) {
  const std::string bytes = test::zoo_bytes("squeezenet1_1?resolution=64");
  const auto model = read_onnx(bytes, "squeezenet1_1");
  ASSERT_TRUE(model);
  SessionOptions options;
  bool drops = false;
  for (const Node node : model->graph().nodes) {
    options.fetch.emplace_back(model->graph().tensors[node.outputs[0]].name);
    drops = drops || node.op == "Dropout" || node.op == "Identity";
  }
  EXPECT_TRUE(drops);
  const Run want = run("onnxruntime", bytes, options), got = run("openvino", bytes, options);
  ASSERT_EQ(got.outputs.size(), want.outputs.size());
  ASSERT_GE(got.outputs.size(), options.fetch.size());
  for (std::size_t i = 0; i < got.outputs.size(); ++i)
    EXPECT_GT(sqnr_of(want.outputs[i], got.outputs[i]), 80) << i;
}

TEST_F(OpenVino, KeepsTypesIfAsked) {
  const std::string bytes = int8_bytes("squeezenet1_0?resolution=64");
  const Run simulated = run("openvino", bytes, {.keep_types = true});
  for (const Kernel& kernel : simulated.kernels)
    if (kernel.op == "Convolution") {
      EXPECT_EQ(kernel.dtype, DType::F32) << kernel.name;
    }
  const Run want = run("onnxruntime", bytes, {.keep_types = true});
  EXPECT_GT(sqnr_of(want.outputs[0], simulated.outputs[0]), 30);
}

TEST_F(OpenVino, RefusesWhatItCannotDo) {
  EXPECT_THAT(refused({.precision = "int8"}),
              AllOf(HasSubstr("fp32"), HasSubstr("strata quantize")));
  EXPECT_THAT(refused({.options = {"streams=none"}}), HasSubstr("streams=N"));
  EXPECT_THAT(refused({.options = {"hint"}}), HasSubstr("hint"));
  EXPECT_THAT(refused({.options = {"config.NO_SUCH_KEY=1"}}), HasSubstr("NO_SUCH_KEY"));
  EXPECT_THAT(refused({.trace_memory = true}), HasSubstr("memory"));
}

TEST_F(OpenVino, TakesItsOwnOptions) {
  const std::string bytes = test::zoo_bytes("squeezenet1_0?resolution=64");
  const Run want = run("openvino", bytes);
  for (const char* option : {"hint=throughput", "streams=1", "config.ENABLE_CPU_PINNING=NO"}) {
    const Run got = run("openvino", bytes, {.options = {option}});
    ASSERT_FALSE(got.outputs.empty()) << option;
    EXPECT_GT(sqnr_of(want.outputs[0], got.outputs[0]), 90) << option;
  }
}

// Weights in memory are written to files for OpenVINO, but nowhere outside of their folder.
TEST_F(OpenVino, WritesNothingOutsideOfItsFolder) {
  Model model = std::move(zoo::build("squeezenet1_0?resolution=64").value().model);
  std::vector<float> numbers(2'000'000, 0.01F);
  for (TensorData& data : model.stored) {
    data.store = TensorData::Store::External;
    data.location = "../outside";
  }
  const auto bytes = onnx_bytes(model, {.elsewhere = WriteOptions::Elsewhere::Refer});
  ASSERT_TRUE(bytes) << bytes.error().message;
  const std::string_view data(reinterpret_cast<const char*>(numbers.data()),
                              numbers.size() * sizeof(float));
  const auto session = engines_.at("openvino").open(ModelBytes{*bytes, {{"../outside", data}}}, {});
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().message, HasSubstr("outside"));
}

}  // namespace
}  // namespace strata
