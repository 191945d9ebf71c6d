// The expected pixels come from Pillow: tests/data/images/make_images.py.
#include "data/image.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/data/inputs.h"

namespace strata {
namespace {

using testing::HasSubstr;

const std::string kImages = STRATA_SOURCE_DIR "/tests/data/images/";

std::string file_bytes(const std::string& name) {
  std::ifstream file(kImages + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::uint8_t> expected_bytes(const std::string& name) {
  const auto tensors = read_tensors(kImages + name);
  EXPECT_TRUE(tensors) << tensors.error().message;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>((*tensors)[0].data.data());
  return {bytes, bytes + (*tensors)[0].data.size()};
}

std::string error_of(const std::string& bytes, const ImageLimits& limits = {}) {
  const auto image = read_image(bytes, "x", limits);
  return image ? "" : image.error().message;
}

// A PNG that claims this size and holds no pixels.
std::string png_of_size(std::uint32_t width, std::uint32_t height) {
  std::string bytes = file_bytes("color.png").substr(0, 33);
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[16 + i] = static_cast<char>(width >> (24 - 8 * i));
    bytes[20 + i] = static_cast<char>(height >> (24 - 8 * i));
  }
  std::uint32_t crc = 0xffffffff;
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= static_cast<unsigned char>(bytes[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  for (std::size_t i = 0; i < 4; ++i) bytes[29 + i] = static_cast<char>(~crc >> (24 - 8 * i));
  return bytes + std::string("\0\0\0\0IDAT\x35\xaf\x06\x1e", 12);
}

class EveryKind : public testing::TestWithParam<const char*> {};

TEST_P(EveryKind, IsDecodedAsPillowDoes) {
  const auto image = read_image(file_bytes(GetParam()), GetParam());
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->width, 13);
  EXPECT_EQ(image->height, 9);
  EXPECT_EQ(image->rgb, expected_bytes(std::string(GetParam()) + ".rgb.npy"));
}

TEST_P(EveryKind, IsAnErrorWhereItIsCutShort) {
  const std::string whole = file_bytes(GetParam());
  ASSERT_GT(whole.size(), 60u);
  // A PNG ends with an end chunk of 12 bytes, a JPEG with an end marker of two.
  for (std::size_t size = 0; size + 13 < whole.size(); ++size)
    EXPECT_THAT(error_of(whole.substr(0, size)), HasSubstr("x: ")) << size;
}

INSTANTIATE_TEST_SUITE_P(Image, EveryKind,
                         testing::Values("color.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg",
                                         "turned.jpg", "color.png", "palette.png", "grey_alpha.png",
                                         "alpha.png", "one_bit.png", "color16.png", "grey16.png",
                                         "interlaced.png"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           name[name.find('.')] = '_';
                           return name;
                         });

TEST(Image, OtherFilesGetASentence) {
  EXPECT_EQ(error_of(""), "x: an empty file and no image");
  EXPECT_EQ(error_of("GIF89a"), "x: starts neither like a JPEG nor like a PNG file");
  EXPECT_THAT(error_of("\xff\xd8\xff\xe0"), HasSubstr("not a JPEG file that can be read: "));
}

TEST(Image, DamagedPixelsAreAnError) {
  std::string png = file_bytes("color.png");
  png[60] = static_cast<char>(png[60] ^ 0x10);
  EXPECT_THAT(error_of(png), HasSubstr("not a PNG file"));
  std::string jpeg = file_bytes("color.jpg");
  jpeg.insert(jpeg.size() - 20, "\xff\xd9");  // an end in the middle of the pixels
  EXPECT_THAT(error_of(jpeg), HasSubstr("not a JPEG file that can be read: Corrupt JPEG data"));
}

TEST(Image, SizesAreLookedAtBeforeDecoding) {
  EXPECT_THAT(error_of(file_bytes("color.png"), {116}),
              HasSubstr("13×9 pixels are more than is decoded (116"));
  EXPECT_THAT(error_of(file_bytes("color.jpg"), {116}), HasSubstr("13×9 pixels are more"));
  EXPECT_EQ(error_of(file_bytes("color.jpg"), {117}), "");
  EXPECT_THAT(error_of(png_of_size(60'000, 60'000)), HasSubstr("60000×60000 pixels are more"));
  EXPECT_THAT(error_of(png_of_size(1, 70'000)), HasSubstr("1×70000 pixels are more"));
  EXPECT_THAT(error_of(png_of_size(0x7fffffff, 0x7fffffff)), HasSubstr("pixels are more"));
  EXPECT_THAT(error_of(png_of_size(13, 9)), HasSubstr("it ends too early"));
}

class Resized : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Resized, EqualsPillow) {
  const auto [width, height] = GetParam();
  const auto image = read_image(file_bytes("large.png"), "large.png");
  ASSERT_TRUE(image) << image.error().message;
  const std::string name = "large_" + std::to_string(width) + "x" + std::to_string(height);
  // The expected files hold at most 20 × 20 pixels.
  const Window window{width, height, 0, 0, std::min(width, 20), std::min(height, 20)};
  const auto resized = resize_image(*image, window, "x");
  ASSERT_TRUE(resized) << resized.error().message;
  EXPECT_EQ(resized->rgb, expected_bytes(name + ".npy"));

  // A window inside the image is a part of it, and pixels outside are black.
  const auto part = resize_image(*image, {width, height, 2, 1, 3, 2}, "x");
  const auto around = resize_image(*image, {width, height, -2, -1, 5, 3}, "x");
  ASSERT_TRUE(part && around);
  for (std::int64_t y = 0; y < 3; ++y)
    for (std::int64_t x = 0; x < 5; ++x)
      for (std::int64_t c = 0; c < 3; ++c) {
        const auto at = [&](std::int64_t row, std::int64_t column) {
          return resized->rgb[(row * window.width + column) * 3 + c];
        };
        if (y < 2 && x < 3) {
          EXPECT_EQ(part->rgb[(y * 3 + x) * 3 + c], at(y + 1, x + 2));
        }
        EXPECT_EQ(around->rgb[(y * 5 + x) * 3 + c], y < 1 || x < 2 ? 0 : at(y - 1, x - 2));
      }
}

INSTANTIATE_TEST_SUITE_P(Image, Resized,
                         testing::Values(std::pair(24, 17), std::pair(7, 50), std::pair(70, 5),
                                         std::pair(66, 44)));

TEST(Image, WhatWouldGrowWithoutEndIsRefused) {
  Image tall{1, 60'000, std::vector<std::uint8_t>(180'000)};
  EXPECT_THAT(resize_image(tall, {20'000, 20'000, 0, 0, 20'000, 20'000}, "x").error().message,
              HasSubstr("pixels are more"));
  // Only the pixels in the window are computed, however large the image is.
  EXPECT_TRUE(resize_image(tall, {224, 13'440'000, 0, 6'000'000, 224, 224}, "x"));
}

}  // namespace
}  // namespace strata
