// What a profile shows and how it counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

enum class ReportKind : std::uint8_t {
  Tape,    // each call of a leaf module, in running order
  Node,    // each operator
  Leaves,  // each leaf module once, its calls added up
  Tree,    // the module tree with totals
  Root,    // the network as one row
  Type,    // by kind of layer
  None,    // totals only
};

std::optional<ReportKind> report_kind_from_name(std::string_view name);
std::string_view name(ReportKind kind);

struct RowOptions {
  ReportKind report = ReportKind::Tape;
  std::uint32_t depth = 1000;  // of the tree
  bool fuse = false;           // convolution + norm + activation as one row
  bool all = false;            // also rows that cost nothing
};

}  // namespace strata
