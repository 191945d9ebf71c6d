// The steps from an image to the elements of an input: ImageOptions, resolved for one model.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/image.h"
#include "strata/data/dataset.h"
#include "strata/graph/dtype.h"

namespace strata {

struct ImageSteps {
  enum class Fit : std::uint8_t { Keep, Short, Exact, Inside };
  Fit fit = Fit::Keep;
  // Short: the short side becomes `width`. Inside: the image is made as large as fits, and the
  // rest, on the right and below, is zeros.
  std::int64_t width = 0, height = 0;
  std::int64_t crop_width = 0, crop_height = 0;  // centre crop; 0: none
  // The size that the input takes; -1: any.
  std::int64_t input_width = -1, input_height = -1;
  std::int64_t channels = 3;
  bool channels_last = false, bgr = false, batched = true;
  DType dtype = DType::F32;
  double scale = 1;
  std::array<double, 3> mean = {0, 0, 0}, std = {1, 1, 1};

  std::string text() const;  // `short side 256, centre crop 224×224, …`
};

// `dims` are the input's (-1: open), with the batch.
Result<ImageSteps> image_steps(const ImageOptions& options, std::string_view input, DType dtype,
                               const std::vector<std::int64_t>& dims);

// Appends the elements of one image to `data`; returns their shape, without a batch.
Result<std::vector<std::int64_t>> append_image(const ImageSteps& steps, Image image,
                                               std::string_view label, const ImageLimits& limits,
                                               std::vector<std::byte>& data);

}  // namespace strata
