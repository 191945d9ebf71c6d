#include "engines/plugin_inputs.h"

#include <gtest/gtest.h>

#include <vector>

namespace strata {
namespace {

constexpr std::int32_t kF32 = 1, kI64 = 7, kU4 = 21;

class InputMistake : public ::testing::Test {
 protected:
  std::string mistake(std::initializer_list<StrataTensor> inputs) const {
    return input_mistake(ports_, std::vector<StrataTensor>(inputs));
  }
  StrataTensor tensor(const char* name, std::int32_t dtype, const std::vector<std::int64_t>& dims,
                      std::uint64_t bytes) const {
    return {name, dtype, static_cast<std::int32_t>(dims.size()), dims.data(), nullptr, bytes};
  }

  const std::vector<std::int64_t> image_dims_ = {-1, 3, 2};
  const char* const image_symbols_[3] = {"N", nullptr, nullptr};
  const std::vector<std::int64_t> ids_dims_ = {-1};
  const char* const ids_symbols_[1] = {"N"};
  const std::vector<StrataPort> ports_ = {
      {"image", kF32, 3, image_dims_.data(), image_symbols_},
      {"ids", kI64, 1, ids_dims_.data(), ids_symbols_},
  };
  const std::vector<std::int64_t> image_ = {2, 3, 2}, ids_ = {2};
};

TEST_F(InputMistake, NoneInWhatFits) {
  EXPECT_EQ(mistake({tensor("ids", kI64, ids_, 16), tensor("image", kF32, image_, 48)}), "");
}

TEST_F(InputMistake, NamesWhatThereIs) {
  EXPECT_EQ(mistake({tensor("x", kF32, image_, 48)}),
            "the model has no input \"x\"; it has \"image\" f32[N,3,2], \"ids\" i64[N]");
}

TEST_F(InputMistake, TypeRankAndSize) {
  EXPECT_EQ(mistake({tensor("ids", kF32, ids_, 8)}),
            "input \"ids\" is f32[2]; the model takes i64[N]");
  EXPECT_EQ(mistake({tensor("image", kF32, ids_, 8)}),
            "input \"image\" is f32[2]; the model takes f32[N,3,2]");
  const std::vector<std::int64_t> wide = {1, 3, 4};
  EXPECT_EQ(mistake({tensor("image", kF32, wide, 48)}),
            "input \"image\" is f32[1,3,4]; the model takes f32[N,3,2]");
}

TEST_F(InputMistake, OneSizeForOneSymbol) {
  const std::vector<std::int64_t> three = {3};
  EXPECT_EQ(mistake({tensor("image", kF32, image_, 48), tensor("ids", kI64, three, 24)}),
            "size N is 2 in input \"image\" and 3 in input \"ids\"");
}

TEST_F(InputMistake, AxesWithoutANameNeedNotBeAlike) {
  const std::vector<std::int64_t> open = {-1, -1}, dims = {48, 192};
  for (const char* symbol : {"?", "-1", "None", ""}) {
    const char* const symbols[2] = {symbol, symbol};
    const StrataPort port = {"x", kF32, 2, open.data(), symbols};
    const StrataTensor given = tensor("x", kF32, dims, 4 * 48 * 192);
    EXPECT_EQ(input_mistake({&port, 1}, {&given, 1}), "") << symbol;
  }
}

TEST_F(InputMistake, BytesOfTheShape) {
  EXPECT_EQ(mistake({tensor("image", kF32, image_, 44)}),
            "input \"image\" has 44 bytes; f32[2,3,2] takes 48");
}

TEST_F(InputMistake, HalfBytesAreRoundedUp) {
  const std::vector<std::int64_t> dims = {3};
  const StrataPort port = {"x", kU4, 1, dims.data(), nullptr};
  const StrataTensor given = tensor("x", kU4, dims, 2);
  EXPECT_EQ(input_mistake({&port, 1}, {&given, 1}), "");
}

TEST_F(InputMistake, MissingAndTwice) {
  EXPECT_EQ(mistake({tensor("image", kF32, image_, 48)}),
            "input \"ids\" is missing; the model takes i64[N]");
  EXPECT_EQ(mistake({tensor("ids", kI64, ids_, 16), tensor("ids", kI64, ids_, 16)}),
            "input \"ids\" is given twice");
}

TEST_F(InputMistake, NegativeAndEnormousSizes) {
  const std::vector<std::int64_t> negative = {-2, 3, 2};
  EXPECT_EQ(mistake({tensor("image", kF32, negative, 48)}),
            "input \"image\" has a negative size: f32[-2,3,2]");
  const std::vector<std::int64_t> enormous = {INT64_MAX};
  EXPECT_EQ(mistake({tensor("ids", kI64, enormous, 16)}),
            "input \"ids\" has 16 bytes, too few for i64[9223372036854775807]");
}

}  // namespace
}  // namespace strata
