#include "strata/zoo/zoo.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/cost/cost.h"

namespace strata::zoo {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Parameter kZooTestParameters[] = {
    {"batch", ParameterKind::Size, "1", "images at once"},
    {"classes", ParameterKind::Whole, "1000", "outputs", 2, 5000},
    {"width", ParameterKind::Real, "1", "factor", 0.5, 2},
    {"dtype", ParameterKind::Choice, "f32", "type", 0, 0, "f32|f16"},
};

Result<Arguments> parsed(std::string_view text) {
  return parse_arguments("net", kZooTestParameters, text);
}

std::string error_of(std::string_view text) {
  const auto arguments = parsed(text);
  if (arguments) return "no error";
  EXPECT_EQ(arguments.error().kind, ErrorKind::Usage) << text;
  return arguments.error().message;
}

TEST(Arguments, HaveTheirUsualValues) {
  const auto arguments = parsed("");
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->size("batch").text(), "1");
  EXPECT_EQ(arguments->whole("classes"), 1000);
  EXPECT_EQ(arguments->real("width"), 1.0);
  EXPECT_EQ(arguments->word("dtype"), "f32");
}

TEST(Arguments, AreReadInAnyOrder) {
  const auto arguments = parsed("dtype=f16&width=0.75&batch=8&classes=2");
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->size("batch").text(), "8");
  EXPECT_EQ(arguments->whole("classes"), 2);
  EXPECT_EQ(arguments->real("width"), 0.75);
  EXPECT_EQ(arguments->word("dtype"), "f16");
}

TEST(Arguments, ASizeCanStayOpen) {
  EXPECT_EQ(parsed("batch=N")->size("batch").text(), "N");
  EXPECT_EQ(parsed("batch=images_2")->size("batch").text(), "images_2");
}

TEST(Arguments, EveryMistakeHasItsSentence) {
  EXPECT_EQ(error_of("depth=3"),
            "zoo:net has no parameter \"depth\"; its parameters are batch=1, classes=1000, "
            "width=1, dtype=f32");
  EXPECT_EQ(error_of("width"), "zoo:net: write width=VALUE, such as width=1");
  EXPECT_EQ(error_of("width=1&batch=2&width=2"), "zoo:net: width is given twice");
  for (const char* bad : {"0", "-1", "", "2N", "a-b", "1.5", "99999999999999999999"})
    EXPECT_EQ(error_of(fmt::format("batch={}", bad)),
              fmt::format("zoo:net: batch={} must be a size of at least 1, or a name for an open "
                          "one",
                          bad));
  for (const char* bad : {"1", "5001", "ten", "", "7.5"})
    EXPECT_EQ(error_of(fmt::format("classes={}", bad)),
              fmt::format("zoo:net: classes={} must be a whole number from 2 to 5000", bad));
  for (const char* bad : {"0.4", "2.1", "wide", "nan", "inf", ""})
    EXPECT_EQ(error_of(fmt::format("width={}", bad)),
              fmt::format("zoo:net: width={} must be a number from 0.5 to 2", bad));
  for (const char* bad : {"f64", "f", "f32|f16", ""})
    EXPECT_EQ(error_of(fmt::format("dtype={}", bad)),
              fmt::format("zoo:net: dtype={} must be one of f32|f16", bad));
  EXPECT_EQ(error_of("&"),
            "zoo:net has no parameter \"\"; its parameters are batch=1, "
            "classes=1000, width=1, dtype=f32");
}

TEST(Arguments, OfANetworkWithoutParameters) {
  EXPECT_TRUE(parse_arguments("net", {}, ""));
  EXPECT_EQ(parse_arguments("net", {}, "a=1").error().message,
            "zoo:net has no parameter \"a\"; it has none");
}

TEST(Zoo, IsInOrderAndDescribesItself) {
  const auto& all = entries();
  const auto by_name = [](const Entry& a, const Entry& b) { return a.name < b.name; };
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), by_name));
  for (const Entry& entry : all) {
    SCOPED_TRACE(entry.name);
    EXPECT_EQ(find(entry.name), &entry);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_FALSE(entry.cls.empty());
    for (const Parameter& parameter : entry.parameters) EXPECT_FALSE(parameter.help.empty());
    // The default values are valid for their kind.
    std::string text;
    for (const Parameter& parameter : entry.parameters)
      text += fmt::format("{}{}={}", text.empty() ? "" : "&", parameter.name, parameter.usual);
    const auto arguments = parse_arguments(entry.name, entry.parameters, text);
    EXPECT_TRUE(arguments) << arguments.error().message;
  }
  EXPECT_EQ(find("resnet"), nullptr);
}

TEST(Zoo, AnUnknownNameOffersNearOnes) {
  const auto error = [](std::string_view name) { return build(name).error().message; };
  EXPECT_EQ(error("resnet51?batch=2"),
            "there is no network \"resnet51\" in the zoo (did you mean resnet50, resnet101 or "
            "resnet152?)");
  EXPECT_EQ(error("xxxxxxxxxxxxxxxx"), "there is no network \"xxxxxxxxxxxxxxxx\" in the zoo");
  EXPECT_THAT(error("googlenet_v2"), HasSubstr("did you mean googlenet or mobilenet_v2"));
}

