#include "strata/infer/size_text.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(SizeText, ShapesHaveNumbersAndNames) {
  EXPECT_EQ(text(parse_dims("1x3x224x224").value()), "1×3×224×224");
  EXPECT_EQ(text(parse_dims("Nx3,H,W").value()), "N×3×H×W");
  EXPECT_TRUE(parse_dims("").value().empty());
  EXPECT_TRUE(parse_dims("scalar").value().empty());
  EXPECT_EQ(parse_dims("1x?").error().message, "\"?\" is neither a size nor the name of one");
  EXPECT_EQ(parse_dims("1x-2").error().message, "a size cannot be -2");
}

TEST(SizeText, AnInputHasANameAndAShape) {
  const auto shape = parse_input_shape("a=b=2x3");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->name, "a=b");
  EXPECT_EQ(text(shape->dims), "2×3");
  EXPECT_FALSE(shape->type);
  EXPECT_EQ(parse_input_shape("2x3")->name, "") << "the only input needs no name";
  EXPECT_EQ(text(parse_input_shape("2x3")->dims), "2×3");
  EXPECT_EQ(parse_input_shape("=2x3").error().message, "=2x3: write it as NAME=1x3x224x224");
  EXPECT_EQ(parse_input_shape("x=2x+").error().message,
            "x=2x+: \"+\" is neither a size nor the name of one");
}

TEST(SizeText, AnInputMayHaveAType) {
  const auto ids = parse_input_shape("ids=1x128:int64");
  ASSERT_TRUE(ids) << ids.error().message;
  EXPECT_EQ(ids->name, "ids");
  EXPECT_EQ(text(ids->dims), "1×128");
  EXPECT_EQ(ids->type, DType::I64);
  EXPECT_EQ(parse_input_shape("ids=1x128:i64")->type, DType::I64);
  EXPECT_EQ(parse_input_shape("scale=scalar:float64")->type, DType::F64);
  EXPECT_TRUE(parse_input_shape("flag=:bool")->dims.empty());
  EXPECT_EQ(parse_input_shape("ids=1x128:long").error().message,
            "ids=1x128:long: there is no type \"long\"; there are float32, float64, float16, "
            "bfloat16, int64, int32, int16, int8, uint8, bool");
  EXPECT_EQ(parse_input_shape("ids=1x128:").error().kind, ErrorKind::Usage);
}

TEST(SizeText, ASizeIsANumber) {
  EXPECT_EQ(parse_size("batch=8").value(), (std::pair<std::string, std::int64_t>("batch", 8)));
  EXPECT_EQ(parse_size("batch").error().message, "batch: write it as NAME=SIZE");
  EXPECT_EQ(parse_size("=8").error().message, "=8: write it as NAME=SIZE");
  EXPECT_EQ(parse_size("batch=-8").error().message, "batch=-8: a size cannot be negative");
  EXPECT_EQ(parse_size("batch").error().kind, ErrorKind::Usage);
}

TEST(SizeText, ASymbolHasOneSize) {
  EXPECT_EQ(parse_size_list({"a=1", "b=2"})->size(), 2u);
  EXPECT_EQ(parse_size_list({"a=1", "b"}).error().message, "b: write it as NAME=SIZE");
  EXPECT_EQ(parse_size_list({"a=1", "a=2"}).error().message, "gives \"a\" two sizes: 1 and 2");
  EXPECT_EQ(parse_input_shapes({"x=1x2", "y=3"})->back().name, "y");
  EXPECT_FALSE(parse_input_shapes({"x=1x2", "=3"}));
}

TEST(SizeText, FilesAreToldFromShapes) {
  const std::vector<std::string> inputs = {"x=1x3", "x=photo.npy", "all.npz", "b.pb", "npy=2"};
  EXPECT_EQ(input_files(inputs), (std::vector<std::string>{"x=photo.npy", "all.npz", "b.pb"}));
  EXPECT_EQ(input_shapes(inputs), (std::vector<std::string>{"x=1x3", "npy=2"}));
}

}  // namespace
}  // namespace strata
