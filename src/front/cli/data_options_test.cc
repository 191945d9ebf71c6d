#include "cli/data_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "manual/advice.h"
#include "options/options.h"
#include "strata/infer/infer.h"

namespace strata::cli {
namespace {

using testing::HasSubstr;

const std::string kImages = STRATA_SOURCE_DIR "/tests/data/images/";

Model image_model() {
  auto model = model_from_text("input x f32[1,3,8,8]\ny = Relu(x)\noutput y\n");
  EXPECT_TRUE(model && infer(*model));
  return std::move(*model);
}

DataOptions parse(const std::string& line) {
  DataOptions options;
  App app;
  options.add_to(app);
  const auto parsed = app.parse(line);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return options;
}

std::string complaint(const std::string& line) {
  DataOptions options;
  App app;
  options.add_to(app);
  const auto parsed = app.parse(line);
  return parsed ? "" : parsed.error().message;
}

std::string description(const std::string& line) {
  const Model model = image_model();
  const auto request = parse(line).request();
  if (!request) return manual::advised(request.error());
  const auto dataset = request->open(model);
  return dataset ? dataset->describe() : dataset.error().message;
}

TEST(DataOptions, ReachTheDataSet) {
  const std::string file = kImages + "large.png";
  EXPECT_EQ(
      description("--data " + file +
                  " --mean 1,2,3 --std 4 --scale 1 --resize 20 --crop 8x8 --image-layout nchw "
                  "--channels bgr"),
      "1 sample, images in " + file +
          ": short side 20, centre crop 8×8, mean 1 2 3, std 4 4 4, bgr, nchw");
  EXPECT_THAT(description("--data " + file + " --preset sam"), HasSubstr("resized into 8×8"));
  EXPECT_EQ(description("--random --samples 4 --offset 2 --seed 9"),
            "4 random samples from number 2 on, seed 9: made up, not data");
  EXPECT_TRUE(parse("--data x --samples 2 --spread").data.spread);
}

TEST(DataOptions, EitherDataOrRandom) {
  EXPECT_THAT(description(""), HasSubstr("give a folder with --data, or --random"));
  // A file of ranges may know where samples come from.
  EXPECT_EQ(parse("").request_if_any().path, "");
  EXPECT_THAT(complaint("--samples 0"), HasSubstr("is not a whole number"));
  EXPECT_THAT(complaint("--preset vgg"), HasSubstr("there is no \"vgg\""));
}

std::string effects(const std::string& line) {
  DataOptions options;
  App app;
  options.add_to(app);
  EXPECT_TRUE(app.parse(line));
  const auto status = app.check_effects();
  return status ? "" : status.error().message;
}

TEST(DataOptions, WithoutAnEffectAreRefused) {
  EXPECT_EQ(effects("--data x --samples 3 --spread --preset unit --labels y"), "");
  EXPECT_EQ(effects("--random --samples 3 --offset 2 --seed 4"), "");
  EXPECT_EQ(effects("--samples 3"),
            "--samples has no effect: there are no samples; add --data or --random");
  EXPECT_EQ(effects("--data x --seed 4"), "--seed has no effect: nothing is made up; add --random");
  EXPECT_EQ(effects("--random --channels bgr"),
            "--channels has no effect: no images are read; add --data");
  EXPECT_EQ(effects("--random --layout nhwc"),
            "--image-layout has no effect: no images are read; add --data");
  EXPECT_EQ(effects("--data x --spread"),
            "--spread has no effect: all samples are taken; add --samples");
  EXPECT_EQ(effects("--data x --random"),
            "--random has no effect: the samples are in files; leave out --random or --data");
  EXPECT_EQ(effects("--random --labels y"),
            "--labels has no effect: random samples have no labels; add --data");
}

TEST(DataOptions, ACommandWithASeedKeepsIt) {
  DataOptions options;
  App app;
  std::uint64_t seed = 0;
  app.add_option("--seed", seed);
  options.add_to(app);
  ASSERT_TRUE(app.parse("--seed 7"));
  EXPECT_EQ(seed, 7u);
  EXPECT_EQ(options.data.seed, 0u);
}

}  // namespace
}  // namespace strata::cli
