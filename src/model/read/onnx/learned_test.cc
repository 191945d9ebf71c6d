#include "read/onnx/learned.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"
#include "strata/read/read.h"

namespace strata::onnx {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr int kFloat = 1, kInt64 = 7;

// Reads a file with these stored tensors and returns whether each is learned.
std::map<std::string, Learned> learned_in(const GraphParts& stored,
                                          std::vector<std::string>* notes = nullptr) {
  GraphParts parts = stored;
  parts.nodes = {node("Shape", {"x"}, {"view_5"}), node("Op", {"view_5"}, {"y"})};
  parts.outputs = {value("y")};
  const std::string bytes = model(parts);
  const auto read = read_onnx(bytes, "m.onnx");
  if (!read) throw std::runtime_error(read.error().message);
  if (notes != nullptr) *notes = read->notes;
  std::map<std::string, Learned> learned;
  for (const TensorData& data : read->stored) learned[std::string(data.name)] = data.learned;
  return learned;
}

// Names and lists as in torch 2.13's file of torchvision's vit_b_32.
TEST(Learned, TensorsOutsideTheListOfParameters) {
  std::vector<std::string> notes;
  const auto learned = learned_in(
      {.inputs = {value_of_kind("x", "USER_INPUT")},
       .initializers = {tensor("fc.weight", kFloat, {4, 8}), tensor("mean", kFloat, {4}),
                        tensor("val_12", kFloat, {8, 24}), tensor("expand", kFloat, {1, 1, 8}),
                        tensor("val_80", kFloat, {1}), tensor("val_88", kFloat, {}),
                        tensor("val_5", kFloat, {}), tensor("val_4", kInt64, {3}),
                        tensor("mul", kFloat, {3}), tensor("undeclared", kFloat, {3})},
       .declared = {value_of_kind("fc.weight", "PARAMETER"), value_of_kind("mean", "BUFFER"),
                    folded_value("val_12", "['encoder.0.in_proj_weight']"),
                    folded_value("expand", "['class_token', 'val_6', 'val_7']"),
                    folded_value("val_80", "['val_58', 'val_59', 'view_5']"),
                    folded_value("val_88", "['val_73', 'val_74']"), value("val_5"),
                    folded_value("val_4", "['val_1', 'val_2']"),
                    folded_value("mul", "['arange_1', 'val_2']")}},
      &notes);
  EXPECT_THAT(learned,
              UnorderedElementsAre(Pair("fc.weight", Learned::Yes), Pair("mean", Learned::No),
                                   Pair("val_12", Learned::Yes), Pair("expand", Learned::Yes),
                                   Pair("val_80", Learned::No), Pair("val_88", Learned::No),
                                   Pair("val_5", Learned::No), Pair("val_4", Learned::Unknown),
                                   Pair("mul", Learned::No), Pair("undeclared", Learned::Unknown)));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(Learned, ANoteNamesWhatWasComputedFromParameters) {
  std::vector<std::string> notes;
  const auto learned = learned_in(
      {.inputs = {value("x")},
       .initializers = {tensor("w", kFloat, {4}), tensor("unsqueeze", kFloat, {1, 3, 16, 16}),
                        tensor("add_5", kFloat, {16, 3, 16, 16}),
                        tensor("val_166", kFloat, {49, 49}), tensor("expand", kFloat, {2, 1, 8}),
                        tensor("neg", kFloat, {4, 8})},
       .declared = {value_of_kind("w", "PARAMETER"),
                    folded_value("unsqueeze", "['clone_2', 'attn.bias_table', 'attn.index']"),
                    folded_value("add_5", "['arange', 'clone_7', 'attn.bias_table', 'val_3']"),
                    folded_value("expand", "['attn.token', 'val_6']"),
                    folded_value("neg", "['attn.log', 'exp']"),
                    folded_value("val_166", "['clone_10', 'attn.lifted_tensor_0', 'fill']")}},
      &notes);
  EXPECT_EQ(learned.at("unsqueeze"), Learned::No);
  EXPECT_EQ(learned.at("add_5"), Learned::No);
  EXPECT_EQ(learned.at("val_166"), Learned::No);
  EXPECT_EQ(learned.at("expand"), Learned::No);  // 8 parameters or 16
  EXPECT_EQ(learned.at("neg"), Learned::Yes);
  EXPECT_THAT(notes,
              ElementsAre("the exporter computed 3 tensors from parameters or buffers that it "
                          "left out of the file, such as \"unsqueeze\" from "
                          "\"attn.bias_table\"; those are not counted"));
}

TEST(Learned, FilesThatSayNothingLeaveItOpen) {
  const auto learned =
      learned_in({.inputs = {value("x")},
                  .initializers = {tensor("w", kFloat, {4}), tensor("v", kFloat, {4})},
                  .declared = {value("w"), folded_value("v", "['fc.weight']")}});
  EXPECT_THAT(learned,
              UnorderedElementsAre(Pair("w", Learned::Unknown), Pair("v", Learned::Unknown)));
}

}  // namespace
}  // namespace strata::onnx
