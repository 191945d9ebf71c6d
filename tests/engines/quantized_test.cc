// Quantized models on ONNX Runtime: whether they give nearly the same answers, and whether its int8
// kernels run them.
#include <cmath>
#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/fold.h"
#include "small_models.h"
#include "strata/build/weights.h"
#include "strata/cost/liveness.h"
#include "strata/data/inputs.h"
#include "strata/edit/qdq.h"
#include "strata/infer/infer.h"
#include "strata/machine/machine.h"
#include "strata/measure/memory.h"
#include "strata/measure/runs_in.h"
#include "strata/read/read.h"
#include "strata/sensitivity/parts.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;

std::span<const float> floats(const HostTensor& tensor) {
  return {reinterpret_cast<const float*>(tensor.data.data()), tensor.data.size() / sizeof(float)};
}

double sqnr(const HostTensor& reference, const HostTensor& other) {
  const auto a = floats(reference), b = floats(other);
  EXPECT_EQ(a.size(), b.size());
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    signal += static_cast<double>(a[i]) * a[i];
    noise += std::pow(static_cast<double>(a[i]) - b[i], 2);
  }
  return 10 * std::log10(signal / noise);
}

class QuantizedOnOnnxRuntime : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_engine("onnxruntime");
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    engine_ = std::move(*loaded);
  }

  void take(std::string_view name) {
    auto network = zoo::build(name);
    ASSERT_TRUE(network) << network.error().message;
    take(std::move(*network));
  }
  void take(build::Builder net) {
    auto network = std::move(net).finish();
    ASSERT_TRUE(network) << network.error().message;
    take(std::move(*network));
  }
  void take(build::Network network) {
    model_ = std::move(network.model);
    plan_.fill = build::random_weights(model_, 0);
    plan_.reduce_range = cuts_off_products(read_machine().isa);
    layers_ = find_quant_layers(model_);
    inputs_ = random_inputs(model_, 0).value();
    bytes_ = onnx_bytes(model_, {.fill = plan_.fill}).value();
    calibrate();
  }

  // Ranges from the same input that results are compared on.
  void calibrate() {
    SessionOptions options;
    options.threads = 1;
    for (const TensorId id : quant_tensors(model_, layers_))
      if (model_.graph().tensors[id].role == Role::Activation)
        options.fetch.emplace_back(model_.graph().tensors[id].name);
    const auto see = [&](const std::string& name, std::span<const float> values) {
      Range& range = plan_.ranges[name];
      for (const float x : values) {
        range.low = std::min(range.low, x);
        range.high = std::max(range.high, x);
      }
    };
    for (const HostTensor& input : inputs_) see(input.name, floats(input));
    auto session = engine_.open(ModelBytes{bytes_}, options);
    ASSERT_TRUE(session) << session.error().message;
    ASSERT_TRUE(session->bind(inputs_));
    ASSERT_TRUE(session->run_visiting([&](const StrataTensor& tensor) {
      see(tensor.name, {static_cast<const float*>(tensor.data), tensor.bytes / sizeof(float)});
      return true;
    }));
  }

  struct Run {
    std::vector<HostTensor> outputs;
    std::map<std::string, int> ops;  // kernels
  };
  Run run(const std::string& bytes, StrataOptimization optimization = STRATA_OPT_ALL) {
    SessionOptions options;
    options.threads = 1;
    options.optimization = optimization;
    options.trace_time = true;
    auto session = engine_.open(ModelBytes{bytes}, options);
    EXPECT_TRUE(session) << session.error().message;
    EXPECT_TRUE(session->bind(inputs_));
    auto trace = session->run_traced({.kernels = true, .outputs = true});
    EXPECT_TRUE(trace) << trace.error().message;
    Run out{std::move(trace->outputs), {}};
    for (const Kernel& kernel : trace->kernels) ++out.ops[kernel.op];
    return out;
  }
  Run run_int8() {
    auto made = quantized(model_, layers_, plan_);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    made_ = std::move(*made);
    auto bytes = onnx_bytes(made_.model, {.fill = plan_.fill});
    EXPECT_TRUE(bytes) << bytes.error().message;
    int8_bytes_ = bytes->size();
    int8_model_ = std::move(*bytes);
    return run(int8_model_);
  }
  void keep(const std::vector<std::string>& words) {
    plan_.keep_float = stays_float(model_, layers_, words).value();
  }
  double sqnr_of(const Run& int8) { return sqnr(run(bytes_).outputs[0], int8.outputs[0]); }

  Engine engine_;
  Model model_;
  QdqPlan plan_;
  std::vector<QuantLayer> layers_;
  std::vector<HostTensor> inputs_;
  std::string bytes_;
  QuantizedModel made_;
  std::size_t int8_bytes_ = 0;
  std::string int8_model_;
};

