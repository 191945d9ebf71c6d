#include "manual/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::manual {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Advice, OptionsAreNamed) {
  EXPECT_EQ(advised(make_error(Code::OtherRun, {.file = "a.json"})),
            "a.json: is of another model, other samples or other options; name another file with "
            "-o, or write over it with --fresh");
  EXPECT_EQ(advised(make_error(Code::MetricCommand, {.detail = "failed"})),
            "--metric-cmd: the command failed");
  EXPECT_EQ(advised(make_error(Code::NeedsInt8, {.model = "net"})),
            "int8 needs a quantized model; give one with --int8 net=FILE");
  EXPECT_EQ(advised(make_error(Code::NoFileFor, {.name = "torch"})),
            "--pair has no file for torch");
  EXPECT_EQ(advised(make_error(Code::JobsAtOnce, {.given = "3"})),
            "--jobs 3: jobs that run at once disturb each other's times");
}

// The option stands before the metric, also where the model is called like it.
TEST(Advice, TheMetricIsAnOption) {
  EXPECT_EQ(advised(make_error(Code::NoClasses, {.model = "kl.onnx", .name = "kl"})),
            "kl.onnx: no output looks like class scores, which --metric kl needs; take sqnr "
            "or cosine, or give --metric-cmd");
}

TEST(Advice, WhereItHappenedStays) {
  EXPECT_EQ(advised(error_in("sample 2 (a.png)",
                             make_error(Code::ImageSize,
                                        {.file = "a.png", .found = "13×9", .wanted = "32×32"}))),
            "sample 2 (a.png): a.png has 13×9 pixels, but the input takes 32×32; resize it with "
            "--resize");
}

TEST(Advice, WithoutACodeTheSentenceIsAsItIs) {
  EXPECT_EQ(advised(Error{"x.onnx: ends early {name}"}), "x.onnx: ends early {name}");
}

TEST(Advice, EveryPatternIsFilled) {
  const ErrorFields all = {"x", "x", "x", "x", "x", "x", "x"};
  for (std::size_t i = 0; i < kCodes; ++i) {
    const Error error = make_error(static_cast<Code>(i), all);
    EXPECT_THAT(advised(error), Not(HasSubstr("{"))) << code_name(error.code);
  }
}

// Python's package has arguments in the place of options; `time` of the program is `timing` there.
TEST(Advice, InPythonArgumentsAreNamed) {
  const auto in_python = [](Error error) { return advised_for(Audience::Python, error); };
  EXPECT_EQ(in_python(make_error(Code::ColumnNeeds, {.name = "time", .wanted = "time"})),
            "column \"time\" needs timing=True");
  EXPECT_EQ(in_python(make_error(Code::ColumnNeeds, {.name = "peak", .wanted = "memory"})),
            "column \"peak\" needs memory=True");
  EXPECT_EQ(in_python(make_error(Code::EndlessSamples)),
            "random samples never end: say how many with samples");
  EXPECT_EQ(in_python(make_error(Code::OutsideData, {}, "m.onnx: its weights are elsewhere")),
            "m.onnx: its weights are elsewhere; if you trust the model, allow it with "
            "allow_outside_data=True");
  EXPECT_EQ(in_python(make_error(Code::NeedsInt8, {.model = "net"})),
            "int8 needs a quantized model; give one with int8={\"net\": FILE}");
  // Names of the user's are not advice.
  EXPECT_EQ(in_python(make_error(Code::NoInt8File, {.file = "a--b.onnx"})),
            "a--b.onnx: there is no such file; check int8");
}

TEST(Advice, InPythonNothingSpeaksOfOptions) {
  const ErrorFields all = {"x", "x", "x", "x", "x", "x", "x"};
  for (std::size_t i = 0; i < kCodes; ++i) {
    const std::string text =
        advised_for(Audience::Python, make_error(static_cast<Code>(i), all, "what happened"));
    EXPECT_THAT(text, Not(HasSubstr("--"))) << text;
    EXPECT_THAT(text, Not(HasSubstr("`strata"))) << text;
    EXPECT_THAT(text, Not(HasSubstr(" -o"))) << text;
  }
}

TEST(Advice, IsForTheAudienceOfTheThread) {
  const Error error = make_error(Code::ColumnNeeds, {.name = "time", .wanted = "time"});
  EXPECT_EQ(advised(error), "column \"time\" needs --time");
  {
    const AudienceScope scope(audience_from_name("python"));
    EXPECT_EQ(advised(error), "column \"time\" needs timing=True");
  }
  EXPECT_EQ(advised(error), "column \"time\" needs --time");
}

TEST(Advice, SentencesAboutOptionsAreTurned) {
  EXPECT_EQ(in_words_of(Audience::Python, "--max-wait has no effect: nothing is run; add --time"),
            "max_wait has no effect: nothing is run; add timing=True");
  EXPECT_EQ(in_words_of(Audience::Program, "--time"), "--time");
  EXPECT_EQ(in_words_of(Audience::Python, "a--b, -- and well-known stay"),
            "a--b, -- and well-known stay");
}

}  // namespace
}  // namespace strata::manual
