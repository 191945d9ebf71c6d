#include "strata/bench/variant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Variant, LabelSaysWhatIsNotTheUsual) {
  Variant variant;
  variant.engine = "onnxruntime";
  variant.session.threads = 1;
  EXPECT_EQ(variant.label(), "onnxruntime");
  variant.style = "opt=off";
  variant.session.precision = "bf16";
  variant.session.threads = 2;
  variant.batch = 4;
  variant.shape = "max";
  EXPECT_EQ(variant.label(), "onnxruntime:opt=off bf16 2 threads batch 4 max");
}

TEST(Variant, PrecisionIsWhatIsAskedForOrStored) {
  Variant variant;
  EXPECT_EQ(variant.precision(), "fp32");
  EXPECT_FALSE(variant.is_lossy());
  variant.stored = "int8";
  EXPECT_EQ(variant.precision(), "int8");
  EXPECT_TRUE(variant.is_lossy());
  variant.session.precision = "fp16";
  EXPECT_EQ(variant.precision(), "fp16");
}

TEST(EngineStyle, NameAndOptions) {
  const auto plain = parse_engine_style("onnxruntime");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->engine, "onnxruntime");
  EXPECT_EQ(plain->style, "");
  EXPECT_EQ(plain->optimization, STRATA_OPT_ALL);
  const auto style = parse_engine_style("onnxruntime:spin=0,opt=off,config.a.b=c");
  ASSERT_TRUE(style);
  EXPECT_EQ(style->engine, "onnxruntime");
  EXPECT_EQ(style->style, "spin=0,opt=off,config.a.b=c");
  EXPECT_EQ(style->optimization, STRATA_OPT_NONE);
  EXPECT_THAT(style->options, ElementsAre("spin=0", "config.a.b=c"));
  EXPECT_EQ(parse_engine_style("x:opt=basic")->optimization, STRATA_OPT_BASIC);
  EXPECT_EQ(parse_engine_style("x:opt=extended")->optimization, STRATA_OPT_EXTENDED);
}

// They are not part of the style: a label has the precision beside it.
TEST(EngineStyle, Precisions) {
  EXPECT_TRUE(parse_engine_style("torch:mode=eager")->precisions.empty());
  const auto style = parse_engine_style("torch:mode=eager,precision=fp32+bf16,library=a.so");
  ASSERT_TRUE(style);
  EXPECT_EQ(style->style, "mode=eager,library=a.so");
  EXPECT_THAT(style->options, ElementsAre("mode=eager", "library=a.so"));
  EXPECT_THAT(style->precisions, ElementsAre("fp32", "bf16"));
  EXPECT_EQ(parse_engine_style("onnxruntime:precision=int8")->style, "");
}

TEST(EngineStyle, MistakesAreUsage) {
  for (const char* text :
       {"", ":opt=off", "onnxruntime:", "x:opt=fast", "x:a=1,,b=2",
        "x:precision=", "x:precision=fp32+", "x:precision=fp32,precision=bf16"}) {
    const auto style = parse_engine_style(text);
    ASSERT_FALSE(style) << text;
    EXPECT_EQ(style.error().kind, ErrorKind::Usage);
    EXPECT_THAT(style.error().message, HasSubstr("onnxruntime:opt=off"));
  }
}

}  // namespace
}  // namespace strata