TEST_F(QuantizedOnOnnxRuntime, ResnetRunsOnInt8Kernels) {
  take("resnet18?resolution=64");
  const Run int8 = run_int8();
  EXPECT_EQ(int8.ops.at("QLinearConv"), 20);
  EXPECT_EQ(int8.ops.at("QLinearAdd"), 8);
  EXPECT_EQ(int8.ops.at("QGemm"), 1);
  EXPECT_EQ(int8.ops.at("QuantizeLinear"), 1);  // for the input
  EXPECT_THAT(int8.ops, Not(Contains(Key("DequantizeLinear"))));
  EXPECT_THAT(int8.ops, Not(Contains(Key("Relu"))));
  EXPECT_GT(sqnr_of(int8), 28);
  EXPECT_LT(int8_bytes_, bytes_.size() * 27 / 100);
}

TEST_F(QuantizedOnOnnxRuntime, MobilenetRunsOnInt8Kernels) {
  take("mobilenet_v2?resolution=64");
  const Run int8 = run_int8();
  EXPECT_EQ(int8.ops.at("QLinearConv"), 52);
  EXPECT_EQ(int8.ops.at("QLinearAdd"), 10);
  EXPECT_THAT(int8.ops, Not(Contains(Key("Clip"))));
  EXPECT_THAT(int8.ops, Not(Contains(Key("DequantizeLinear"))));
  EXPECT_GT(sqnr_of(int8), 25);
}

TEST_F(QuantizedOnOnnxRuntime, KeptLayersRunInFloats) {
  take("resnet18?resolution=64");
  plan_.keep_float.layers = select_layers(model_, layers_, {"conv1", "layer2", "fc"}).value();
  const Run int8 = run_int8();
  EXPECT_EQ(int8.ops.at("QLinearConv"), 20 - 1 - 5);
  EXPECT_EQ(int8.ops.at("Conv"), 6);
  EXPECT_THAT(int8.ops, Not(Contains(Key("QGemm"))));
  EXPECT_GT(sqnr_of(int8), 30);
}

// ONNX Runtime rounds the float weights of a layer between int8 neighbours on its own, unless the
// layer is written in a way that prevents it.
TEST_F(QuantizedOnOnnxRuntime, LayersBetweenInt8NeighboursStayInFloats) {
  take("mobilenet_v2?resolution=64");
  keep({"features.5.conv.1.0", "features.9.conv.1.0", "features.12.conv.1.0"});
  const Run all = run_int8();
  EXPECT_EQ(all.ops.at("Conv"), 3);
  EXPECT_EQ(all.ops.at("QLinearConv"), 49);
  const Run extended = run(int8_model_, STRATA_OPT_EXTENDED);
  EXPECT_EQ(extended.ops.at("Conv"), 3);
  EXPECT_EQ(extended.ops.at("QLinearConv"), 49);
  // At these levels nothing runs in int8, but weights must not be rounded either.
  const Run off = run(int8_model_, STRATA_OPT_NONE), basic = run(int8_model_, STRATA_OPT_BASIC);
  EXPECT_EQ(off.ops.at("Conv"), 52);
  EXPECT_EQ(basic.ops.at("Conv"), 52);
  EXPECT_GT(sqnr(off.outputs[0], basic.outputs[0]), 60);
}

TEST_F(QuantizedOnOnnxRuntime, EveryKindOfKeptLayerRunsInFloats) {
  build::Builder net("Net");
  build::Var x = net.input("x", {1, 8, 16, 16});
  x = net.relu("r0", net.conv("c0", x, 8));
  x = net.relu("r1", net.conv("c1", x, 8, {.kernel = 3, .pad = 1, .groups = 8}));
  x = net.relu("r2", net.conv("c2", x, 8, {.bias = false}));
  x = net.max_pool("pool", x, {.kernel = 2, .stride = 2});
  x = net.relu("r3", net.conv("c3", x, 8));
  x = net.relu("r4", net.conv("c4", x, 8));
  x = net.relu("r5", net.conv("c5", x, 8));
  const build::Var flat = net.flatten(x);
  x = net.add(net.linear("l0", flat, 16), net.relu("r6", net.linear("l1", flat, 16)));
  net.output("y", net.linear("l2", net.relu("r7", net.linear("l3", x, 16, false)), 4));
  take(std::move(net));
  for (const std::string name : {"c1", "c2", "c3", "c4", "c5", "l0", "l1", "l3"}) {
    keep({name});
    const Run int8 = run_int8();
    const auto plan = plan_kernels(engine_, {.path = "", .bytes = {int8_model_}}, {.threads = 1});
    ASSERT_TRUE(plan) << plan.error().message;
    const std::vector<NodeKernel> kernels = kernels_of_nodes(made_.model, *plan);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (layers_[l].path != name) continue;
      for (NodeId n = 0; n < made_.model.graph().nodes.size(); ++n)
        if (made_.model.graph().nodes[n].name == made_.nodes[l][0]) {
          EXPECT_EQ(precision_name(kernels[n].dtype), "fp32") << name << kernels[n].op;
        }
    }
    // Unoptimized and optimized, the results are the same except for the rounding of kernels.
    EXPECT_GT(sqnr(run(int8_model_, STRATA_OPT_NONE).outputs[0], int8.outputs[0]), 35) << name;
  }
}

