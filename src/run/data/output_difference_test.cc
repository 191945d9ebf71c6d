#include "strata/data/output_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace strata {
namespace {

using ::testing::HasSubstr;

template <class T>
HostTensor tensor(std::string name, DType dtype, std::vector<std::int64_t> dims,
                  const std::vector<T>& values) {
  HostTensor out{std::move(name), dtype, std::move(dims), {}};
  out.data.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(out.data.data(), values.data(), out.data.size());
  return out;
}

HostTensor floats(std::string name, std::vector<std::int64_t> dims,
                  const std::vector<float>& values) {
  return tensor(std::move(name), DType::F32, std::move(dims), values);
}

OutputDifference difference(const std::vector<HostTensor>& a, const std::vector<HostTensor>& b) {
  auto out = compare_outputs(a, b);
  EXPECT_TRUE(out) << out.error().message;
  return out.value_or(OutputDifference{});
}

TEST(OutputDifference, OfEqualOutputsIsNone) {
  const std::vector<HostTensor> same = {floats("y", {1, 4}, {1, -2, 3, 0})};
  const OutputDifference out = difference(same, same);
  EXPECT_EQ(out.max_error, 0);
  EXPECT_EQ(out.relative_error, 0);
  EXPECT_FALSE(out.sqnr.has_value());
  EXPECT_DOUBLE_EQ(out.cosine.value_or(0), 1);
  EXPECT_EQ(out.top1.value_or(0), 1);
  EXPECT_EQ(answer_mistake(out, {}, false), "");
}

// The signal is 3² + 4² and the noise 0.5²: 10 log10(25 / 0.25) = 20 dB; the largest element is 4.
TEST(OutputDifference, ErrorsByHand) {
  const OutputDifference out =
      difference({floats("y", {1, 2}, {3, 4})}, {floats("y", {1, 2}, {3, 4.5})});
  EXPECT_DOUBLE_EQ(out.max_error, 0.5);
  EXPECT_DOUBLE_EQ(out.relative_error, 0.125);
  EXPECT_DOUBLE_EQ(out.sqnr.value_or(0), 20);
  EXPECT_NEAR(out.cosine.value_or(0), (9 + 18) / (5 * std::sqrt(9 + 20.25)), 1e-12);
  EXPECT_EQ(out.worst, "y");
  EXPECT_THAT(answer_mistake(out, {}, false), HasSubstr("relative error 0.12 in output \"y\""));
  EXPECT_EQ(answer_mistake(out, {}, true), "");
  EXPECT_EQ(answer_mistake(out, {.min_sqnr = 25}, true), "SQNR 20.0 dB, wanted 25");
}

TEST(OutputDifference, TheWorstOutputCounts) {
  const OutputDifference out =
      difference({floats("a", {2}, {1000, 1}), floats("b", {2}, {1, 1})},
                 {floats("a", {2}, {1001, 1}), floats("b", {2}, {1, 1.5})});
  EXPECT_DOUBLE_EQ(out.max_error, 1);
  EXPECT_DOUBLE_EQ(out.relative_error, 0.5);
  EXPECT_EQ(out.worst, "b");
  EXPECT_NEAR(out.sqnr.value_or(0), 10 * std::log10(2 / 0.25), 1e-9);
}

TEST(OutputDifference, ByNameElseByOrder) {
  const std::vector<HostTensor> a = {floats("x", {1}, {1}), floats("y", {1}, {2})};
  EXPECT_EQ(difference(a, {floats("y", {1}, {2}), floats("x", {1}, {1})}).max_error, 0);
  EXPECT_EQ(difference(a, {floats("out0", {1}, {1}), floats("out1", {1}, {2})}).max_error, 0);
  EXPECT_EQ(difference(a, {floats("out0", {1}, {2}), floats("out1", {1}, {1})}).max_error, 1);
  // Two outputs of one name are told apart by their order.
  const std::vector<HostTensor> twice = {floats("x", {1}, {1}), floats("x", {1}, {2})};
  EXPECT_EQ(difference(twice, twice).max_error, 0);
}

TEST(OutputDifference, AnotherFormIsAnError) {
  const std::vector<HostTensor> a = {floats("y", {1, 2}, {1, 2})};
  const auto message = [&](const std::vector<HostTensor>& b) {
    const auto out = compare_outputs(a, b);
    return out ? "" : out.error().message;
  };
  EXPECT_EQ(message({}), "0 outputs where 1 were expected");
  EXPECT_EQ(message({floats("y", {2}, {1, 2})}),
            "output \"y\" is f32 2 where f32 1×2 was expected");
  EXPECT_EQ(message({tensor<std::int64_t>("y", DType::I64, {1, 2}, {1, 2})}),
            "output \"y\" is i64 1×2 where f32 1×2 was expected");
  // 1.0 and 2.0 in half precision.
  EXPECT_EQ(
      difference(a, {tensor<std::uint16_t>("y", DType::F16, {1, 2}, {0x3c00, 0x4000})}).max_error,
      0);
  EXPECT_EQ(
      difference(a, {tensor<std::uint16_t>("y", DType::BF16, {1, 2}, {0x3f80, 0x4000})}).max_error,
      0);
}

TEST(OutputDifference, NumbersThatAreNoneInOneOnlyAreWrong) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  const OutputDifference same =
      difference({floats("y", {3}, {1, none, infinite})}, {floats("y", {3}, {1, none, infinite})});
  EXPECT_EQ(same.max_error, 0);
  for (const float bad : {none, infinite}) {
    const OutputDifference out =
        difference({floats("y", {2}, {1, 2})}, {floats("y", {2}, {1, bad})});
    EXPECT_THAT(answer_mistake(out, {}, true), HasSubstr("numbers that are none"));
    EXPECT_THAT(answer_mistake(out, {}, false), HasSubstr("numbers that are none"));
  }
}

