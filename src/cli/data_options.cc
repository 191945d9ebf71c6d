#include "cli/data_options.h"

#include "cli/options.h"

namespace strata::cli {

void DataOptions::add_to(App& app) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  data_option =
      app.add_option("--data DIR", path, "folder (or file) of samples: images, .npy, .npz or .pb");
  random_option = app.add_flag("--random", data.random, "make samples up, for a dry run");
  Option* samples =
      app.add_option("--samples N", data.samples, "number of samples; all if not given")
          ->within(std::int64_t{1}, kMost);
  Option* offset =
      app.add_option("--offset N", data.offset, "samples to leave out at the start (default 0)")
          ->within(std::int64_t{0}, kMost);
  all_need({samples, offset}, {data_option, random_option}, "there are no samples");
  app.add_flag("--spread", data.spread, "take samples at even distances instead of the first ones")
      ->needs({data_option}, "it chooses files")
      ->needs([this] { return data.samples > 0; }, "all samples are taken; add --samples");
  if (!app.has_option("--seed"))
    app.add_option("--seed N", data.seed, "seed of random samples (default 0)")
        ->needs({random_option}, "nothing is made up");
  app.add_option("--labels FILE", labels,
                 "labels of the samples: one integer a line, or name,label")
      ->needs({data_option}, "random samples have no labels");
  add_images(app);
}

void DataOptions::add_images(App& app) {
  ImageOptions& images = data.images;
  const std::vector<Option*> all = {
      app.add_option("--preset NAME", images.preset,
                     "how images become elements (default imagenet)")
          ->one_of({"imagenet", "inception", "unit", "raw", "sam"}),
      app.add_option("--resize SIZE", images.resize, "images: short side, WIDTHxHEIGHT or none"),
      app.add_option("--crop SIZE", images.crop,
                     "images: centre, one side or WIDTHxHEIGHT, or none"),
      app.add_option("--scale X", images.scale,
                     "images: factor of pixels from 0 to 255 (default 1/255)"),
      app.add_option("--mean R,G,B", images.mean, "images: what is subtracted after that")
          ->delimiter(','),
      app.add_option("--std R,G,B", images.std, "images: what is divided by after that")
          ->delimiter(','),
      app.add_option("--image-layout NAME", images.layout,
                     "images: nchw or nhwc; as the input is if not given")
          ->one_of({"nchw", "nhwc"}),
      app.add_option("--channels NAME", channels, "images: rgb or bgr (default rgb)")
          ->one_of({"rgb", "bgr"}),
  };
  all_need(all, {data_option}, "no images are read");
  app.old_name("--layout", all[6]);
}

Result<DataRequest> DataOptions::request_if_any() const {
  if (!path.empty() && data.random)
    return failure("--data and --random exclude each other", ErrorKind::Usage);
  DataRequest out = *this;
  out.data.images.bgr = channels == "bgr";
  return out;
}

Result<DataRequest> DataOptions::request() const {
  if (path.empty() && !data.random)
    return failure("there are no samples: give a folder with --data, or --random for a dry run",
                   ErrorKind::Usage);
  return request_if_any();
}

}  // namespace strata::cli
