#include "strata/cost/device_memory.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cost/device_storage.h"
#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

struct Simulated {
  Model model;
  Costs costs;
  Layers layers;
  DeviceMemory memory;

  // Net, alloc and at_exit of a module or an operation in units of 512 bytes, which is the size of
  // every activation below unless it is said to be larger.
  std::string at(std::string_view path, std::uint32_t call = 0) const {
    const auto text = [](const std::optional<CallMemory>& found) {
      if (!found) return std::string("nothing");
      EXPECT_EQ(found->net + found->alloc, found->at_exit);
      return fmt::format("{} {:+}", found->net / 512, found->alloc / 512);
    };
    for (std::size_t i = 0; i < layers.list.size(); ++i)
      if (layer_path(model, costs, layers.list[i]) == path && layers.list[i].call == call)
        return text(memory.layers[i]);
    for (ScopeId scope = 0; scope < model.scopes.size(); ++scope)
      if (model.scopes[scope].path == path && model.scopes[scope].call == call)
        return text(memory.scopes[scope]);
    return "no such module";
  }
};

// Assigns modules by the names of the nodes: `block.conv/Conv` is in module block.conv.
void assign_scopes(Model& model) {
  std::map<std::string, ScopeId, std::less<>> known{{"", 0}};
  NodeList& nodes = model.graph().nodes;
  for (NodeId i = 0; i < nodes.size(); ++i) {
    Node node = nodes[i];
    const std::size_t slash = node.name.rfind('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view path = node.name.substr(0, slash);
    for (std::size_t end = 0; end != path.npos;) {
      const std::size_t begin = end == 0 ? 0 : end + 1;
      end = path.find('.', begin);
      const std::string_view upto = path.substr(0, end);
      const auto [place, is_new] = known.emplace(upto, static_cast<ScopeId>(model.scopes.size()));
      if (is_new)
        model.scopes.push_back({path.substr(begin, end - begin), upto, {}, node.scope, 0});
      node.scope = place->second;
    }
    nodes.set(i, node);
  }
}

Result<DeviceMemory> try_simulate(Simulated& run, std::string_view text,
                                  const DeviceMemoryOptions& options = {}) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  run.model = std::move(*model);
  assign_scopes(run.model);
  const auto inference = infer(run.model);
  EXPECT_TRUE(inference) << inference.error().message;
  run.costs = count(run.model);
  run.layers = find_layers(run.model, run.costs);
  return simulate_device(run.model, run.costs, run.layers, options);
}

Simulated simulate(std::string_view text, const DeviceMemoryOptions& options = {}) {
  Simulated run;
  auto memory = try_simulate(run, text, options);
  EXPECT_TRUE(memory) << memory.error().message;
  run.memory = std::move(*memory);
  EXPECT_EQ(run.memory.left, 0);
  return run;
}

// A container keeps its input until its end, although nothing reads it after `body.0`.
constexpr std::string_view kNested = R"(
  input x f32[128]
  a = Sigmoid(x) name="stem/Sigmoid"
  b = Sigmoid(a) name="body.0/Sigmoid"
  c = Sigmoid(b) name="body.1/Sigmoid"
  d = Sigmoid(c) name="body.2/Sigmoid"
  e = Sigmoid(d) name="head/Sigmoid"
  output e)";

TEST(DeviceMemory, CallHoldsItsInputUntilItsExit) {
  const auto run = simulate(kNested);
  EXPECT_EQ(run.at("stem"), "0 +1");
  EXPECT_EQ(run.at("body.0"), "1 +1");
  EXPECT_EQ(run.at("body.1"), "2 +1") << "a, b";
  EXPECT_EQ(run.at("body.2"), "2 +1") << "a, c: b was rebound";
  EXPECT_EQ(run.at("head"), "1 +1") << "d: a went with its container";
}

TEST(DeviceMemory, ByLastUseItWouldBeLess) {
  const auto run = simulate(kNested, {.calls_hold_inputs = false});
  EXPECT_EQ(run.at("body.1"), "1 +1");
  EXPECT_EQ(run.at("body.2"), "1 +1");
}

TEST(DeviceMemory, ContainersHaveEntryAndExitToo) {
  const auto run = simulate(kNested);
  EXPECT_EQ(run.at("body"), "1 +1") << "inside, b and c are gone before the exit";
  EXPECT_EQ(run.at(""), "0 +1");
}

