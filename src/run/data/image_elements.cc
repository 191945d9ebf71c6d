#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/half.h"
#include "data/image_steps.h"

namespace strata {

namespace {

struct Place {
  Window window;
  // Size of the result; larger than the window if zeros are added.
  std::int64_t width = 0, height = 0;
};

// Rounds halves to even, as Python does; torchvision's centre crop depends on that.
std::int64_t centre(std::int64_t whole, std::int64_t part) {
  if (part > whole) return -((part - whole) / 2);
  return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(whole - part) / 2));
}

Place place(const ImageSteps& steps, const Image& image) {
  Window window{image.width, image.height, 0, 0, 0, 0};
  switch (steps.fit) {
    case ImageSteps::Fit::Keep:
      break;
    case ImageSteps::Fit::Short: {
      const std::int64_t shorter = std::min(image.width, image.height);
      window.full_width = steps.width * image.width / shorter;
      window.full_height = steps.width * image.height / shorter;
      break;
    }
    case ImageSteps::Fit::Exact:
      window.full_width = steps.width;
      window.full_height = steps.height;
      break;
    case ImageSteps::Fit::Inside: {
      const auto width = static_cast<double>(image.width);
      const auto height = static_cast<double>(image.height);
      const double factor = std::min(static_cast<double>(steps.width) / width,
                                     static_cast<double>(steps.height) / height);
      const auto scaled = [&](double side) {
        return std::max<std::int64_t>(std::lround(side * factor), 1);
      };
      window.full_width = scaled(width);
      window.full_height = scaled(height);
      break;
    }
  }
  window.width = window.full_width;
  window.height = window.full_height;
  if (steps.crop_width > 0) {
    window.left = centre(window.full_width, steps.crop_width);
    window.top = centre(window.full_height, steps.crop_height);
    window.width = steps.crop_width;
    window.height = steps.crop_height;
  }
  Place out{window, window.width, window.height};
  if (steps.fit == ImageSteps::Fit::Inside) {
    out.width = steps.width;
    out.height = steps.height;
  }
  return out;
}

// Rec. 601 luma in 16 bits, as Pillow's mode L.
void to_grey(Image& image) {
  for (std::size_t i = 0; i + 3 <= image.rgb.size(); i += 3) {
    const std::uint32_t sum =
        image.rgb[i] * 19595u + image.rgb[i + 1] * 38470u + image.rgb[i + 2] * 7471u + 0x8000u;
    image.rgb[i] = static_cast<std::uint8_t>(sum >> 16);
  }
}

// A channel has only 256 possible elements, so they are looked up.
template <class T, class Convert>
void fill(const ImageSteps& steps, const Image& image, const Place& place, const Convert& convert,
          std::byte* out) {
  const auto channels = static_cast<std::size_t>(steps.channels);
  std::array<std::array<T, 256>, 3> table;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t i = 0; i < 256; ++i)
      table[c][i] = convert((static_cast<double>(i) * steps.scale - steps.mean[c]) / steps.std[c]);
  const std::size_t plane = static_cast<std::size_t>(place.width * place.height);
  const std::size_t channel_step = steps.channels_last ? 1 : plane;
  const std::size_t pixel_step = steps.channels_last ? channels : 1;
  for (std::size_t c = 0; c < channels; ++c) {
    const std::size_t at = steps.bgr ? channels - 1 - c : c;
    for (std::int64_t y = 0; y < image.height; ++y) {
      const std::uint8_t* from = image.rgb.data() + y * image.width * 3 + c;
      std::byte* to =
          out +
          (at * channel_step + static_cast<std::size_t>(y * place.width) * pixel_step) * sizeof(T);
      for (std::int64_t x = 0; x < image.width; ++x, from += 3, to += pixel_step * sizeof(T))
        std::memcpy(to, &table[c][*from], sizeof(T));
    }
  }
}

}  // namespace

Result<std::vector<std::int64_t>> append_image(const ImageSteps& steps, Image image,
                                               std::string_view label, const ImageLimits& limits,
                                               std::vector<std::byte>& data) {
  const Place where = place(steps, image);
  if ((steps.input_width > 0 && where.width != steps.input_width) ||
      (steps.input_height > 0 && where.height != steps.input_height))
    return failure(Code::ImageSize,
                   {.file = std::string(label),
                    .found = fmt::format("{}×{}", where.width, where.height),
                    .wanted = fmt::format("{}×{}", steps.input_width, steps.input_height)});
  if (steps.channels == 1) to_grey(image);
  auto resized = resize_image(image, where.window, label, limits);
  if (!resized) return failure(resized);
  if (auto fine = check_pixels(where.width, where.height, label, limits); !fine)
    return failure(fine);

  const auto element = static_cast<std::size_t>(bits(steps.dtype)) / 8;
  const std::size_t before = data.size();
  data.resize(before +
              static_cast<std::size_t>(steps.channels * where.width * where.height) * element);
  std::byte* out = data.data() + before;
  const auto to_float = [](double x) { return static_cast<float>(x); };
  switch (steps.dtype) {
    case DType::U8:
      fill<std::uint8_t>(
          steps, *resized, where, [](double x) { return static_cast<std::uint8_t>(x); }, out);
      break;
    case DType::F16:
      fill<std::uint16_t>(
          steps, *resized, where, [&](double x) { return half_bits(to_float(x)); }, out);
      break;
    case DType::BF16:
      fill<std::uint16_t>(
          steps, *resized, where, [&](double x) { return bfloat_bits(to_float(x)); }, out);
      break;
    case DType::F64:
      fill<double>(
          steps, *resized, where, [](double x) { return x; }, out);
      break;
    default:
      fill<float>(steps, *resized, where, to_float, out);
  }
  if (steps.channels_last) return std::vector{where.height, where.width, steps.channels};
  return std::vector{steps.channels, where.height, where.width};
}

}  // namespace strata
