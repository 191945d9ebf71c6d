// Pictures: decoded, and resized as Pillow does it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strata/base/result.h"

namespace strata {

struct Image {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // rows from the top, 3 bytes per pixel
};

struct ImageLimits {
  std::int64_t most_pixels = 100'000'000;  // checked before anything is decoded
};

// Decodes JPEG or PNG, recognised by the first bytes and not by the name; `label` names the file in
// errors. All kinds become 8-bit RGB: grey is copied to three channels, alpha is dropped, 16-bit
// channels keep their upper 8 bits, CMYK is read inverted, as Adobe writes it. EXIF, gamma and
// colour profiles are ignored. A file that is truncated or damaged is an error, even if a picture
// could be shown.
Result<Image> read_image(std::string_view bytes, std::string_view label,
                         const ImageLimits& limits = {});
// Called by read_image, which has checked the first bytes.
Result<Image> read_jpeg(std::string_view bytes, std::string_view label, const ImageLimits& limits);
Result<Image> read_png(std::string_view bytes, std::string_view label, const ImageLimits& limits);
Status check_pixels(std::int64_t width, std::int64_t height, std::string_view label,
                    const ImageLimits& limits);

// A window into a resized image.
struct Window {
  std::int64_t full_width = 0, full_height = 0;  // of the resized image
  std::int64_t left = 0, top = 0;                // may be negative
  std::int64_t width = 0, height = 0;
};
// Bilinear with antialiasing, in Pillow's fixed-point arithmetic, which gives the same bytes. Only
// the pixels in the window are computed; pixels outside the image are black.
Result<Image> resize_image(const Image& image, const Window& window, std::string_view label,
                           const ImageLimits& limits = {});

}  // namespace strata
