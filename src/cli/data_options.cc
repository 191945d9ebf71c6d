#include "cli/data_options.h"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

namespace strata::cli {

namespace {

// All of the text, or nothing.
template <class T>
std::optional<T> number_of(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::vector<double>> numbers_of(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto number = number_of<double>(text.substr(0, comma));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (comma == text.npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

template <class T>
bool take(std::optional<T> from, T& to) {
  if (from) to = std::move(*from);
  return from.has_value();
}

}  // namespace

void DataOptions::add_to(CLI::App& app) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  app.add_option("--data", path, "samples: a folder (or file) of images, .npy, .npz or .pb")
      ->option_text("DIR");
  app.add_flag("--random", data.random, "samples that are made up, for a dry run");
  app.add_option("--samples", data.samples, "how many; all if not given")
      ->check(CLI::Range(std::int64_t{1}, kMost))
      ->option_text("N");
  app.add_option("--offset", data.offset, "samples to leave out at the start (0)")
      ->check(CLI::Range(std::int64_t{0}, kMost))
      ->option_text("N");
  app.add_flag("--spread", data.spread, "spread the samples evenly, instead of the first");
  if (app.get_option_no_throw("--seed") == nullptr)
    app.add_option("--seed", data.seed, "of random samples (0)")->option_text("N");
  app.add_option("--labels", labels, "one integer a line, or name,label")->option_text("FILE");

  ImageOptions& images = data.images;
  app.add_option("--preset", images.preset, "how images become elements (imagenet)")
      ->check(CLI::IsMember({"imagenet", "inception", "unit", "raw", "sam"}))
      ->option_text("NAME");
  app.add_option("--resize", images.resize, "images: short side, WIDTHxHEIGHT or none")
      ->option_text("SIZE");
  app.add_option("--crop", images.crop, "images: centre, one side or WIDTHxHEIGHT, or none")
      ->option_text("SIZE");
  app.add_option("--scale", images.scale, "images: factor of pixels of 0 to 255 (1/255)")
      ->option_text("X");
  app.add_option("--mean", images.mean, "images: what is subtracted then")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("R,G,B");
  app.add_option("--std", images.std, "images: what is divided by then")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("R,G,B");
  app.add_option("--layout", images.layout, "images: nchw or nhwc; as the input is if not given")
      ->check(CLI::IsMember({"nchw", "nhwc"}))
      ->option_text("NAME");
  app.add_option("--channels", channels, "images: rgb or bgr (rgb)")
      ->check(CLI::IsMember({"rgb", "bgr"}))
      ->option_text("NAME");
}

Result<Dataset> DataOptions::open(const Model& inferred) const {
  if (path.empty() && !data.random)
    return failure("there are no samples: give a folder with --data, or --random for a dry run",
                   ErrorKind::Usage);
  if (!path.empty() && data.random)
    return failure("--data and --random exclude each other", ErrorKind::Usage);
  DatasetOptions options = data;
  options.images.bgr = channels == "bgr";
  return Dataset::open(path, inferred, options);
}

std::map<std::string, std::string> DataOptions::words() const {
  std::map<std::string, std::string> out;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  if (!path.empty()) out["data"] = error ? path : absolute.lexically_normal().string();
  if (data.random) out["random"] = "true", out["seed"] = std::to_string(data.seed);
  if (data.samples != 0) out["samples"] = std::to_string(data.samples);
  if (data.offset != 0) out["offset"] = std::to_string(data.offset);
  if (data.spread) out["spread"] = "true";
  if (data.random) return out;
  const ImageOptions& images = data.images;
  out["preset"] = images.preset;
  if (images.resize) out["resize"] = *images.resize;
  if (images.crop) out["crop"] = *images.crop;
  if (images.scale) out["scale"] = fmt::format("{}", *images.scale);
  if (!images.mean.empty()) out["mean"] = fmt::format("{}", fmt::join(images.mean, ","));
  if (!images.std.empty()) out["std"] = fmt::format("{}", fmt::join(images.std, ","));
  if (!images.layout.empty()) out["layout"] = images.layout;
  if (channels != "rgb") out["channels"] = channels;
  return out;
}

Result<DataOptions> DataOptions::from_words(const std::map<std::string, std::string>& words) {
  DataOptions out;
  ImageOptions& images = out.data.images;
  for (const auto& [key, text] : words) {
    const bool known = key == "data"       ? take(std::optional(text), out.path)
                       : key == "random"   ? (out.data.random = text == "true", true)
                       : key == "spread"   ? (out.data.spread = text == "true", true)
                       : key == "seed"     ? take(number_of<std::uint64_t>(text), out.data.seed)
                       : key == "samples"  ? take(number_of<std::int64_t>(text), out.data.samples)
                       : key == "offset"   ? take(number_of<std::int64_t>(text), out.data.offset)
                       : key == "preset"   ? take(std::optional(text), images.preset)
                       : key == "resize"   ? (images.resize = text, true)
                       : key == "crop"     ? (images.crop = text, true)
                       : key == "scale"    ? (images.scale = number_of<double>(text)).has_value()
                       : key == "mean"     ? take(numbers_of(text), images.mean)
                       : key == "std"      ? take(numbers_of(text), images.std)
                       : key == "layout"   ? take(std::optional(text), images.layout)
                       : key == "channels" ? take(std::optional(text), out.channels)
                                           : false;
    if (!known)
      return failure(
          fmt::format("how its samples were made is not understood: {} = {}; give them "
                      "with --data",
                      key, text));
  }
  return out;
}

Result<std::optional<std::vector<std::int64_t>>> DataOptions::read_labels(
    const Dataset& dataset) const {
  if (labels.empty()) return std::nullopt;
  auto given = strata::read_labels(labels);
  if (!given) return tl::unexpected(given.error());
  auto matched = dataset.labels(*given);
  if (!matched) return tl::unexpected(matched.error());
  return std::optional(std::move(*matched));
}

}  // namespace strata::cli