TEST(DeviceMemory, PeakCountsWeightsInputsAndOutputs) {
  const auto run = simulate(kNested);
  EXPECT_EQ(run.memory.inputs, 512);
  EXPECT_EQ(run.memory.weights, 0);
  EXPECT_EQ(run.memory.peak_allocated, 512 * 4) << "x, a, b, c";
  EXPECT_EQ(run.memory.peak_reserved, 2 << 20);
  ASSERT_NE(run.memory.peak_layer, kNone);
  EXPECT_EQ(layer_path(run.model, run.costs, run.layers.list[run.memory.peak_layer]), "body.1");
}

TEST(DeviceMemory, SecondForwardIsLikeTheFirst) {
  const auto first = simulate(kNested), second = simulate(kNested, {.forwards = 2});
  for (const char* layer : {"stem", "body.0", "body.1", "body.2", "head"})
    EXPECT_EQ(second.at(layer), first.at(layer)) << layer;
}

// x + block(x), as in MobileNetV2: x is the module's input, which its caller holds.
TEST(DeviceMemory, ResidualSumIsANewTensor) {
  const auto run = simulate(R"(
    input i f32[128]
    x = Sigmoid(i) name="stem/Sigmoid"
    a = Sigmoid(x) name="block.conv.0/Sigmoid"
    b = Sigmoid(a) name="block.conv.1/Sigmoid"
    y = Add(x, b) name="block/Add"
    z = Sigmoid(y) name="head/Sigmoid"
    output z)");
  EXPECT_EQ(run.at("block.conv.1"), "2 +1");
  EXPECT_EQ(run.at("block.Add"), "2 +1") << "x, b: the sum stands beside them";
  EXPECT_EQ(run.at("head"), "1 +1");
}

// `out += identity`, where identity is a variable until the block returns.
TEST(DeviceMemory, ResNetBlockSumsInPlaceAndKeepsItsIdentity) {
  const auto run = simulate(R"(
    input i f32[1,1,16,8]
    weight s f32[1]
    weight w f32[1,1,1,1]
    x = Sigmoid(i) name="stem/Sigmoid"
    a = Conv(x, w) name="b.conv1/Conv"
    n = BatchNormalization(a, s, s, s, s) name="b.bn1/BatchNormalization"
    r = Relu(n) name="b.relu/Relu"
    c = Conv(r, w) name="b.conv2/Conv"
    m = BatchNormalization(c, s, s, s, s) name="b.bn2/BatchNormalization"
    d = Conv(x, w) name="b.downsample.0/Conv"
    y = Add(m, d) name="b/Add"
    z = Relu(y) name="b.out/Relu"
    output z)");
  EXPECT_EQ(run.at("b.relu"), "2 +0") << "x, n";
  EXPECT_EQ(run.at("b.downsample.0"), "2 +1") << "x, m";
  EXPECT_EQ(run.at("b.Add"), "3 +0") << "x, m, d: the sum is in m";
  EXPECT_EQ(run.at("b.out"), "3 +0") << "d is still there";
  EXPECT_EQ(run.at("b"), "1 +1") << "after its return it is not";
}

// DenseNet's features: every layer reads all layers before it.
TEST(DeviceMemory, WhatIsReadLaterInTheBodyStays) {
  const auto run = simulate(R"(
    input i f32[1,64]
    a = Sigmoid(i) name="block.l1/Sigmoid"
    b = Sigmoid(a) name="block.l2/Sigmoid"
    c = Sigmoid(b) name="block.l3/Sigmoid"
    y = Concat(a, b, c) axis=1 name="block/Concat"
    output y)");
  EXPECT_EQ(run.at("block.l3"), "2 +1");
  EXPECT_EQ(run.at("block.Concat"), "3 +2") << "768 bytes are two units";
}

