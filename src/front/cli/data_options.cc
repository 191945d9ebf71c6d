#include "cli/data_options.h"

#include "options/options.h"

namespace strata::cli {

void DataOptions::add_to(App& app) {
  app.add("data", {{"--data", &path},
                   {"--random", &data.random},
                   {"--samples", &data.samples},
                   {"--offset", &data.offset},
                   {"--spread", &data.spread}});
  app.need_that(
      {"--spread"}, [this] { return data.samples > 0; }, "all samples are taken; add --samples");
  if (!app.has_option("--seed")) app.add("data", {{"--seed", &data.seed}});
  ImageOptions& images = data.images;
  app.add("data", {{"--labels", &labels},
                   {"--preset", &images.preset},
                   {"--resize", &images.resize},
                   {"--crop", &images.crop},
                   {"--scale", &images.scale},
                   {"--mean", &images.mean},
                   {"--std", &images.std},
                   {"--image-layout", &images.layout},
                   {"--channels", &channels}});
}

DataRequest DataOptions::request_if_any() const {
  DataRequest out = *this;
  out.data.images.bgr = channels == "bgr";
  return out;
}

Result<DataRequest> DataOptions::request() const {
  if (path.empty() && !data.random) return failure(Code::NoSamples);
  return request_if_any();
}

}  // namespace strata::cli