TEST_F(QuantizedOnOnnxRuntime, KeptProductsOfSequencesRunInFloats) {
  build::Builder net("Net");
  build::Var x = net.input("x", {1, 12, 32});
  for (const char* name : {"a", "b", "c", "d"}) x = net.relu(net.linear(name, x, 32));
  net.output("y", x);
  take(std::move(net));
  keep({"b"});
  const Run int8 = run_int8();
  EXPECT_EQ(int8.ops.at("QGemm"), 3);
  EXPECT_TRUE(int8.ops.contains("MatMul") || int8.ops.contains("Gemm"));
}

TEST_F(QuantizedOnOnnxRuntime, ActivationsInFloats) {
  take("resnet18?resolution=64");
  keep({"layer2.0.conv1:output"});
  const Run int8 = run_int8();
  EXPECT_EQ(int8.ops.at("Conv"), 2);  // the layer, and the one that reads it
  EXPECT_EQ(int8.ops.at("QLinearConv"), 18);
  EXPECT_THAT(made_.excluded, Contains("/layer2/layer2.0/conv1/Conv"));
  EXPECT_THAT(made_.excluded, Contains("/layer2/layer2.0/conv2/Conv"));
}

TEST_F(QuantizedOnOnnxRuntime, ProductsWithWeightsAndABiasBehindThem) {
  build::Builder net("Net");
  build::Var x = net.input("x", {1, 12, 32});
  for (const char* name : {"a", "b"}) {
    const auto module = net.module(name, "Block");
    build::Var y = net.layer_norm("norm", x);
    y = net.gelu("act", net.linear("up", y, 64));
    x = net.add(x, net.linear("down", y, 32));
  }
  net.output("y", x);
  take(std::move(net));
  const Run int8 = run_int8();
  EXPECT_EQ(int8.ops.at("QGemm"), 4);
  EXPECT_THAT(int8.ops, Not(Contains(Key("DequantizeLinear"))));
  EXPECT_GT(sqnr_of(int8), 30);
}

// Has each kind of node between layers once: those that ONNX Runtime runs in int8 and those that it
// does not, with the right numbers in either case.
TEST_F(QuantizedOnOnnxRuntime, NodesBetweenLayers) {
  build::Builder net("Net");
  build::Var x = net.input("x", {1, 8, 16, 16});
  x = net.gelu_tanh("gelu", net.conv("c0", x, 8, {.kernel = 3, .pad = 1}));
  x = net.silu("silu", net.conv("c1", x, 8));
  x = net.hardswish("hard", net.conv("c2", x, 8));
  x = net.relu(net.conv("c3", x, 8));
  x = net.mul(x, net.sigmoid(net.conv("gate", net.adaptive_avg_pool(x, 1), 8)));
  x = net.concat({net.conv("c4", x, 4), net.conv("c5", x, 4)}, 1);
  x = net.avg_pool(x, {.kernel = 2, .stride = 2});
  x = net.resize(net.conv("c6", x, 8, {.groups = 2}), 16);
  const auto halves = net.split(net.conv("c7", x, 8, {.groups = 8}), 1, 2);
  x = net.add(net.conv("c8", halves[0], 8), net.conv("c9", halves[1], 8));
  x = net.transpose(net.reshape(x, {1, 8, 256}), {0, 2, 1});
  x = net.linear("fc", x, 4);
  net.output("y", x);
  take(std::move(net));
  const Run int8 = run_int8();
  EXPECT_EQ(int8.ops.at("QLinearConv"), 11);
  EXPECT_EQ(int8.ops.at("QLinearConcat"), 1);
  EXPECT_EQ(int8.ops.at("QLinearMul"), 2);  // for the SiLU and for the gate
  EXPECT_EQ(int8.ops.at("QLinearSigmoid"), 2);
  EXPECT_EQ(int8.ops.at("QLinearAveragePool"), 1);
  EXPECT_EQ(int8.ops.at("QLinearGlobalAveragePool"), 1);
  EXPECT_THAT(int8.ops, Not(Contains(Key("Conv"))));
  EXPECT_GT(sqnr_of(int8), 25);
}

