// Two passes, rows first, each with a triangle filter that is two pixels of the smaller image wide.
// Weights have 22 fractional bits, and each pass rounds to bytes. Pillow does the same, and
// networks are trained on these bytes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "data/image.h"

namespace strata {

namespace {

constexpr int kFractionBits = 22;

// The weights of some of the pixels of a resized row or column.
struct Taps {
  struct Pixel {
    std::int64_t first = 0;   // of the source
    std::size_t count = 0;    // of the source
    std::size_t weights = 0;  // index of the first weight
  };
  std::vector<Pixel> pixels;
  std::vector<std::int32_t> weights;

  std::int64_t first_source() const { return pixels.front().first; }
  std::int64_t end_source() const {
    return pixels.back().first + static_cast<std::int64_t>(pixels.back().count);
  }
};

Taps taps(std::int64_t source, std::int64_t resized, std::int64_t first, std::int64_t count) {
  const double scale = static_cast<double>(source) / static_cast<double>(resized);
  const double reach = std::max(scale, 1.0);
  Taps out;
  std::vector<double> raw;
  for (std::int64_t i = first; i < first + count; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto from = std::max<std::int64_t>(std::lround(centre - reach), 0);
    const auto to = std::min<std::int64_t>(std::lround(centre + reach), source);
    raw.clear();
    double sum = 0;
    for (std::int64_t j = from; j < to; ++j) {
      const double distance = std::abs((static_cast<double>(j) - centre + 0.5) * (1 / reach));
      raw.push_back(std::max(1 - distance, 0.0));
      sum += raw.back();
    }
    out.pixels.push_back({from, raw.size(), out.weights.size()});
    for (const double weight : raw)
      out.weights.push_back(static_cast<std::int32_t>(
          std::lround(weight / (sum > 0 ? sum : 1) * (1 << kFractionBits))));
  }
  return out;
}

std::uint8_t rounded(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kFractionBits, 0, 255));
}

constexpr std::int32_t kHalf = 1 << (kFractionBits - 1);

void resize_row(const std::uint8_t* source, const Taps& taps, std::uint8_t* out) {
  for (const Taps::Pixel& pixel : taps.pixels) {
    std::int32_t sum[3] = {kHalf, kHalf, kHalf};
    const std::uint8_t* from = source + pixel.first * 3;
    for (std::size_t i = 0; i < pixel.count; ++i, from += 3)
      for (int c = 0; c < 3; ++c) sum[c] += from[c] * taps.weights[pixel.weights + i];
    for (const std::int32_t channel : sum) *out++ = rounded(channel);
  }
}

}  // namespace

Result<Image> resize_image(const Image& image, const Window& window, std::string_view label,
                           const ImageLimits& limits) {
  if (auto fine = check_pixels(window.width, window.height, label, limits); !fine)
    return failure(fine);
  Image out;
  out.width = window.width;
  out.height = window.height;
  out.rgb.resize(static_cast<std::size_t>(out.width * out.height) * 3);

  // The part of the resized image that the window shows.
  const std::int64_t left = std::max<std::int64_t>(window.left, 0);
  const std::int64_t top = std::max<std::int64_t>(window.top, 0);
  const std::int64_t width = std::min(window.left + window.width, window.full_width) - left;
  const std::int64_t height = std::min(window.top + window.height, window.full_height) - top;
  if (width <= 0 || height <= 0) return out;

  const Taps across = taps(image.width, window.full_width, left, width);
  const Taps down = taps(image.height, window.full_height, top, height);
  const std::int64_t first_row = down.first_source();
  const std::int64_t rows = down.end_source() - first_row;
  if (auto fine = check_pixels(width, rows, label, limits); !fine) return failure(fine);

  const auto line = static_cast<std::size_t>(width) * 3;
  std::vector<std::uint8_t> narrow(line * static_cast<std::size_t>(rows));
  for (std::int64_t y = 0; y < rows; ++y) {
    const std::uint8_t* source = image.rgb.data() + (first_row + y) * image.width * 3;
    resize_row(source, across, narrow.data() + static_cast<std::size_t>(y) * line);
  }
  std::vector<std::int32_t> sums(line);
  for (std::int64_t y = 0; y < height; ++y) {
    const Taps::Pixel& pixel = down.pixels[static_cast<std::size_t>(y)];
    const std::uint8_t* source = narrow.data() + (pixel.first - first_row) * width * 3;
    std::uint8_t* to =
        out.rgb.data() + ((top - window.top + y) * out.width + left - window.left) * 3;
    std::fill(sums.begin(), sums.end(), kHalf);
    for (std::size_t i = 0; i < pixel.count; ++i, source += line) {
      const std::int32_t weight = down.weights[pixel.weights + i];
      for (std::size_t x = 0; x < line; ++x) sums[x] += source[x] * weight;
    }
    std::transform(sums.begin(), sums.end(), to, rounded);
  }
  return out;
}

}  // namespace strata
