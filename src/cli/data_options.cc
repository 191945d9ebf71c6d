#include "cli/data_options.h"

namespace strata::cli {

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