// The rows of layers say what runs: the oracle is ONNX Runtime's own operator for each kernel.
TEST_F(QuantizedOnOnnxRuntime, EveryLayerIsAtItsKernel) {
  take("resnet18?resolution=64");
  const auto made = quantized(model_, layers_, plan_);
  ASSERT_TRUE(made) << made.error().message;
  const std::string bytes = onnx_bytes(made->model, {.fill = plan_.fill}).value();
  const auto written = read_onnx(bytes, "int8");
  ASSERT_TRUE(written) << written.error().message;
  const auto plan = plan_kernels(engine_, {.path = "", .bytes = {bytes}}, {.threads = 1});
  ASSERT_TRUE(plan) << plan.error().message;
  const std::vector<NodeKernel> kernels = kernels_of_nodes(*written, *plan);
  std::map<std::string, const NodeKernel*> by_name;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    by_name[std::string(written->graph().nodes[i].name)] = &kernels[i];
  int convolutions = 0;
  for (const Node& node : written->graph().nodes) {
    const NodeKernel& own = *by_name.at(std::string(node.name));
    if (node.op == "Conv") {
      ++convolutions;
      EXPECT_EQ(own.op, "QLinearConv") << node.name;
      EXPECT_EQ(precision_name(own.dtype), "int8");
    }
    if (node.op == "Add") {
      EXPECT_EQ(own.op, "QLinearAdd") << node.name;
    }
    if (node.op == "Relu") {  // part of the kernel before it
      const Node& before =
          written->graph().nodes[written->graph().tensors[node.inputs[0]].producer];
      EXPECT_EQ(own.kernel, by_name.at(std::string(before.name))->kernel) << node.name;
    }
  }
  EXPECT_EQ(convolutions, 20);
}

// A float layer between two rounded values: ONNX Runtime quantizes its weights, unless the session
// keeps types.
TEST_F(QuantizedOnOnnxRuntime, TypesAreKeptWhereAskedFor) {
  take("resnet18?resolution=64");
  const auto made = quantized(model_, layers_, plan_);
  ASSERT_TRUE(made) << made.error().message;
  const std::string bytes = onnx_bytes(made->model, {.fill = plan_.fill}).value();
  for (const bool keep : {false, true})
    for (const auto level : {STRATA_OPT_BASIC, STRATA_OPT_ALL}) {
      const auto plan = plan_kernels(engine_, {.path = "", .bytes = {bytes}},
                                     {.threads = 1, .optimization = level, .keep_types = keep});
      ASSERT_TRUE(plan) << plan.error().message;
      int whole = 0, floats = 0;
      for (const Kernel& kernel : plan->kernels) {
        whole += precision_name(kernel.dtype) == "int8" ? 1 : 0;
        floats += kernel.op.ends_with("Conv") && kernel.dtype == DType::F32 ? 1 : 0;
      }
      if (keep) {
        EXPECT_EQ(whole, 0);
        EXPECT_EQ(floats, 20);
      } else if (level == STRATA_OPT_ALL) {
        EXPECT_GT(whole, 20);
        EXPECT_EQ(floats, 0);
      }
    }
}

TEST_F(QuantizedOnOnnxRuntime, SevenBitsAreCoarser) {
  take("resnet18?resolution=64");
  plan_.reduce_range = false;
  const double eight = sqnr_of(run_int8());
  plan_.reduce_range = true;
  const double seven = sqnr_of(run_int8());
  EXPECT_LT(seven, eight - 1);
  EXPECT_GT(seven, 25);
}

TEST_F(QuantizedOnOnnxRuntime, FoldedNormsGiveTheSame) {
  take("mobilenet_v2?resolution=64");
  const auto folded = with_folded_norms(model_, plan_.fill);
  ASSERT_TRUE(folded) << folded.error().message;
  for (const Node& node : folded->graph().nodes) EXPECT_NE(node.op, "BatchNormalization");
  const Run other = run(onnx_bytes(*folded, {.fill = plan_.fill}).value());
  EXPECT_GT(sqnr(run(bytes_).outputs[0], other.outputs[0]), 100);
}

}  // namespace
}  // namespace strata