TEST(Zoo, AMistakeInANetworkNamesTheNetwork) {
  const auto message = [](std::string_view name) { return build(name).error().message; };
  EXPECT_EQ(message("vgg11?resolution=256"),
            "zoo:vgg11?resolution=256: an average over 8×8 to 7×7 has windows of several sizes, "
            "which ONNX has no operator for; choose a resolution that divides");
  EXPECT_THAT(message("alexnet?resolution=8"),
              AllOf(HasSubstr("zoo:alexnet?resolution=8: "), HasSubstr("/features/features.2/")));
}

TEST(Zoo, AnUnknownParameterIsAMistakeOfTheCaller) {
  const auto network = build("alexnet?depth=2");
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().kind, ErrorKind::Usage);
  EXPECT_THAT(network.error().message, HasSubstr("zoo:alexnet has no parameter \"depth\""));
}

TEST(Zoo, ABatchReplacesAnother) {
  EXPECT_EQ(with_batch("alexnet", 4), "alexnet?batch=4");
  EXPECT_EQ(with_batch("alexnet?batch=2&classes=5", 4), "alexnet?classes=5&batch=4");
  EXPECT_EQ(with_batch("alexnet?classes=5&batch=N", 4), "alexnet?classes=5&batch=4");
}

bool has(const Entry& entry, std::string_view name, ParameterKind kind) {
  return std::any_of(entry.parameters.begin(), entry.parameters.end(),
                     [&](const Parameter& p) { return p.name == name && p.kind == kind; });
}

class EveryNetwork : public testing::TestWithParam<std::string> {};

TEST_P(EveryNetwork, BuildsWithItsUsualParameters) {
  const Entry& entry = *find(GetParam());
  const auto network = build(entry.name);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_TRUE(network->inference.unsupported.empty());
  EXPECT_EQ(network->model.path, fmt::format("zoo:{}", entry.name));
  EXPECT_EQ(network->model.graph().name, entry.name);
  EXPECT_EQ(network->model.scopes[0].cls, entry.cls);
  const Costs costs = count(network->model);
  EXPECT_TRUE(costs.unknown_ops.empty());
  EXPECT_GT(costs.total.params.number().value_or(0), 0);
}

TEST_P(EveryNetwork, CanLeaveItsBatchOpen) {
  const Entry& entry = *find(GetParam());
  if (!has(entry, "batch", ParameterKind::Size)) return;
  const auto one = build(entry.name);
  const auto open = build(fmt::format("{}?batch=N", entry.name));
  ASSERT_TRUE(one && open) << open.error().message;
  const Costs fixed = count(one->model), any = count(open->model);
  EXPECT_EQ(any.total.params.text(), fixed.total.params.text());
  EXPECT_EQ(any.total.macs.text(), fixed.total.macs.text() + "·N");
}

// The model stands for a file that was exported with a fixed batch: the sizes it stores follow.
TEST_P(EveryNetwork, TakesAnotherBatchThanItWasBuiltFor) {
  auto network = build(GetParam());
  const auto three = build(with_batch(GetParam(), 3));
  ASSERT_TRUE(network && three) << three.error().message;
  InferOptions options;
  options.batch = 3;
  const auto inferred = infer(network->model, options);
  if (!has(*find(GetParam()), "batch",
           ParameterKind::Size)) {  // detectors: one image after another
    ASSERT_FALSE(inferred);
    EXPECT_THAT(inferred.error().message, HasSubstr("this file was made for a batch of 1"));
    return;
  }
  ASSERT_TRUE(inferred) << inferred.error().message;
  const Costs scaled = count(network->model), built = count(three->model);
  EXPECT_EQ(scaled.total.macs, built.total.macs);
  EXPECT_EQ(scaled.total.flops(), built.total.flops());
  EXPECT_EQ(scaled.total.write_bytes, built.total.write_bytes);
  EXPECT_EQ(scaled.total.params, built.total.params);
}

TEST_P(EveryNetwork, HasItsWeightsInTheTypeAskedFor) {
  const Entry& entry = *find(GetParam());
  if (!has(entry, "dtype", ParameterKind::Choice)) return;
  const auto full = build(entry.name);
  const auto half = build(fmt::format("{}?dtype=f16", entry.name));
  ASSERT_TRUE(full && half) << half.error().message;
  const Costs a = count(full->model), b = count(half->model);
  EXPECT_EQ((b.total.param_bytes * 2).text(), a.total.param_bytes.text());
  EXPECT_EQ(b.total.macs.text(), a.total.macs.text());
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Entry& entry : entries()) all.emplace_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetwork, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

// torchvision 0.14's figures for its own, newer networks.
TEST(MnasNet, StemCanScaleWithTheWidth) {
  const auto params = [](std::string_view name) {
    return count(build(name)->model).total.params.text();
  };
  EXPECT_EQ(params("mnasnet0_5?stem=scaled"), "2218512");
  EXPECT_EQ(params("mnasnet1_0?stem=scaled"), params("mnasnet1_0"));
  EXPECT_EQ(params("mnasnet1_0?width=0.5"), params("mnasnet0_5"));
}

}  // namespace
}  // namespace strata::zoo
