// Any bytes, read as an image, give pixels or one sentence, in bounded time and memory. An image
// that was read is turned into elements in every possible way.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/image_steps.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const strata::ImageLimits limits{.most_pixels = 100'000};
  const auto image =
      strata::read_image({reinterpret_cast<const char*>(data), size}, "fuzz", limits);
  if (!image) {
    if (image.error().message.empty()) std::abort();
    return 0;
  }
  const auto pixels = static_cast<std::size_t>(image->width * image->height);
  if (image->width <= 0 || image->rgb.size() != pixels * 3) std::abort();
  for (const char* preset : {"imagenet", "unit", "sam"}) {
    strata::ImageOptions options;
    options.preset = preset;
    const auto steps = strata::image_steps(options, "x", strata::DType::F32, {1, 3, 20, 24});
    if (!steps) std::abort();
    std::vector<std::byte> elements;
    const auto dims = strata::append_image(*steps, *image, "fuzz", limits, elements);
    if (dims ? elements.size() != sizeof(float) * 3 * 20 * 24 : dims.error().message.empty())
      std::abort();
  }
  return 0;
}
