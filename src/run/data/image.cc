#include "data/image.h"

#include <fmt/format.h>

namespace strata {

namespace {

// The limit of JPEG. For longer, thin images the weights of resizing would take more memory than
// the pixels.
constexpr std::int64_t kLongestSide = 65'535;

}  // namespace

Status check_pixels(std::int64_t width, std::int64_t height, std::string_view label,
                    const ImageLimits& limits) {
  if (width <= 0 || height <= 0)
    return failure(Code::FileBroken, {.file = std::string(label), .name = "image"},
                   fmt::format("{}: the image says that it is {}×{}", label, width, height));
  if (width > kLongestSide || height > kLongestSide || width > limits.most_pixels / height)
    return failure(
        fmt::format("{}: {}×{} pixels are more than is decoded ({}, and {} on a side); "
                    "make the image smaller",
                    label, width, height, limits.most_pixels, kLongestSide));
  return {};
}

Result<Image> read_image(std::string_view bytes, std::string_view label,
                         const ImageLimits& limits) {
  if (bytes.starts_with("\xff\xd8\xff")) return read_jpeg(bytes, label, limits);
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return read_png(bytes, label, limits);
  return failure(Code::FormatUnknown, {.file = std::string(label)},
                 fmt::format("{}: {}", label,
                             bytes.empty() ? "an empty file and no image"
                                           : "starts neither like a JPEG nor like a PNG file"));
}

}  // namespace strata