TEST(DeviceMemory, ActivationsWorkInPlaceUnlessTheirInputIsReadAgain) {
  constexpr std::string_view kText = R"(
    input i f32[128]
    x = Sigmoid(i) name="a/Sigmoid"
    y = {}(x) name="act/Act"
    z = Add({}, y) name="Add"
    output z)";
  const auto with = [&](std::string_view op, std::string_view other) {
    return simulate(fmt::format(fmt::runtime(kText), op, other)).at("act");
  };
  for (const char* op : {"Relu", "LeakyRelu", "HardSwish"}) {
    EXPECT_EQ(with(op, "y"), "1 +0") << op;
    EXPECT_EQ(with(op, "x"), "1 +1") << op << " leaves its input to the sum";
  }
  EXPECT_EQ(with("Tanh", "y"), "1 +1");
}

TEST(DeviceMemory, OutputMayBeAViewOfTheInput) {
  const auto run = simulate(R"(
    input i f32[2,64]
    y = Transpose(i) name="t/Transpose"
    output y)");
  EXPECT_EQ(run.at("t"), "0 +0");
  EXPECT_EQ(run.memory.peak_allocated, 512);
}

TEST(DeviceMemory, SiluOfTwoOperatorsWorksInPlace) {
  const auto run = simulate(R"(
    input i f32[128]
    x = Sigmoid(i) name="a/Sigmoid"
    s = Sigmoid(x) name="act/Sigmoid"
    y = Mul(x, s) name="act/Mul"
    z = Sigmoid(y) name="b/Sigmoid"
    output z)");
  EXPECT_EQ(run.at("act"), "1 +0");
  EXPECT_EQ(run.memory.peak_allocated, 3 * 512) << "input, x, z";
}

TEST(DeviceMemory, WhatNobodyReadsGoesAfterTheExit) {
  const auto run = simulate(R"(
    input i f32[128]
    x = Sigmoid(i) name="a/Sigmoid"
    y = Sigmoid(i) name="b/Sigmoid"
    output y)");
  EXPECT_EQ(run.at("a"), "0 +1");
  EXPECT_EQ(run.at("b"), "0 +1");
}

TEST(DeviceMemory, TheCallersInputIsNotOverwritten) {
  EXPECT_EQ(simulate(R"(
    input i f32[128]
    x = Relu(i) name="act/Relu"
    output x)")
                .at("act"),
            "0 +1");
}

TEST(DeviceMemory, AnOutputOfTheNetworkIsNotOverwritten) {
  EXPECT_EQ(simulate(R"(
    input i f32[128]
    x = Sigmoid(i) name="a/Sigmoid"
    y = Relu(x) name="act/Relu"
    output x
    output y)")
                .at("act"),
            "1 +1");
}

TEST(DeviceMemory, ModuleOfManyOperatorsMakesItsOutputOnce) {
  const auto run = simulate(R"(
    input i f32[128]
    weight two f32[]
    x = Sigmoid(i) name="a/Sigmoid"
    d = Div(x, two) name="gelu/Div"
    e = Erf(d) name="gelu/Erf"
    p = Add(e, two) name="gelu/Add"
    m = Mul(x, p) name="gelu/Mul"
    y = Mul(m, two) name="gelu/Mul_1"
    z = Sigmoid(y) name="b/Sigmoid"
    output z)");
  EXPECT_EQ(run.at("gelu"), "1 +1");
  EXPECT_EQ(run.memory.peak_allocated - run.memory.weights, 3 * 512) << "input, x, y";
}

TEST(DeviceMemory, TemporariesOfOtherModulesGoBeforeTheExit) {
  const auto run = simulate(R"(
    input i f32[128]
    x = Sigmoid(i) name="a/Sigmoid"
    d = Sin(x) name="odd/Sin"
    e = Cos(d) name="odd/Cos"
    y = Sin(e) name="odd/Sin_1"
    z = Sigmoid(y) name="b/Sigmoid"
    output z)");
  EXPECT_EQ(run.at("odd"), "1 +1");
  EXPECT_EQ(run.memory.peak_allocated, 4 * 512) << "input, x, and two of d, e, y";
}

TEST(DeviceMemory, ViewsShareAndReshapeOfATransposeCopies) {
  const auto run = simulate(R"(
    input i f32[8,16]
    weight shape i64[1]={128}
    x = Sigmoid(i) name="a/Sigmoid"
    f = Reshape(x, shape) name="Reshape"
    t = Transpose(x) perm=1,0 name="Transpose"
    r = Reshape(t, shape) name="Reshape_1"
    z = Add(f, r) name="Add"
    output z)");
  EXPECT_EQ(run.at("Reshape"), "1 +0");
  EXPECT_EQ(run.at("Transpose"), "1 +0");
  EXPECT_EQ(run.at("Reshape_1"), "1 +1");
  EXPECT_EQ(run.at("Add"), "2 +1");
}

