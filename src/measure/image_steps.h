// From an image to the elements of an input: what ImageOptions come to for one model.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "measure/image.h"
#include "strata/graph/dtype.h"
#include "strata/measure/dataset.h"

namespace strata {

struct ImageSteps {
  enum class Fit : std::uint8_t { Keep, Short, Exact, Inside };
  Fit fit = Fit::Keep;
  // Short: the side is `width`. Inside: as large as fits, the rest zeros on the right and
  // below.
  std::int64_t width = 0, height = 0;
  std::int64_t crop_width = 0, crop_height = 0;  // of the centre; 0: none
  // What the input takes; -1: any.
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

// Appends the elements of one image to `data`; gives their shape, without a batch.
Result<std::vector<std::int64_t>> append_image(const ImageSteps& steps, Image image,
                                               std::string_view label, const ImageLimits& limits,
                                               std::vector<std::byte>& data);

}  // namespace strata
