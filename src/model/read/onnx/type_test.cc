#include "read/onnx/type.h"

#include <gtest/gtest.h>

#include "read/onnx/size_text.h"
#include "read/onnx/test_proto.h"

namespace strata::onnx {
namespace {

using namespace test;

TypeInfo input_type(const std::string& type) {
  static std::string bytes;
  bytes = model(GraphParts{.inputs = {value("x", type)}});
  auto model = read_onnx(bytes, "m.onnx");
  return model ? *model->graph().tensors[0].type : TypeInfo{};
}

std::string complaint(const Texts& sizes) {
  const std::string bytes = model(GraphParts{.inputs = {value("x", 1, sizes)}});
  const auto model = read_onnx(bytes, "m.onnx");
  return model ? "" : model.error().message;
}

TEST(Type, NumbersAndSymbols) {
  const TypeInfo type = input_type(tensor_type(10, {"1", "3", "H", "W"}));
  EXPECT_EQ(type.kind, ValueKind::Tensor);
  EXPECT_EQ(type.dtype, DType::F16);
  EXPECT_TRUE(type.ranked);
  EXPECT_EQ(text(type.dims), "1×3×H×W");
}

TEST(Type, OpenSizesOfInputsGetNames) {
  EXPECT_EQ(text(input_type(tensor_type(1, {"", "3", "-1", "?"})).dims), "x_d0×3×x_d2×x_d3");
}

TEST(Type, AScalarIsRankedAndNoShapeIsNot) {
  EXPECT_TRUE(input_type(tensor_type(1, {})).ranked);
  std::string type;
  std::string tensor;
  protozero::pbf_writer(tensor).add_int32(1, 7);
  protozero::pbf_writer(type).add_message(1, tensor);
  EXPECT_FALSE(input_type(type).ranked);
  EXPECT_EQ(input_type(type).dtype, DType::I64);
  EXPECT_FALSE(input_type("").ranked);
}

TEST(Type, Containers) {
  const std::string f32 = tensor_type(1, {"2"});
  const std::string sequence = type_of(proto::type::kSequence, f32);
  EXPECT_EQ(input_type(sequence).kind, ValueKind::Sequence);
  EXPECT_EQ(text(input_type(sequence).dims), "2");
  EXPECT_EQ(input_type(type_of(proto::type::kOptional, f32)).kind, ValueKind::Optional);
  EXPECT_EQ(input_type(type_of(proto::type::kOptional, sequence)).kind,
            ValueKind::OptionalSequence);
  std::string map;
  protozero::pbf_writer(map).add_message(proto::type::kMap, std::string());
  EXPECT_EQ(input_type(map).kind, ValueKind::Map);
  EXPECT_EQ(input_type(type_of(proto::type::kSequence, map)).kind, ValueKind::SequenceOfMap);
  EXPECT_EQ(input_type(type_of(proto::type::kSequence, sequence)).kind, ValueKind::Opaque);
  std::string sparse = f32;
  sparse[0] = static_cast<char>(proto::type::kSparseTensor << 3 | 2);
  EXPECT_EQ(input_type(sparse).kind, ValueKind::Sparse);
}

TEST(Type, DeepNestingEndsEarly) {
  std::string type = tensor_type(1, {"2"});
  for (int i = 0; i < 1000; ++i) type = type_of(proto::type::kSequence, type);
  EXPECT_EQ(input_type(type).kind, ValueKind::Opaque);
}

TEST(Type, ImpossibleSizes) {
  EXPECT_EQ(complaint({"2", "-5"}), "m.onnx: the file declares \"x\" with an axis of size -5");
  EXPECT_EQ(complaint({"1099511627776", "1099511627776"}),
            "m.onnx: the file declares \"x\" with a shape that overflows: "
            "\"1099511627776×1099511627776\"");
  EXPECT_EQ(complaint({"9223372036854775807"}),
            "m.onnx: the file declares \"x\" with a shape that overflows");
  EXPECT_EQ(complaint(Texts(1001, "1")),
            "m.onnx: the file declares \"x\" with more than 1000 axes");
  EXPECT_EQ(complaint(Texts(1000, "1")), "");
}

TEST(SizeText, FormulasAreFormulas) {
  EXPECT_EQ(size_from_text("batch").text(), "batch");
  EXPECT_EQ(size_from_text("past_len + seq_len"),
            Expr::symbol("past_len") + Expr::symbol("seq_len"));
  EXPECT_EQ(size_from_text("2*s0 - 1"), Expr::symbol("s0") * 2 - 1);
  EXPECT_EQ(size_from_text("(s0 + 1)//2"), floor_div(Expr::symbol("s0") + 1, 2));
  EXPECT_EQ(size_from_text("Max(1, s0 - 2)"), max(1, Expr::symbol("s0") - 2));
  EXPECT_EQ(size_from_text("3*Min(s0, s1)"), 3 * min(Expr::symbol("s0"), Expr::symbol("s1")));
}

TEST(SizeText, WhatIsNoFormulaIsAName) {
  for (const std::string text :
       {"batch-size", "a/b", "a +", "(a", "3 + 4", "Tokens per second", "a b", "x*", "--"})
    EXPECT_EQ(size_from_text(text), Expr::symbol(text)) << text;
  const std::string deep = std::string(200, '(') + "a" + std::string(200, ')');
  EXPECT_EQ(size_from_text(deep), Expr::symbol(deep));
}

}  // namespace
}  // namespace strata::onnx
