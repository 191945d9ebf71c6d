#include "edit/fold.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "edit/links.h"
#include "edit/read_floats.h"
#include "strata/base/scratch_folder.h"
#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/edit/layers.h"

namespace strata {
namespace {

using ::testing::HasSubstr;

std::vector<float> floats(const Model& model, TensorId id, const FillElements& fill) {
  auto out = read_floats(model, *stored_input(model.graph(), id)->data, fill);
  EXPECT_TRUE(out) << out.error().message;
  return std::move(*out);
}

// The result of a 1×1 convolution of one pixel, with the norm after it if there is one.
std::vector<double> evaluated(const Model& model, const FillElements& fill,
                              const std::vector<double>& x) {
  const Graph& graph = model.graph();
  const Node& conv = graph.nodes[0];
  const auto weight = floats(model, conv.inputs[1], fill);
  std::int64_t groups = 1;
  if (const Attribute* group = conv.attribute("group"))
    groups = std::get<std::int64_t>(group->value);
  const bool turned = conv.op == "ConvTranspose";
  const auto dims = stored_input(graph, conv.inputs[1])->data->dims;
  const auto in = static_cast<std::size_t>((turned ? dims[0] : dims[1] * groups) / groups);
  const auto out = static_cast<std::size_t>((turned ? dims[1] * groups : dims[0]) / groups);
  std::vector<double> y(out * static_cast<std::size_t>(groups), 0);
  for (std::size_t o = 0; o < y.size(); ++o)
    for (std::size_t i = 0; i < in; ++i) {
      const std::size_t group = o / out;
      y[o] += x[group * in + i] * weight[turned ? (group * in + i) * out + o % out : o * in + i];
    }
  if (conv.inputs.size() > 2) {
    const auto bias = floats(model, conv.inputs[2], fill);
    for (std::size_t o = 0; o < y.size(); ++o) y[o] += bias[o];
  }
  if (graph.nodes.size() == 1) return y;
  const Node& norm = graph.nodes[1];
  const auto scale = floats(model, norm.inputs[1], fill),
             shift = floats(model, norm.inputs[2], fill);
  const auto mean = floats(model, norm.inputs[3], fill), var = floats(model, norm.inputs[4], fill);
  for (std::size_t o = 0; o < y.size(); ++o)
    y[o] = (y[o] - mean[o]) / std::sqrt(static_cast<double>(var[o]) + 1e-3F) * scale[o] + shift[o];
  return y;
}

RC_GTEST_PROP(FoldedNorms, GiveTheSame, ()) {
  const auto groups = *rc::gen::inRange<std::int64_t>(1, 4);
  const auto in = *rc::gen::inRange<std::int64_t>(1, 5) * groups;
  const auto out = *rc::gen::inRange<std::int64_t>(1, 5) * groups;
  const bool bias = *rc::gen::arbitrary<bool>(), turned = *rc::gen::arbitrary<bool>();
  build::Builder net("Net");
  build::Var x = net.input("x", {1, in, 1, 1});
  if (turned) {
    const build::Var w = net.weight("w", {in, out / groups, 1, 1});
    x = bias ? net.op("ConvTranspose", {x, w, net.weight("b", {out})}, {{"group", groups}})
             : net.op("ConvTranspose", {x, w}, {{"group", groups}});
  } else {
    x = net.conv("conv", x, out, {.groups = groups, .bias = bias});
  }
  net.output("y", net.batch_norm("norm", x, {.epsilon = 1e-3F}));
  auto network = std::move(net).finish();
  RC_ASSERT(network.has_value());
  const FillElements fill =
      build::random_weights(network->model, *rc::gen::arbitrary<std::uint64_t>());
  const auto folded = with_folded_norms(network->model, fill);
  RC_ASSERT(folded.has_value());
  RC_ASSERT(folded->graph().nodes.size() == 1u);
  RC_ASSERT(folded->graph().tensors[folded->graph().outputs[0]].name == "y");

  const auto input = *rc::gen::container<std::vector<double>>(
      static_cast<std::size_t>(in),
      rc::gen::map(rc::gen::inRange(-1000, 1000), [](int i) { return i / 250.0; }));
  const auto before = evaluated(network->model, fill, input);
  const auto after = evaluated(*folded, fill, input);
  double largest = 1;
  for (const double y : before) largest = std::max(largest, std::abs(y));
  for (std::size_t i = 0; i < before.size(); ++i)
    RC_ASSERT(std::abs(before[i] - after[i]) < 1e-5 * largest * static_cast<double>(in));
}

// Other readers of the convolution would see it with the norm folded in.
TEST(FoldedNorms, StayWhereTheConvolutionIsReadElsewhere) {
  build::Builder net("Net");
  const build::Var x = net.conv("conv", net.input("x", {1, 2, 1, 1}), 2);
  net.output("y", net.batch_norm("norm", x));
  net.output("z", x);
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  const auto folded = with_folded_norms(network->model, build::random_weights(network->model, 0));
  ASSERT_TRUE(folded) << folded.error().message;
  EXPECT_EQ(folded->graph().nodes.size(), 2u);
}

// A bias added after a convolution, as a tensor of its own or reshaped, is part of the layer and is
// folded.
TEST(FoldedBias, OfAnAddBehindAConvolution) {
  const std::vector<float> shift = {1, -2, 3, 0.5F};
  for (const bool reshaped : {true, false})
    for (const bool own : {true, false}) {
      build::Builder net("Net");
      const build::Var x = net.conv("conv", net.input("x", {1, 3, 1, 1}), 4, {.bias = own});
      const build::Var bias =
          reshaped ? net.reshape(net.table(shift, {4}), {1, 4, 1, 1}) : net.table(shift, {4, 1, 1});
      net.output("y", net.relu(reshaped ? net.add(x, bias) : net.add(bias, x)));
      auto network = std::move(net).finish();
      ASSERT_TRUE(network) << network.error().message;
      const FillElements fill = build::random_weights(network->model, 0);
      const auto layers = find_quant_layers(network->model);
      ASSERT_EQ(layers.size(), 1u);
      EXPECT_FALSE(layers[0].has_norm);
      EXPECT_TRUE(layers[0].has_activation);
      EXPECT_EQ(operators_text(network->model, layers[0]), "Conv+Relu");
      const auto folded = with_folded_norms(network->model, fill);
      ASSERT_TRUE(folded) << folded.error().message;
      ASSERT_EQ(folded->graph().nodes.size(), 2u);
      const Node& conv = folded->graph().nodes[0];
      const Node& before = network->model.graph().nodes[layers[0].main];
      ASSERT_EQ(conv.inputs.size(), 3u);
      EXPECT_EQ(floats(*folded, conv.inputs[1], fill),
                floats(network->model, before.inputs[1], fill));
      const std::vector<float> now = floats(*folded, conv.inputs[2], fill);
      const std::vector<float> was =
          own ? floats(network->model, before.inputs[2], fill) : std::vector<float>(4, 0);
      for (std::size_t c = 0; c < 4; ++c) EXPECT_FLOAT_EQ(now[c], was[c] + shift[c]);
    }
}

// A tensor that is not one number per channel is not a bias.
TEST(FoldedBias, NotOfOtherSums) {
  const std::vector<float> four = {1, -2, 3, 0.5F};
  for (const int way : {0, 1, 2}) {
    build::Builder net("Net");
    const build::Var x = net.conv("conv", net.input("x", {1, 3, 4, 4}), 4);
    const build::Var other = way == 0   ? net.table(four, {4})  // by column
                             : way == 1 ? net.table(four, {1, 1, 4, 1})
                                        : net.input("z", {1, 4, 1, 1});
    net.output("y", net.relu(net.add(x, other)));
    auto network = std::move(net).finish();
    ASSERT_TRUE(network) << network.error().message;
    const auto layers = find_quant_layers(network->model);
    ASSERT_EQ(layers.size(), 1u);
    EXPECT_EQ(layers[0].nodes.size(), 1u) << way;
    EXPECT_FALSE(layers[0].has_activation) << way;
  }
}

TEST(ReadFloats, RawOtherTypesAndOtherFiles) {
  Model model;
  const float items[] = {1.5F, -2, 3};
  const std::int64_t dims[] = {3};
  TensorData data;
  data.name = "w";
  data.dtype = DType::F32;
  data.dims = dims;
  data.store = TensorData::Store::Raw;
  data.bytes = {reinterpret_cast<const char*>(items), sizeof items};
  EXPECT_THAT(read_floats(model, data).value(), testing::ElementsAre(1.5F, -2, 3));

  const std::uint16_t halves[] = {0x3e00, 0xc000, 0x4200};
  TensorData half = data;
  half.dtype = DType::F16;
  half.bytes = {reinterpret_cast<const char*>(halves), sizeof halves};
  EXPECT_THAT(read_floats(model, half).value(), testing::ElementsAre(1.5F, -2, 3));

  const auto folder = ScratchFolder::create();
  ASSERT_TRUE(folder) << folder.error().message;
  std::ofstream(*folder / "w.bin", std::ios::binary) << "pad." << std::string(data.bytes);
  model.path = *folder / "m.onnx";
  TensorData outside = data;
  outside.store = TensorData::Store::External;
  outside.bytes = {};
  outside.location = "w.bin";
  outside.offset = 4;
  EXPECT_THAT(read_floats(model, outside).value(), testing::ElementsAre(1.5F, -2, 3));
  outside.offset = 8;
  EXPECT_THAT(read_floats(model, outside).error().message,
              HasSubstr("needs 12 bytes from 8 on of \"w.bin\", which has 16"));

  TensorData absent = data;
  absent.store = TensorData::Store::Absent;
  EXPECT_THAT(read_floats(model, absent).error().message, HasSubstr("has no elements"));
  absent.dtype = DType::I64;
  EXPECT_THAT(read_floats(model, absent).error().message, HasSubstr("not floats"));
}

}  // namespace
}  // namespace strata