// Two of twelve rows have another largest element, although the numbers are close.
TEST(OutputDifference, TopOneOfRows) {
  std::vector<float> a, b;
  for (int row = 0; row < 12; ++row) {
    const float lift = row < 2 ? 0.02F : -0.02F;
    a.insert(a.end(), {1, 1.01F, 0});
    b.insert(b.end(), {1.01F + lift, 1.01F, 0});
  }
  const OutputDifference out = difference({floats("y", {12, 3}, a)}, {floats("y", {12, 3}, b)});
  EXPECT_EQ(out.rows, 12u);
  EXPECT_NEAR(out.top1.value_or(0), 10.0 / 12, 1e-12);
  EXPECT_EQ(answer_mistake(out, {}, true), "the same top-1 in 83 % of 12 rows, wanted 90 %");
  // One row is not enough for a share.
  const OutputDifference one =
      difference({floats("y", {1, 2}, {1, 1.01F})}, {floats("y", {1, 2}, {1.02F, 1.01F})});
  EXPECT_EQ(one.top1.value_or(1), 0);
  EXPECT_EQ(answer_mistake(one, {}, true), "");
  // The last axis of a picture is not a list of classes.
  EXPECT_FALSE(difference({floats("y", {1, 1, 2, 2}, {1, 2, 3, 4})},
                          {floats("y", {1, 1, 2, 2}, {1, 2, 3, 4})})
                   .top1.has_value());
}

std::vector<HostTensor> detections(const std::vector<float>& boxes,
                                   const std::vector<std::int64_t>& labels) {
  const auto count = static_cast<std::int64_t>(labels.size());
  return {floats("boxes", {count, 4}, boxes),
          floats("scores", {count}, std::vector<float>(labels.size(), 0.5F)),
          tensor("labels", DType::I64, {count}, labels)};
}

