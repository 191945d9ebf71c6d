#include "data/image_steps.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

namespace {

struct Preset {
  std::string_view name;
  double scale;
  std::array<double, 3> mean, std;
  bool crops;              // from 256/224 of the input's size
  std::int64_t open_size;  // used if the input's size is open; 0: the image's own
};

constexpr std::array<double, 3> kZeros = {0, 0, 0}, kHalves = {0.5, 0.5, 0.5}, kOnes = {1, 1, 1};
constexpr Preset kPresets[] = {
    {"imagenet", 1. / 255, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}, true, 224},
    {"inception", 1. / 255, kHalves, kHalves, true, 299},
    {"unit", 1. / 255, kZeros, kOnes, false, 0},
    {"raw", 1, kZeros, kOnes, false, 0},
    {"sam", 1, {123.675, 116.28, 103.53}, {58.395, 57.12, 57.375}, false, 1024},
};

tl::unexpected<Error> usage(std::string message) {
  return failure(std::move(message), ErrorKind::Usage);
}

struct Sides {
  std::int64_t width = 0, height = 0;  // height 0: one number was given
};

// Parses `256` or `320x240`; nullopt for `none`.
Result<std::optional<Sides>> parse_sides(std::string_view step, std::string_view text) {
  if (text == "none") return std::nullopt;
  constexpr std::int64_t kMost = 65'535;
  Sides sides;
  const char* end = text.data() + text.size();
  auto got = std::from_chars(text.data(), end, sides.width);
  bool fine = got.ec == std::errc() && sides.width > 0;
  if (fine && got.ptr != end && *got.ptr == 'x') {
    got = std::from_chars(got.ptr + 1, end, sides.height);
    fine = got.ec == std::errc() && sides.height > 0;
  }
  if (!fine || got.ptr != end || std::max(sides.width, sides.height) > kMost)
    return failure(Code::ImageSides, {.name = std::string(step),
                                      .given = std::string(text),
                                      .detail = ": write one size, WIDTHxHEIGHT or none"});
  return sides;
}

// Finds the input's axes for channels, height and width.
Status find_axes(const ImageOptions& options, std::string_view input,
                 const std::vector<std::int64_t>& dims, ImageSteps& steps) {
  std::vector<std::string> sizes;
  sizes.reserve(dims.size());
  for (const std::int64_t size : dims) sizes.push_back(size < 0 ? "?" : fmt::format("{}", size));
  const std::string shape = fmt::format("{}", fmt::join(sizes, "×"));
  steps.batched = dims.size() == 4;
  if (dims.size() != 4 && dims.size() != 3)
    return usage(
        fmt::format("input \"{}\" is {}, and an image has 3 axes or 4 with the batch; "
                    "give .npy files",
                    input, dims.empty() ? "scalar" : shape));
  const std::size_t first = steps.batched ? 1 : 0;
  const auto can_be = [](std::int64_t size) { return size == 1 || size == 3; };
  if (options.layout.empty())
    steps.channels_last = !can_be(dims[first]) && can_be(dims[first + 2]);
  else if (options.layout == "nhwc" || options.layout == "nchw")
    steps.channels_last = options.layout == "nhwc";
  else
    return usage(fmt::format("layout \"{}\": there are nchw and nhwc", options.layout));
  const std::int64_t channels = dims[steps.channels_last ? first + 2 : first];
  if (channels >= 0 && !can_be(channels))
    return usage(fmt::format("input \"{}\" is {}{}: an image has 1 or 3 channels; give .npy files",
                             input, shape,
                             options.layout.empty() ? "" : ", in the layout " + options.layout));
  steps.channels = channels < 0 ? 3 : channels;
  steps.input_height = dims[steps.channels_last ? first : first + 1];
  steps.input_width = dims[steps.channels_last ? first + 1 : first + 2];
  if (steps.input_height == 0 || steps.input_width == 0)
    return usage(fmt::format("input \"{}\" is {}, which no image fills", input, shape));
  return {};
}

Status set_numbers(const ImageOptions& options, const Preset& preset, ImageSteps& steps) {
  steps.scale = options.scale.value_or(preset.scale);
  steps.mean = preset.mean;
  steps.std = preset.std;
  const auto take = [&](std::string_view what, const std::vector<double>& given,
                        std::array<double, 3>& to) -> Status {
    const bool one = given.size() == 1;
    if (given.empty() && steps.channels == 1 && to[0] != to[1])
      return failure(Code::PresetChannels, {.name = std::string(preset.name)});
    if (!given.empty() && !one && given.size() != static_cast<std::size_t>(steps.channels))
      return usage(fmt::format("{} has {} numbers and the input {} channels", what, given.size(),
                               steps.channels));
    for (std::size_t i = 0; !given.empty() && i < to.size(); ++i)
      to[i] = given[one || steps.channels == 1 ? 0 : i];
    for (const double number : to)
      if (!std::isfinite(number) || (what == "std" && number <= 0))
        return usage(fmt::format("{} {} cannot be", what, number));
    return {};
  };
  if (!std::isfinite(steps.scale) || steps.scale <= 0)
    return usage(fmt::format("scale {} cannot be", steps.scale));
  if (auto fine = take("mean", options.mean, steps.mean); !fine) return fine;
  if (auto fine = take("std", options.std, steps.std); !fine) return fine;
  const double largest = *std::max_element(steps.mean.begin(), steps.mean.end());
  if (!options.mean.empty() && largest > 255 * steps.scale * 1.5)
    return failure(Code::MeanAbovePixels, {.given = fmt::format("{}", largest),
                                           .wanted = fmt::format("{:.4g}", 255 * steps.scale)});
  return {};
}

