// Sizes as people type them: `1x3x224x224`, `batch=8`. Errors are usage errors that say how to
// write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/dtype.h"
#include "strata/graph/shape.h"

namespace strata {

// `1x3x224x224`, `Nx3xHxW`; an empty text and `scalar` have no axes.
Result<Dims> parse_dims(std::string_view sizes);
// `NAME=1x3x224x224`, or with the type of its elements, `NAME=1x128:int64`.
struct InputShape {
  std::string name;
  Dims dims;
  std::optional<DType> type = std::nullopt;  // nullopt: not said
};
Result<InputShape> parse_input_shape(std::string_view text);
Result<std::vector<InputShape>> parse_input_shapes(const std::vector<std::string>& texts);
// `batch=8`
Result<std::pair<std::string, std::int64_t>> parse_size(std::string_view text);
// Several of them, of different names.
Result<std::vector<std::pair<std::string, std::int64_t>>> parse_size_list(
    const std::vector<std::string>& texts);

// Picks the files of elements (`photo.npy`, `x=photo.npy`; also .npz and .pb) from the texts about
// inputs; the others are shapes.
std::vector<std::string> input_files(const std::vector<std::string>& inputs);
std::vector<std::string> input_shapes(const std::vector<std::string>& inputs);

}  // namespace strata
