// The page that `strata explain` prints: numbers, and lines with labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/base/certainty.h"
#include "strata/base/expr.h"
#include "strata/cost/amount.h"

namespace strata::page {

inline constexpr std::size_t kLabelWidth = 8;
inline constexpr std::size_t kRuleWidth = 80;

// Groups the thousands of all numbers in a text, but not in names (`conv12345`).
std::string with_groups(std::string_view text);

// With every digit.
std::string exact(const Expr& expr);
std::string exact(const Amount& amount);

inline constexpr std::string_view kUnknown = "unknown";

// `15,872`, `≥15,872` or `unknown`
std::string bounded(const std::string& number, Certainty certainty);

// Padded with spaces to a width in terminal columns.
std::string padded(std::string text, std::size_t width);
// Wraps the words into lines of at most this many columns.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// Lines with a label: `MACs    = N·O·K`, then `        = 1·401,408·27`.
class Page {
 public:
  explicit Page(bool color) : color_(color) {}

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string accent(std::string_view text) const { return paint("36", text); }

  void line(std::string_view text);
  void gap() { out_ += '\n'; }
  void rule();
  void labelled(std::string_view label, std::string_view text);
  // A derivation, step by step; the last step is the result.
  void derivation(std::string_view label, std::vector<std::string> steps);

  std::string take() { return std::move(out_); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;

  bool color_;
  std::string out_;
};

}  // namespace strata::page