Status set_geometry(const ImageOptions& options, const Preset& preset, ImageSteps& steps) {
  const auto or_default = [&](std::int64_t size) { return size < 0 ? preset.open_size : size; };
  const std::int64_t width = or_default(steps.input_width);
  const std::int64_t height = or_default(steps.input_height);
  if (preset.name == "sam") {
    if (options.resize || options.crop) return failure(Code::PresetResizes, {.name = "sam"});
    steps.fit = ImageSteps::Fit::Inside;
    steps.width = width;
    steps.height = height;
    return {};
  }
  if (options.resize) {
    auto sides = parse_sides("resize", *options.resize);
    if (!sides) return failure(sides);
    if (*sides) {
      steps.fit = (*sides)->height == 0 ? ImageSteps::Fit::Short : ImageSteps::Fit::Exact;
      steps.width = (*sides)->width;
      steps.height = (*sides)->height;
    }
  } else if (preset.crops) {
    steps.fit = ImageSteps::Fit::Short;
    steps.width = (std::max(width, height) * 256 + 112) / 224;
  } else if (width > 0 && height > 0) {
    steps.fit = ImageSteps::Fit::Exact;
    steps.width = width;
    steps.height = height;
  }
  std::optional<Sides> crop;
  if (options.crop) {
    auto sides = parse_sides("crop", *options.crop);
    if (!sides) return failure(sides);
    crop = *sides;
    if (crop && crop->height == 0) crop->height = crop->width;
  } else if (steps.fit != ImageSteps::Fit::Keep && width > 0 && height > 0 &&
             (!options.resize || (steps.input_width > 0 && steps.input_height > 0))) {
    crop = Sides{width, height};
    const bool exact = steps.fit == ImageSteps::Fit::Exact;
    if (steps.width < width || (exact ? steps.height : steps.width) < height)
      return failure(
          Code::ImageSides,
          {.name = "resize",
           .given = options.resize.value_or(""),
           .detail = fmt::format(" gives less than the {}×{} of the input", width, height)});
    if (exact && steps.width == width && steps.height == height) crop.reset();
  }
  if (!crop) return {};
  if ((steps.input_width > 0 && crop->width != steps.input_width) ||
      (steps.input_height > 0 && crop->height != steps.input_height))
    return failure(Code::ImageSides,
                   {.name = "crop",
                    .given = options.crop.value_or(""),
                    .detail = fmt::format(" is not the size of the input, {}×{}", steps.input_width,
                                          steps.input_height)});
  steps.crop_width = crop->width;
  steps.crop_height = crop->height;
  return {};
}

}  // namespace

Result<ImageSteps> image_steps(const ImageOptions& options, std::string_view input, DType dtype,
                               const std::vector<std::int64_t>& dims) {
  const auto* preset = std::find_if(std::begin(kPresets), std::end(kPresets),
                                    [&](const Preset& p) { return p.name == options.preset; });
  if (preset == std::end(kPresets)) {
    std::vector<std::string_view> names;
    for (const Preset& known : kPresets) names.push_back(known.name);
    return usage(
        fmt::format("preset \"{}\": there are {}", options.preset, fmt::join(names, ", ")));
  }
  ImageSteps steps;
  steps.dtype = dtype;
  steps.bgr = options.bgr;
  if (auto fine = find_axes(options, input, dims, steps); !fine) return failure(fine);
  if (auto fine = set_numbers(options, *preset, steps); !fine) return failure(fine);
  if (auto fine = set_geometry(options, *preset, steps); !fine) return failure(fine);
  const bool raw = steps.scale == 1 && steps.mean == kZeros && steps.std == kOnes;
  if (dtype == DType::U8 && !raw) return failure(Code::PresetBytes, {.name = std::string(input)});
  if (dtype != DType::U8 && dtype != DType::F32 && dtype != DType::F16 && dtype != DType::BF16 &&
      dtype != DType::F64)
    return usage(
        fmt::format("input \"{}\" takes {}, which is not made from images", input, name_of(dtype)));
  return steps;
}

std::string ImageSteps::text() const {
  std::string out;
  switch (fit) {
    case Fit::Keep:
      out = "own size";
      break;
    case Fit::Short:
      out = fmt::format("short side {}", width);
      break;
    case Fit::Exact:
      out = fmt::format("resized to {}×{}", width, height);
      break;
    case Fit::Inside:
      out = fmt::format("resized into {}×{}, zeros right and below", width, height);
      break;
  }
  if (crop_width > 0) out += fmt::format(", centre crop {}×{}", crop_width, crop_height);
  const auto count = static_cast<std::size_t>(channels);
  const auto list = [&](const std::array<double, 3>& numbers) {
    return fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + count, " "));
  };
  if (scale == 1. / 255)
    out += ", scale 1/255";
  else if (scale != 1)
    out += fmt::format(", scale {}", scale);
  if (mean != kZeros || std != kOnes) out += ", mean " + list(mean) + ", std " + list(std);
  out += channels == 1 ? ", grey" : bgr ? ", bgr" : ", rgb";
  return out + (channels_last ? ", nhwc" : ", nchw");
}

}  // namespace strata
