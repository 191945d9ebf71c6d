#include "strata/task/data.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using testing::HasSubstr;

const std::string kImages = STRATA_SOURCE_DIR "/tests/data/images/";

Model image_model() {
  auto model = model_from_text("input x f32[1,3,8,8]\ny = Relu(x)\noutput y\n");
  EXPECT_TRUE(model && infer(*model));
  return std::move(*model);
}

TEST(DataRequest, EitherAPathOrRandomSamples) {
  const Model model = image_model();
  EXPECT_THAT(DataRequest().open(model).error().message, HasSubstr("there are no samples"));
  DataRequest both{"x", "", {.samples = 1, .random = true}};
  EXPECT_THAT(both.open(model).error().message, HasSubstr("exclude each other"));
  both.path = "";
  EXPECT_EQ(both.open(model)->count(), 1);
}

TEST(DataRequest, LabelsOfTheSamples) {
  const Model model = image_model();
  DataRequest request{kImages + "large.png"};
  const auto dataset = request.open(model);
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_FALSE(*request.read_labels(*dataset));
  request.labels = kImages + "nowhere";
  EXPECT_FALSE(request.read_labels(*dataset));
}

// A file of ranges remembers its samples.
TEST(DataRequest, ComesBackFromWords) {
  DataRequest random{"", "", {.samples = 5, .offset = 2, .random = true, .seed = 7}};
  DataRequest images{"/photos", "", {.samples = 9, .spread = true}};
  images.data.images = {"sam", "20", "8x8", {0.485, 0.456, 0.406}, {4}, 0.1, "nhwc", true};
  for (const DataRequest& request : {DataRequest{"/photos"}, random, images}) {
    const auto words = request.words();
    const auto back = DataRequest::from_words(words);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->words(), words);
    EXPECT_EQ(back->path, request.path);
    EXPECT_EQ(back->data.random, request.data.random);
    EXPECT_EQ(back->data.seed, request.data.seed);
    EXPECT_EQ(back->data.samples, request.data.samples);
    EXPECT_EQ(back->data.offset, request.data.offset);
    EXPECT_EQ(back->data.spread, request.data.spread);
    const ImageOptions &got = back->data.images, &wanted = request.data.images;
    EXPECT_EQ(got.preset, wanted.preset);
    EXPECT_EQ(got.resize, wanted.resize);
    EXPECT_EQ(got.crop, wanted.crop);
    EXPECT_EQ(got.scale, wanted.scale);
    EXPECT_EQ(got.mean, wanted.mean);
    EXPECT_EQ(got.std, wanted.std);
    EXPECT_EQ(got.layout, wanted.layout);
    EXPECT_EQ(got.bgr, wanted.bgr);
  }
  const DataRequest relative{"photos"};
  EXPECT_TRUE(std::filesystem::path(relative.words().at("data")).is_absolute());
}

TEST(DataRequest, WordsThatAreNotUnderstoodAreNamed) {
  EXPECT_THAT(DataRequest::from_words({{"mean", "1,x"}}).error().message, HasSubstr("mean = 1,x"));
  EXPECT_FALSE(DataRequest::from_words({{"later", "1"}}));
  EXPECT_FALSE(DataRequest::from_words({{"offset", "1.5"}}));
}

}  // namespace
}  // namespace strata
