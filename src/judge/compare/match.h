// Matches the rows of one side with those of the other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strata/compare/side.h"

namespace strata::compare {

// Rows with the same work on both sides: usually one row each, more where layers were joined or
// taken apart. Empty `before`: inserted; empty `after`: removed.
struct Group {
  std::vector<std::uint32_t> before, after;  // indices of rows, ascending
  // Not in the largest set of groups that have the same order on both sides.
  bool moved = false;
  // A layer and the batch norm after it on one side, the layer with its bias on the other.
  bool folded = false;
};

// Also of the same operator in the dialects of ONNX and PyTorch: `Add` and `add_.Tensor`.
bool are_same_type(std::string_view before, std::string_view after);

// Every row of both sides is in one group. Groups are in the order of `after`; what was removed
// follows what it followed before.
std::vector<Group> match_rows(std::span<const SideRow> before, std::span<const SideRow> after);

}  // namespace strata::compare
