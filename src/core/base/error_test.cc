#include "strata/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "strata/base/result.h"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Error, ACodeHasAKindAndASentence) {
  const Error error = make_error(Code::NoSuchBase, {.given = "fast", .found = "a; b"});
  EXPECT_EQ(error.message, "fast: there is no such variant; the variants are: a; b");
  EXPECT_EQ(error.kind, ErrorKind::Usage);
  EXPECT_EQ(error.code, Code::NoSuchBase);
  EXPECT_EQ(error.fields().given, "fast");
  EXPECT_EQ(error.fields().file, "");
}

TEST(Error, TheCallerMayWordIt) {
  const Error error = make_error(Code::NotFinite, {.name = "a"}, "layer a has 2 NaN elements");
  EXPECT_EQ(error.message, "layer a has 2 NaN elements");
  EXPECT_EQ(error.kind, ErrorKind::Model);
  EXPECT_EQ(error.fields().name, "a");
}

TEST(Error, WithoutACodeItHasNoFields) {
  const auto failed = failure("x.onnx: ends early");
  EXPECT_EQ(failed.value().code, Code::General);
  EXPECT_EQ(failed.value().fields().file, "");
}

// Where it happened is added on the way; what happened stays.
TEST(Error, TheCodeStaysOnTheWay) {
  const Result<int> read = failure(Code::EngineMissing, {.name = "torch", .found = "a\n  b"});
  const Result<double> above = failure(read);
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error().code, Code::EngineMissing);
  const Result<void> outside = failure_in("sample 3", above);
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().message, "sample 3: no engine \"torch\" on this machine");
  EXPECT_EQ(outside.error().code, Code::EngineMissing);
  EXPECT_EQ(outside.error().fields().found, "a\n  b");
}

TEST(Error, PatternsAreFilled) {
  const Error error =
      make_error(Code::General, {.file = "f", .name = "{file}"}, "it {name} failed");
  EXPECT_EQ(with_fields("{message}; see {file}", error), "it {name} failed; see f");
  EXPECT_EQ(with_fields("{name}", error), "{file}") << "what is filled in is not a pattern";
  EXPECT_EQ(with_fields("{other} {", error), "{other} {");
  EXPECT_EQ(with_fields("", error), "");
}

TEST(Error, TheCallerPhrasesIt) {
  const Error error = make_error(Code::NeedsInt8, {.model = "net"});
  EXPECT_EQ(phrased({}, error), "int8 needs a quantized model");
  const Phrase phrase = [](const Error& e) { return with_fields("{message}: {model}", e); };
  EXPECT_EQ(phrased(phrase, error), "int8 needs a quantized model: net");
}

TEST(Error, EveryCodeHasANameAndFieldsThatThereAre) {
  const ErrorFields all = {"x", "x", "x", "x", "x", "x", "x"};
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kCodes; ++i) {
    const Code code = static_cast<Code>(i);
    EXPECT_TRUE(names.insert(code_name(code)).second) << code_name(code);
    EXPECT_THAT(make_error(code, all).message, Not(HasSubstr("{"))) << code_name(code);
  }
}

}  // namespace
}  // namespace strata
