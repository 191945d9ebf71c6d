#include "read/onnx/attribute.h"

#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"

namespace strata::onnx {
namespace {

using namespace test;

// A model with one node that has one attribute `a`, and that attribute.
class AttributeTest : public testing::Test {
 protected:
  const Attribute& read(const std::string& message) {
    bytes_ = chain({node("Op", {"x"}, {"y"}, {.name = "n", .attributes = {message}})});
    model_ = read_onnx(bytes_, "m.onnx");
    EXPECT_TRUE(model_) << model_.error().message;
    static const Attribute kNothing = {};
    if (!model_) return kNothing;
    const Attribute* found = model_->graph().nodes[0].attribute("a");
    return found == nullptr ? kNothing : *found;
  }
  std::string complaint(const std::string& message) {
    bytes_ = chain({node("Op", {"x"}, {"y"}, {.name = "n", .attributes = {message}})});
    model_ = read_onnx(bytes_, "m.onnx");
    return model_ ? "" : model_.error().message;
  }

  std::string bytes_;
  Result<Model> model_;
};

TEST_F(AttributeTest, SingleValues) {
  EXPECT_EQ(std::get<std::int64_t>(read(int_attribute("a", -3)).value), -3);
  EXPECT_EQ(std::get<float>(read(attribute("a", 1, [](auto& w) { w.add_float(2, 0.5f); })).value),
            0.5f);
  EXPECT_EQ(std::get<std::string_view>(
                read(attribute("a", 3, [](auto& w) { w.add_string(4, "linear"); })).value),
            "linear");
}

TEST_F(AttributeTest, Lists) {
  const auto ints =
      std::get<std::span<const std::int64_t>>(read(ints_attribute("a", {1, 2, 300})).value);
  EXPECT_EQ(std::vector(ints.begin(), ints.end()), (Sizes{1, 2, 300}));
  const Sizes many(20, 7);
  const auto packed =
      std::get<std::span<const std::int64_t>>(read(attribute("a", 7, [&](auto& w) {
                                                w.add_packed_int64(8, many.begin(), many.end());
                                              })).value);
  EXPECT_EQ(std::vector(packed.begin(), packed.end()), many);
  const auto floats = std::get<std::span<const float>>(
      read(attribute("a", 6, [](auto& w) { w.add_float(7, 1.5f), w.add_float(7, 2.5f); })).value);
  EXPECT_EQ(std::vector(floats.begin(), floats.end()), (std::vector<float>{1.5f, 2.5f}));
  const auto texts = std::get<std::span<const std::string_view>>(
      read(attribute("a", 8, [](auto& w) { w.add_string(9, "p"), w.add_string(9, "q"); })).value);
  EXPECT_EQ(texts[1], "q");
}

TEST_F(AttributeTest, AnEmptyListHasOnlyAType) {
  EXPECT_TRUE(
      std::get<std::span<const std::int64_t>>(read(attribute("a", 7, [](auto&) {})).value).empty());
  EXPECT_EQ(std::get<std::int64_t>(read(attribute("a", 2, [](auto&) {})).value), 0);
}

TEST_F(AttributeTest, OldFilesLeaveTheTypeOut) {
  EXPECT_EQ(
      std::get<std::int64_t>(read(attribute("a", 0, [](auto& w) { w.add_int64(3, 5); })).value), 5);
  const auto ints = std::get<std::span<const std::int64_t>>(
      read(attribute("a", 0, [](auto& w) { w.add_int64(8, 5); })).value);
  EXPECT_EQ(ints[0], 5);
}

TEST_F(AttributeTest, TensorsTypesAndGraphs) {
  const auto* data =
      std::get<const TensorData*>(read(tensor_attribute("a", raw_tensor("", 2, {2}, "ab"))).value);
  EXPECT_EQ(data->bytes, "ab");
  const auto* type = std::get<const TypeInfo*>(
      read(attribute("a", 13, [](auto& w) { w.add_message(14, tensor_type(1, {"3"})); })).value);
  EXPECT_EQ(text(type->dims), "3");
  const std::string body = graph({.outputs = {value("x")}});
  EXPECT_EQ(std::get<Graph*>(read(graph_attribute("a", body)).value)->outputs.size(), 1u);
  const auto graphs = std::get<std::span<Graph* const>>(read(attribute("a", 10, [&](auto& w) {
                                                          w.add_message(11, body),
                                                              w.add_message(11, body);
                                                        })).value);
  EXPECT_EQ(graphs.size(), 2u);
  EXPECT_EQ(model_->graphs.size(), 3u);
}

TEST_F(AttributeTest, WhatNoRuleNeedsIsKeptAsItIs) {
  const std::string tensors =
      attribute("a", 9, [](auto& w) { w.add_message(10, tensor("", 1, {})); });
  EXPECT_EQ(std::get<Encoded>(read(tensors).value).bytes, tensors);
  const std::string nothing = attribute("a", 0, [](auto&) {});
  EXPECT_EQ(std::get<Encoded>(read(nothing).value).bytes, nothing);
}

TEST_F(AttributeTest, TypeAndValueMustAgree) {
  EXPECT_EQ(complaint(attribute("a", 2, [](auto& w) { w.add_int64(8, 5); })),
            "m.onnx: Op \"n\": its attribute \"a\" says that it is of type 2, but has a value of "
            "type 7");
  // Integers and texts: neither list is as long as the two together.
  EXPECT_EQ(complaint(attribute("a", 8,
                                [](auto& w) {
                                  w.add_int64(8, 5);
                                  w.add_string(9, "p");
                                })),
            "m.onnx: Op \"n\": an attribute of it has values of several types");
  EXPECT_EQ(complaint(reference("a", "alpha", 1)),
            "m.onnx: Op \"n\": its attribute \"a\" refers to a function's attribute \"alpha\", but "
            "it is in no function");
}

}  // namespace
}  // namespace strata::onnx
