// Pictures: decoded, and resized as Pillow does it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strata/base/result.h"

namespace strata {

struct Image {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // rows from the top, 3 bytes a pixel
};

struct ImageLimits {
  std::int64_t most_pixels = 100'000'000;  // looked at before anything is decoded
};

// JPEG or PNG, told by the first bytes and not by a name; `label` names it in errors. All
// kinds become 8-bit RGB: grey in three channels, alpha dropped, the upper 8 of 16 bits,
// CMYK inverted as Adobe writes it. EXIF, gamma and colour profiles are ignored. A file
// that is cut short or damaged is an error, even where a picture could be shown.
Result<Image> read_image(std::string_view bytes, std::string_view label,
                         const ImageLimits& limits = {});
// For read_image, which has looked at the first bytes.
Result<Image> read_jpeg(std::string_view bytes, std::string_view label, const ImageLimits& limits);
Result<Image> read_png(std::string_view bytes, std::string_view label, const ImageLimits& limits);
Status check_pixels(std::int64_t width, std::int64_t height, std::string_view label,
                    const ImageLimits& limits);

// A window on an image that was resized.
struct Window {
  std::int64_t full_width = 0, full_height = 0;  // of the resized image
  std::int64_t left = 0, top = 0;                // may be negative
  std::int64_t width = 0, height = 0;
};
// Bilinear, antialiased, in Pillow's fixed-point steps: the same bytes. Only what is seen
// in the window is computed; what lies outside of the image is black.
Result<Image> resize_image(const Image& image, const Window& window, std::string_view label,
                           const ImageLimits& limits = {});

}  // namespace strata
