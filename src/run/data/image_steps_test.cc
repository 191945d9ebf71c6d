// The expected values come from torchvision and from Segment Anything's preprocessing:
// tests/data/images/make_images.py.
#include "data/image_steps.h"

#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/data/inputs.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kImages = STRATA_SOURCE_DIR "/tests/data/images/";

Image image_of(const std::string& name) {
  std::ifstream file(kImages + name, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto image = read_image(bytes, name);
  EXPECT_TRUE(image) << image.error().message;
  return std::move(*image);
}

std::vector<float> floats(const std::vector<std::byte>& data) {
  std::vector<float> out(data.size() / sizeof(float));
  std::memcpy(out.data(), data.data(), data.size());
  return out;
}

struct Made {
  std::vector<std::int64_t> dims;
  std::vector<std::byte> data;
};

Made make(const ImageOptions& options, const std::vector<std::int64_t>& dims, Image image,
          DType dtype = DType::F32) {
  const auto steps = image_steps(options, "x", dtype, dims);
  EXPECT_TRUE(steps) << steps.error().message;
  Made made;
  auto shape = append_image(*steps, std::move(image), "x.png", {}, made.data);
  EXPECT_TRUE(shape) << shape.error().message;
  made.dims = std::move(*shape);
  return made;
}

std::string text_of(const ImageOptions& options, const std::vector<std::int64_t>& dims) {
  const auto steps = image_steps(options, "x", DType::F32, dims);
  return steps ? steps->text() : steps.error().message;
}

void expect_near(const std::vector<float>& made, const std::string& file) {
  const auto expected = read_tensors(kImages + file);
  ASSERT_TRUE(expected) << expected.error().message;
  const std::vector<float> wanted = floats((*expected)[0].data);
  ASSERT_EQ(made.size(), wanted.size());
  for (std::size_t i = 0; i < made.size(); ++i) ASSERT_NEAR(made[i], wanted[i], 1e-6) << i;
}

TEST(ImageSteps, ImagenetEqualsTorchvision) {
  const Made made = make({}, {1, 3, 14, 14}, image_of("large.png"));
  EXPECT_THAT(made.dims, ElementsAre(3, 14, 14));
  expect_near(floats(made.data), "large_imagenet14.npy");
}

TEST(ImageSteps, CropLargerThanTheImageIsBlackAround) {
  ImageOptions options;
  options.preset = "raw";
  options.resize = "16";
  options.crop = "24x12";
  const Made made = make(options, {1, 3, 12, 24}, image_of("large.png"), DType::U8);
  const auto expected = read_tensors(kImages + "large_short16_crop24x12.npy");
  ASSERT_TRUE(expected) << expected.error().message;
  EXPECT_EQ(made.data, (*expected)[0].data);
}

TEST(ImageSteps, GreyIsMadeBeforeResizing) {
  ImageOptions options;
  options.preset = "unit";
  const Made made = make(options, {1, 1, 10, 12}, image_of("large.png"));
  EXPECT_THAT(made.dims, ElementsAre(1, 10, 12));
  expect_near(floats(made.data), "large_grey12x10.npy");
}

TEST(ImageSteps, SamFillsUpWithZeros) {
  ImageOptions options;
  options.preset = "sam";
  const Made made = make(options, {1, 3, 16, 16}, image_of("large.png"));
  expect_near(floats(made.data), "large_sam16.npy");
}

TEST(ImageSteps, LayoutAndOrderMoveElementsOnly) {
  ImageOptions options;
  options.preset = "raw";
  const std::vector<float> plain = floats(make(options, {1, 3, 9, 13}, image_of("color.png")).data);
  const Made last = make(options, {1, 9, 13, 3}, image_of("color.png"));
  EXPECT_THAT(last.dims, ElementsAre(9, 13, 3));
  const std::vector<float> nhwc = floats(last.data);
  options.bgr = true;
  const std::vector<float> bgr = floats(make(options, {3, 9, 13}, image_of("color.png")).data);
  const Image image = image_of("color.png");
  ASSERT_EQ(plain.size(), image.rgb.size());
  for (std::size_t pixel = 0; pixel < 9 * 13; ++pixel)
    for (std::size_t c = 0; c < 3; ++c) {
      const float value = image.rgb[pixel * 3 + c];
      EXPECT_EQ(plain[c * 117 + pixel], value);
      EXPECT_EQ(nhwc[pixel * 3 + c], value);
      EXPECT_EQ(bgr[(2 - c) * 117 + pixel], value);
    }
}

TEST(ImageSteps, OtherTypes) {
  ImageOptions options;
  options.preset = "inception";
  options.resize = options.crop = "none";
  Image image{1, 1, {255, 0, 255}};
  const Made half = make(options, {1, 3, -1, -1}, image, DType::F16);
  EXPECT_THAT(half.data, ElementsAre(std::byte{0x00}, std::byte{0x3c}, std::byte{0x00},
                                     std::byte{0xbc}, std::byte{0x00}, std::byte{0x3c}));
  const Made wide = make(options, {1, 3, 1, 1}, image, DType::F64);
  double middle = 0;
  std::memcpy(&middle, wide.data.data() + 8, 8);
  EXPECT_EQ(middle, -1);
}

// Sizes by hand: 224·256/224 = 256, 299·256/224 = 341.7, 384·256/224 = 438.9.
TEST(ImageSteps, SizesOfPresets) {
  const std::string numbers =
      "scale 1/255, mean 0.485 0.456 0.406, std 0.229 0.224 0.225, rgb, nchw";
  EXPECT_EQ(text_of({}, {1, 3, 224, 224}), "short side 256, centre crop 224×224, " + numbers);
  EXPECT_EQ(text_of({}, {-1, 3, -1, -1}), "short side 256, centre crop 224×224, " + numbers);
  EXPECT_EQ(text_of({}, {1, 3, 384, 384}), "short side 439, centre crop 384×384, " + numbers);
  ImageOptions options;
  options.preset = "inception";
  EXPECT_EQ(text_of(options, {1, 299, 299, 3}),
            "short side 342, centre crop 299×299, scale 1/255, mean 0.5 0.5 0.5, std 0.5 0.5 0.5, "
            "rgb, nhwc");
  options.preset = "unit";
  EXPECT_EQ(text_of(options, {1, 1, 28, 30}), "resized to 30×28, scale 1/255, grey, nchw");
  EXPECT_EQ(text_of(options, {1, 1, -1, -1}), "own size, scale 1/255, grey, nchw");
  options.preset = "raw";
  options.resize = "64x48";
  EXPECT_EQ(text_of(options, {1, 3, 32, 40}), "resized to 64×48, centre crop 40×32, rgb, nchw");
  options = {};
  options.resize = "320";
  options.crop = "none";
  options.mean = {0.5};
  options.std = {1, 2, 4};
  options.scale = 0.25;
  options.bgr = true;
  EXPECT_EQ(text_of(options, {1, 3, -1, -1}),
            "short side 320, scale 0.25, mean 0.5 0.5 0.5, std 1 2 4, bgr, nchw");
}

TEST(ImageSteps, WhatCannotBeIsSaid) {
  const std::vector<std::int64_t> usual = {1, 3, 224, 224};
  const auto why = [&](auto set, const std::vector<std::int64_t>& dims) {
    ImageOptions options;
    set(options);
    return text_of(options, dims);
  };
  const auto nothing = [](ImageOptions&) {};
  EXPECT_THAT(why([](auto& o) { o.preset = "vgg"; }, usual), HasSubstr("\"vgg\": there are image"));
  EXPECT_THAT(why([](auto& o) { o.layout = "chw"; }, usual), HasSubstr("there are nchw and nhwc"));
  EXPECT_THAT(why([](auto& o) { o.layout = "nhwc"; }, usual),
              HasSubstr("is 1×3×224×224, in the layout nhwc: an image has 1 or 3 channels"));
  EXPECT_THAT(why(nothing, {1, 64}), HasSubstr("is 1×64, and an image has 3 axes"));
  EXPECT_THAT(why(nothing, {1, 4, 8, 8}), HasSubstr("1 or 3 channels"));
  EXPECT_THAT(why(nothing, {1, 1, 28, 28}), HasSubstr("is for three channels"));
  EXPECT_THAT(why([](auto& o) { o.mean = {1, 2}; }, usual), HasSubstr("mean has 2 numbers"));
  EXPECT_THAT(why([](auto& o) { o.std = {0}; }, usual), HasSubstr("std 0 cannot be"));
  EXPECT_THAT(why([](auto& o) { o.scale = -1; }, usual), HasSubstr("scale -1 cannot be"));
  EXPECT_THAT(why(
                  [](auto& o) {
                    o.mean = {123.675, 116.28, 103.53};
                  },
                  usual),
              HasSubstr("mean 123.675 is above every pixel, which are 0 to 1"));
  EXPECT_THAT(why([](auto& o) { o.resize = "200"; }, usual), HasSubstr("less than the 224×224"));
  EXPECT_THAT(why([](auto& o) { o.crop = "200"; }, usual), HasSubstr("not the size of the input"));
  EXPECT_THAT(why([](auto& o) { o.preset = "sam", o.resize = "200"; }, usual),
              HasSubstr("resizes to the input's size"));
  for (const char* text : {"", "0", "-1", "x5", "5x", "5x0", "5x5x5", "99999999999999999999"})
    EXPECT_THAT(why([&](auto& o) { o.resize = text; }, usual), HasSubstr("write one size")) << text;
  EXPECT_EQ(image_steps({}, "x", DType::U8, usual).error().code, Code::PresetBytes);
  EXPECT_THAT(image_steps({}, "x", DType::I64, usual).error().message,
              HasSubstr("takes i64, which is not made from images"));
  ImageOptions options;
  options.resize = "none";
  const auto steps = image_steps(options, "x", DType::F32, usual);
  ASSERT_TRUE(steps) << steps.error().message;
  std::vector<std::byte> data;
  EXPECT_THAT(append_image(*steps, image_of("color.png"), "x.png", {}, data).error().message,
              HasSubstr("x.png has 13×9 pixels, but the input takes 224×224"));
}

}  // namespace
}  // namespace strata
