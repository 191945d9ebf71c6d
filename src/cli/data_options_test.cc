#include "cli/data_options.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kImages = STRATA_SOURCE_DIR "/tests/data/images/";

Model image_model() {
  auto model = model_from_text("input x f32[1,3,8,8]\ny = Relu(x)\noutput y\n");
  EXPECT_TRUE(model && infer(*model));
  return std::move(*model);
}

DataOptions parse(const std::string& line) {
  DataOptions options;
  CLI::App app;
  options.add_to(app);
  app.parse(line);
  return options;
}

std::string description(const std::string& line) {
  const Model model = image_model();
  const auto dataset = parse(line).open(model);
  return dataset ? dataset->describe() : dataset.error().message;
}

TEST(DataOptions, ReachTheDataSet) {
  const std::string file = kImages + "large.png";
  EXPECT_EQ(description("--data " + file +
                        " --mean 1,2,3 --std 4 --scale 1 --resize 20 --crop 8x8 --layout nchw "
                        "--channels bgr"),
            "1 samples, images in " + file +
                ": short side 20, centre crop 8×8, mean 1 2 3, std 4 4 4, bgr, nchw");
  EXPECT_THAT(description("--data " + file + " --preset sam"), HasSubstr("resized into 8×8"));
  EXPECT_EQ(description("--random --samples 4 --offset 2 --seed 9"),
            "4 random samples from number 2 on, seed 9: made up, not data");
  EXPECT_TRUE(parse("--data x --samples 2 --spread").data.spread);
}

TEST(DataOptions, EitherDataOrRandom) {
  EXPECT_THAT(description(""), HasSubstr("give a folder with --data, or --random"));
  EXPECT_THAT(description("--data x --random"), HasSubstr("exclude each other"));
  EXPECT_THROW(parse("--samples 0"), CLI::ValidationError);
  EXPECT_THROW(parse("--preset vgg"), CLI::ValidationError);
}

TEST(DataOptions, LabelsOfTheSamples) {
  const Model model = image_model();
  DataOptions options = parse("--data " + kImages + "large.png");
  const auto dataset = options.open(model);
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_FALSE(*options.read_labels(*dataset));
  options.labels = kImages + "nowhere";
  EXPECT_FALSE(options.read_labels(*dataset));
}

TEST(DataOptions, ACommandWithASeedKeepsIt) {
  DataOptions options;
  CLI::App app;
  std::uint64_t seed = 0;
  app.add_option("--seed", seed);
  options.add_to(app);
  app.parse("--seed 7");
  EXPECT_EQ(seed, 7u);
  EXPECT_EQ(options.data.seed, 0u);
}

// What a file of ranges remembers of its samples.
TEST(DataOptions, ComeBackFromWords) {
  for (const char* line :
       {"--data /photos", "--random --samples 5 --offset 2 --seed 7",
        "--data /photos --samples 9 --spread --preset sam --resize 20 --crop 8x8 --scale 0.1 "
        "--mean 0.485,0.456,0.406 --std 4 --layout nhwc --channels bgr"}) {
    const DataOptions options = parse(line);
    const auto words = options.words();
    const auto back = DataOptions::from_words(words);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->words(), words) << line;
    EXPECT_EQ(back->path, options.path);
    EXPECT_EQ(back->data.random, options.data.random);
    EXPECT_EQ(back->data.seed, options.data.seed);
    EXPECT_EQ(back->data.samples, options.data.samples);
    EXPECT_EQ(back->data.offset, options.data.offset);
    EXPECT_EQ(back->data.spread, options.data.spread);
    EXPECT_EQ(back->data.images.preset, options.data.images.preset);
    EXPECT_EQ(back->data.images.resize, options.data.images.resize);
    EXPECT_EQ(back->data.images.crop, options.data.images.crop);
    EXPECT_EQ(back->data.images.scale, options.data.images.scale);
    EXPECT_EQ(back->data.images.mean, options.data.images.mean);
    EXPECT_EQ(back->data.images.std, options.data.images.std);
    EXPECT_EQ(back->data.images.layout, options.data.images.layout);
    EXPECT_EQ(back->channels, options.channels);
  }
  EXPECT_TRUE(std::filesystem::path(parse("--data photos").words().at("data")).is_absolute());
  EXPECT_THAT(DataOptions::from_words({{"mean", "1,x"}}).error().message, HasSubstr("mean = 1,x"));
  EXPECT_FALSE(DataOptions::from_words({{"later", "1"}}));
  EXPECT_FALSE(DataOptions::from_words({{"offset", "1.5"}}));
}

}  // namespace
}  // namespace strata::cli
