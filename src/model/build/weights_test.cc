#include "strata/build/weights.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "build/moments.h"
#include "build/random_elements.h"
#include "build/weight_roles.h"
#include "graph/text.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata::build {
namespace {

Model network(std::string_view text) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model);
  EXPECT_TRUE(infer(*model));
  return std::move(*model);
}

const TensorData& stored(const Model& model, std::string_view name) {
  for (const TensorData& data : model.stored)
    if (data.name == name) return data;
  ADD_FAILURE() << name;
  return model.stored.front();
}

std::string elements(const FillElements& fill, const TensorData& data) {
  std::string bytes(static_cast<std::size_t>(data.elements().value() * bits(data.dtype) + 7) / 8,
                    '\0');
  EXPECT_TRUE(fill(data, 0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

std::vector<double> numbers(const FillElements& fill, const TensorData& data) {
  const std::string bytes = elements(fill, data);
  std::vector<double> out;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    float item;
    std::memcpy(&item, bytes.data() + at, sizeof item);
    out.push_back(static_cast<double>(item));
  }
  return out;
}

struct Statistics {
  double mean, deviation, least, most;
};
Statistics statistics(const std::vector<double>& items) {
  const auto count = static_cast<double>(items.size());
  const double mean = std::accumulate(items.begin(), items.end(), 0.0) / count;
  double squares = 0;
  for (const double item : items) squares += (item - mean) * (item - mean);
  return {mean, std::sqrt(squares / count), *std::min_element(items.begin(), items.end()),
          *std::max_element(items.begin(), items.end())};
}

constexpr std::string_view kBlock =
    "input x f32[1,64,8,8]\n"
    "weight conv.weight f32[256,64,3,3]\n"
    "weight conv.bias f32[256]\n"
    "weight bn.weight f32[256]\n"
    "weight bn.bias f32[256]\n"
    "weight bn.running_mean f32[256]\n"
    "weight bn.running_var f32[256]\n"
    "weight next.weight f32[512,256,1,1]\n"
    "c = Conv(x, conv.weight, conv.bias) pads=1,1,1,1\n"
    "b = BatchNormalization(c, bn.weight, bn.bias, bn.running_mean, bn.running_var)\n"
    "r = Relu(b)\n"
    "y = Conv(r, next.weight)\n"
    "output y\n";

TEST(RandomWeights, ByRole) {
  const Model model = network(kBlock);
  const FillElements fill = random_weights(model, 1);
  const auto of = [&](std::string_view name) {
    return statistics(numbers(fill, stored(model, name)));
  };
  EXPECT_NEAR(of("conv.weight").mean, 0, 0.001);
  EXPECT_NEAR(of("conv.weight").deviation, std::sqrt(1.0 / (64 * 9)), 0.0005);
  // After a ReLU, half of the squares are left: Kaiming's 2 / fan_in.
  EXPECT_NEAR(of("next.weight").deviation, std::sqrt(2.0 / 256), 0.001);
  EXPECT_NEAR(of("conv.bias").deviation, 0.02, 0.004);
  EXPECT_NEAR(of("bn.weight").mean, 1, 0.03);
  EXPECT_GT(of("bn.weight").deviation, 0.05);
  EXPECT_NEAR(of("bn.running_var").mean, 1, 0.03);
  EXPECT_GT(of("bn.running_var").least, 0.5);
  EXPECT_NEAR(of("bn.running_mean").mean, 0, 0.01);
}

TEST(RandomWeights, DependOnSeedAndNameOnly) {
  const Model model = network(kBlock);
  const Model same = network(kBlock);
  const TensorData& weight = stored(model, "conv.weight");
  const std::string bytes = elements(random_weights(model, 7), weight);
  EXPECT_EQ(bytes, elements(random_weights(same, 7), stored(same, "conv.weight")));
  EXPECT_NE(bytes, elements(random_weights(model, 8), weight));
  const FillElements fill = random_weights(model, 7);
  EXPECT_NE(elements(fill, stored(model, "bn.bias")),
            elements(fill, stored(model, "bn.running_mean")));
}

TEST(RandomWeights, AreTheSameInAnyChunks) {
  for (const char* type : {"f32", "f16", "bf16", "f64", "f8e4m3fn", "i8", "i4", "u2", "i64"}) {
    const Model model = network(std::string("weight w ") + type + "[3000]\ny = Op(w)\noutput y\n");
    const FillElements fill = random_weights(model, 3);
    const TensorData& data = stored(model, "w");
    const std::string whole = elements(fill, data);
    std::string parts(whole.size(), '\0');
    for (std::size_t at = 0; at < parts.size();) {
      const std::size_t size = std::min<std::size_t>(parts.size() - at, 8 * (1 + at % 13));
      const auto first = static_cast<std::int64_t>(at * 8) / bits(data.dtype);
      ASSERT_TRUE(fill(data, first, std::as_writable_bytes(std::span(parts).subspan(at, size))));
      at += size;
    }
    EXPECT_TRUE(whole == parts) << type;
    EXPECT_NE(whole, std::string(whole.size(), whole[0])) << type;
  }
}

// Compares the numbers that come out, whatever type they are stored in.
TEST(RandomElements, EveryFloatTypeHoldsTheSameNumbers) {
  const Distribution from = {1, 0.25F, 0, 0};
  std::vector<double> exact;
  for (const auto& [type, error] :
       std::vector<std::pair<DType, double>>{{DType::F64, 0},
                                             {DType::F32, 0},
                                             {DType::F16, 0x1p-11},
                                             {DType::BF16, 0x1p-8},
                                             {DType::F8E4M3FN, 0x1p-4},
                                             {DType::F8E4M3FNUZ, 0x1p-4},
                                             {DType::F8E5M2, 0x1p-3},
                                             {DType::F8E5M2FNUZ, 0x1p-3},
                                             {DType::F4E2M1, 0x1p-2}}) {
    constexpr std::size_t kCount = 4096;
    std::string bytes(kCount * static_cast<std::size_t>(bits(type)) / 8, '\0');
    ASSERT_TRUE(fill_random(from, 99, type, 0, std::as_writable_bytes(std::span(bytes))));
    const std::int64_t dims[] = {kCount};
    TensorData data;
    data.dtype = type;
    data.store = TensorData::Store::Raw;
    data.dims = dims;
    data.bytes = bytes;
    const auto value = decode(data);
    ASSERT_TRUE(value);
    for (std::size_t i = 0; i < kCount; ++i) {
      const double item = *value->items[i].number();
      if (exact.size() <= i) exact.push_back(item);
      ASSERT_NEAR(item, exact[i], error * std::max(std::fabs(exact[i]), 1.0))
          << name_of(type) << " " << i;
    }
  }
  const Statistics all = statistics(exact);
  EXPECT_NEAR(all.mean, 1, 0.02);
  EXPECT_NEAR(all.deviation, 0.25, 0.01);
}

TEST(RandomElements, IntegersStayInRange) {
  const Distribution from = {0, 0, -100, 2};
  std::string bytes(4096, '\0');
  const auto chunk = std::as_writable_bytes(std::span(bytes));
  ASSERT_TRUE(fill_random(from, 5, DType::I8, 0, chunk));
  int least = 127, most = -128;
  for (const char c : bytes) {
    least = std::min<int>(least, static_cast<signed char>(c));
    most = std::max<int>(most, static_cast<signed char>(c));
  }
  EXPECT_EQ(least, -100);
  EXPECT_EQ(most, 2);
  ASSERT_TRUE(fill_random(from, 5, DType::U8, 0, chunk));
  for (const char c : bytes) ASSERT_LE(static_cast<unsigned char>(c), 2);
  ASSERT_TRUE(fill_random(from, 5, DType::Bool, 0, chunk));
  for (const char c : bytes) ASSERT_LE(static_cast<unsigned char>(c), 1);
  EXPECT_FALSE(fill_random(from, 5, DType::String, 0, chunk));
}

TEST(Moments, OfActivations) {
  Node relu, add;
  relu.op = "Relu";
  add.op = "Add";
  const Moments normal[] = {Moments{}};
  EXPECT_NEAR(moments_after(relu, normal).square, 0.5, 0.002);
  EXPECT_NEAR(moments_after(relu, normal).mean, 1 / std::sqrt(2 * M_PI), 0.002);
  const Moments two[] = {{0.5, 1}, {0.5, 2}};
  EXPECT_DOUBLE_EQ(moments_after(add, two).square, 3.5);
}

// 200 blocks x + f(x): each adds as much as the one before, so the deviation at the end is about
// the square root of their number, and not 2^100.
TEST(RandomWeights, DeepResidualNetworksStayInRange) {
  std::string text = "input x f32[1,64]\nh0 = Identity(x)\n";
  for (int i = 0; i < 200; ++i)
    text += fmt::format(
        "weight w{0} f32[64,64]\nr{0} = Relu(h{0})\nm{0} = MatMul(r{0}, w{0})\n"
        "h{1} = Add(h{0}, m{0})\n",
        i, i + 1);
  const Model model = network(text + "output h200\n");
  const FillElements fill = random_weights(model, 1);
  std::vector<double> h(64);
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = i % 2 == 0 ? 1 : -1;
  for (int layer = 0; layer < 200; ++layer) {
    const auto w = numbers(fill, stored(model, fmt::format("w{}", layer)));
    std::vector<double> next = h;
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t j = 0; j < 64; ++j) next[j] += std::max(h[i], 0.0) * w[i * 64 + j];
    h = next;
  }
  const double deviation = statistics(h).deviation;
  EXPECT_GT(deviation, 1);
  EXPECT_LT(deviation, 100);
}

TEST(RandomWeights, TablesIndicesAndQuantizedLayers) {
  const Model model = network(
      "input ids i64[1,8]\n"
      "weight table f32[1000,64]\n"
      "weight places i64[8]\n"
      "weight q i8[64,128]\n"
      "weight scale f32[]\n"
      "weight zero i8[]\n"
      "e = Gather(table, ids)\n"
      "f = Gather(e, places) axis=1\n"
      "w = DequantizeLinear(q, scale, zero)\n"
      "y = MatMul(f, w)\n"
      "output y\n");
  const FillElements fill = random_weights(model, 1);
  EXPECT_NEAR(statistics(numbers(fill, stored(model, "table"))).deviation, 0.02, 0.001);
  const std::string places = elements(fill, stored(model, "places"));
  for (std::size_t at = 0; at < places.size(); at += 8) {
    std::int64_t index;
    std::memcpy(&index, places.data() + at, sizeof index);
    EXPECT_GE(index, 0);
    EXPECT_LT(index, 8);
  }
  EXPECT_EQ(elements(fill, stored(model, "zero")), std::string(1, '\0'));
  const double scale = numbers(fill, stored(model, "scale"))[0];
  std::vector<double> weights;
  for (const char c : elements(fill, stored(model, "q")))
    weights.push_back(scale * static_cast<signed char>(c));
  // Embeddings are small, and count as at least 0.1.
  EXPECT_NEAR(statistics(weights).deviation, std::sqrt(1 / (64 * 0.01)), 0.1);
}

TEST(RandomWeights, OfAnotherModelAreAMistake) {
  const Model model = network(kBlock);
  const Model other = network(kBlock);
  std::byte chunk[4];
  EXPECT_FALSE(random_weights(model, 1)(other.stored.front(), 0, chunk));
}

}  // namespace
}  // namespace strata::build