// With a batch of one, each half of the channels is contiguous.
TEST(DeviceMemory, HalvesOfTheOutermostAxisStayInOrder) {
  constexpr std::string_view kText = R"(
    input i f32[{},4,32]
    weight shape i64[1]={{-1}}
    x = Sigmoid(i) name="a/Sigmoid"
    p, q = Split(x) axis=1 num_outputs=2 name="Split"
    r = Reshape(p, shape) name="Reshape"
    z = Sigmoid(r) name="b/Sigmoid"
    output z)";
  EXPECT_EQ(simulate(fmt::format(fmt::runtime(kText), 1)).at("Reshape"), "1 +0");
  EXPECT_EQ(simulate(fmt::format(fmt::runtime(kText), 2)).at("Reshape"), "2 +1");
}

// The position of each maximum takes 8 bytes per element until the exit.
TEST(DeviceMemory, MaxPoolTakesIndicesForAWhile) {
  const auto run = simulate(R"(
    input i f32[1,1,16,16]
    y = MaxPool(i) kernel_shape=2,2 strides=2,2 pads=0,0,0,0 name="pool/MaxPool"
    output y)");
  EXPECT_EQ(run.at("pool"), "0 +1") << "64 floats";
  EXPECT_EQ(run.memory.peak_allocated - run.memory.inputs, 512 + 512);
}

TEST(DeviceMemory, WeightsOfChildrenThenOwnThenBuffers) {
  Simulated run;
  const auto memory = try_simulate(run, R"(
    input i f32[1,4,2,2]
    weight token f32[1,1,1,1]
    weight cw f32[4,4,1,1]
    weight cb f32[4]
    weight scale f32[4]
    weight bias f32[4]
    weight mean f32[4]
    weight var f32[4]
    x = Add(i, token) name="net/Add"
    c = Conv(x, cw, cb) name="net.conv/Conv"
    y = BatchNormalization(c, scale, bias, mean, var) name="net.bn/BatchNormalization"
    output y)");
  ASSERT_TRUE(memory) << memory.error().message;
  const auto sizes = stored_sizes(run.model, run.costs);
  ASSERT_TRUE(sizes);
  // conv's weight and bias; bn's four tensors and its counter; the token of the body around them.
  EXPECT_EQ(*sizes, (std::vector<std::int64_t>{64, 16, 16, 16, 16, 16, 8, 4}));
  EXPECT_EQ(memory->weights, 8 * 512);
}

TEST(DeviceMemory, SharedWeightIsThereOnce) {
  const auto run = simulate(R"(
    input i f32[1,128]
    weight w f32[128,128]
    a = MatMul(i, w) name="first/MatMul"
    b = MatMul(a, w) name="second/MatMul"
    output b)");
  EXPECT_EQ(run.memory.weights, 128 * 128 * 4);
}

TEST(DeviceMemory, WithoutModulesEveryNodeIsACall) {
  const auto run = simulate(R"(
    input x f32[128]
    a = Sigmoid(x) name="first"
    b = Sigmoid(a) name="second"
    output b)");
  EXPECT_EQ(run.at("first"), "0 +1");
  EXPECT_EQ(run.at("second"), "1 +1");
}

TEST(DeviceMemory, OpenSizesAreAskedFor) {
  Simulated run;
  const auto memory = try_simulate(run, R"(
    input x f32[N,3]
    a = Sigmoid(x) name="first"
    output a)");
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().message,
            "device memory needs sizes in numbers, but \"x\" has 12·N bytes");
  EXPECT_EQ(memory.error().code, Code::OpenSizes);
}

TEST(DeviceMemory, SizesBeyondAnyDeviceAreRefused) {
  Simulated run;
  const auto memory = try_simulate(run, R"(
    input x f32[1125899906842624]
    a = Sigmoid(x) name="first"
    output a)");
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().message, "\"x\" has 4503599627370496 bytes, more than any device");
}

}  // namespace
}  // namespace strata
