#include "strata/task/data.h"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

namespace {

// The number, if the whole text is one; otherwise nullopt.
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

Result<Dataset> DataRequest::open(const Model& inferred) const {
  if (path.empty() && !data.random) return failure(Code::NoSamples);
  if (!path.empty() && data.random)
    return failure("samples of a folder and random samples exclude each other", ErrorKind::Usage);
  return Dataset::open(path, inferred, data);
}

Result<std::optional<std::vector<std::int64_t>>> DataRequest::read_labels(
    const Dataset& dataset) const {
  if (labels.empty()) return std::nullopt;
  auto given = strata::read_labels(labels);
  if (!given) return failure(given);
  auto matched = dataset.labels(*given);
  if (!matched) return failure(matched);
  return std::optional(std::move(*matched));
}

std::map<std::string, std::string> DataRequest::words() const {
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
  if (images.bgr) out["channels"] = "bgr";
  return out;
}

Result<DataRequest> DataRequest::from_words(const std::map<std::string, std::string>& words) {
  DataRequest out;
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
                       : key == "channels" ? (images.bgr = text == "bgr", true)
                                           : false;
    if (!known)
      return failure(
          fmt::format("how its samples were made is not understood: {} = {}", key, text));
  }
  return out;
}

}  // namespace strata