// The boxes come in another order and another number, and one corner has moved by a pixel.
TEST(OutputDifference, BoxesAreFoundAgain) {
  const auto base = detections({0, 0, 10, 10, 20, 20, 40, 40}, {1, 2});
  const auto other = detections({20, 20, 40, 41, 0, 0, 10, 10, 50, 50, 60, 60}, {2, 1, 1});
  const OutputDifference out = difference(base, other);
  EXPECT_EQ(out.boxes, 3u);
  EXPECT_NEAR(out.matched_boxes.value_or(0), 2.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(out.max_error, 1);
  EXPECT_DOUBLE_EQ(out.relative_error, 1.0 / 40);
  EXPECT_EQ(answer_mistake(out, {}, false), "67 % of 3 boxes found again, wanted 90 %");
  EXPECT_EQ(answer_mistake(out, {.min_boxes = 0.6}, false), "");
}

TEST(OutputDifference, BoxesOfAnotherLabelOrPlaceAreOthers) {
  const auto base = detections({0, 0, 10, 10}, {1});
  EXPECT_EQ(difference(base, detections({0, 0, 10, 10}, {2})).matched_boxes, 0);
  // A box of 10 × 4.9 covers less than half of 10 × 10, one of 10 × 5.1 more than half.
  EXPECT_EQ(difference(base, detections({0, 0, 10, 4.9F}, {1})).matched_boxes, 0);
  EXPECT_EQ(difference(base, detections({0, 0, 10, 5.1F}, {1})).matched_boxes, 1);
  // A box is not matched twice.
  EXPECT_EQ(difference(base, detections({0, 0, 10, 10, 0, 0, 10, 10}, {1, 1})).matched_boxes, 0.5);
  const OutputDifference none = difference(detections({}, {}), detections({}, {}));
  EXPECT_EQ(none.matched_boxes, 1);
  EXPECT_EQ(none.boxes, 0u);
}

// The second image has lost one of its two boxes: 3 of 4 are found again. Outputs come image by
// image, or all boxes first; the files that torchvision's detectors are exported to have both.
TEST(OutputDifference, EveryImageOfABatchCounts) {
  const auto joined = [](const std::vector<HostTensor>& one, const std::vector<HostTensor>& two) {
    std::vector<HostTensor> all = one;
    all.insert(all.end(), two.begin(), two.end());
    return all;
  };
  const auto first = detections({0, 0, 10, 10, 20, 20, 40, 40}, {1, 2});
  const auto second = detections({0, 0, 30, 30, 50, 50, 60, 60}, {3, 3});
  const auto lost = detections({0, 0, 30, 32}, {3});
  const OutputDifference out = difference(joined(first, second), joined(first, lost));
  EXPECT_EQ(out.boxes, 4u);
  EXPECT_NEAR(out.matched_boxes.value_or(0), 0.75, 1e-12);
  EXPECT_DOUBLE_EQ(out.max_error, 2);
  EXPECT_DOUBLE_EQ(out.relative_error, 2.0 / 60);
  // Images are not exchanged, even if the numbers of their boxes are the same.
  EXPECT_EQ(difference(joined(first, second), joined(second, first)).matched_boxes, 0);
  const auto by_kind = [](const std::vector<HostTensor>& one, const std::vector<HostTensor>& two) {
    return std::vector<HostTensor>{one[0], two[0], one[1], two[1], one[2], two[2]};
  };
  EXPECT_EQ(difference(by_kind(first, second), by_kind(first, second)).matched_boxes, 1);
  EXPECT_EQ(difference(by_kind(first, second), by_kind(first, lost)).matched_boxes, 0.75);
}

// Two boxes with masks of 2 × 2: the first mask covers 3 of 4 places that either covers, the second
// 1 of 3.
TEST(OutputDifference, AMaskIsFoundAgainIfHalfOfItIs) {
  const auto with_masks = [](const std::vector<float>& masks, std::vector<std::int64_t> dims) {
    auto all = detections({0, 0, 10, 10, 20, 20, 40, 40}, {1, 2});
    all.push_back(floats("masks", std::move(dims), masks));
    return all;
  };
  const auto base = with_masks({0.9F, 0.9F, 0.9F, 0.9F, 0.9F, 0.9F, 0, 0}, {2, 1, 2, 2});
  const auto other = with_masks({0.9F, 0.6F, 0.5F, 0.4F, 0.9F, 0, 0.9F, 0}, {2, 1, 2, 2});
  EXPECT_EQ(difference(base, base).matched_boxes, 1);
  EXPECT_EQ(difference(base, other).matched_boxes, 0.5);
  const auto flat = with_masks({1, 1, 1, 1, 1, 1, 0, 0}, {2, 2, 2});
  EXPECT_EQ(difference(flat, flat).matched_boxes, 1);
  // A mask for one of two boxes is not an answer.
  const auto fewer = compare_outputs(base, with_masks({1, 1, 1, 1}, {1, 1, 2, 2}));
  ASSERT_FALSE(fewer);
  EXPECT_THAT(fewer.error().message, HasSubstr("output \"masks\" is f32 1×1×2×2"));
}

}  // namespace
}  // namespace strata
