// Rows of a profile taken apart at the `+` of their types, with what parts are compared by.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/compare/side.h"

namespace strata::compare {

inline constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

// Equal numbers mean equal texts or figures, on both sides.
struct Part {
  std::uint32_t row = 0;
  std::uint32_t type = 0;
  std::uint32_t name = kNone;       // of the row, in its first part: the others have none
  std::uint32_t structure = kNone;  // likewise: type, shapes and costs of the row
  std::uint32_t costs = kNone;      // likewise: shapes and costs, of a row that has MACs
  std::uint32_t macs = kNone;       // likewise: its MACs alone, if it has any
  bool numbered = false;            // the name is a place, which an insertion shifts
  bool whole = false;               // the only part of its row
  std::uint32_t match = kNone;      // a part of the other side
};

// The parts of the rows of both sides, in their order.
std::pair<std::vector<Part>, std::vector<Part>> parts_of(std::span<const SideRow> before,
                                                         std::span<const SideRow> after);

// True for an operator of TensorFlow Lite, whose names are in capitals.
bool is_tflite_operator(std::string_view type);

// `add_.Tensor` of PyTorch's and `ADD` of TensorFlow Lite's are ONNX's `Add`, so that the same
// network in two formats compares. Types that are no operators of theirs stay as they are; those of
// PyTorch's begin with small letters.
std::string_view in_onnx(std::string_view type);

}  // namespace strata::compare
