#include "profile/open_sizes.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

namespace {

constexpr std::size_t kShown = 8;  // of the symbols that need a value

}  // namespace

double OpenSizes::number(const Expr& size) {
  if (size.is_number()) return static_cast<double>(size.value());
  if (size.is_unknown()) {
    unknown_ = true;
    return 0;
  }
  const auto bound = upper_bound(size);
  if (bound)
    has_bounds_ = true;
  else
    for (std::string& symbol : size.symbols()) open_.insert(std::move(symbol));
  return static_cast<double>(bound.value_or(0));
}

bool OpenSizes::depends_on_inputs(const Graph& graph, const Expr& size) {
  const std::vector<std::string> symbols = size.symbols();
  for (TensorId input : graph.inputs)
    for (const Expr& dim : graph.tensors[input].type->dims)
      for (const std::string& symbol : dim.symbols())
        if (std::find(symbols.begin(), symbols.end(), symbol) != symbols.end()) return true;
  return false;
}

Status OpenSizes::status(std::string_view what) const {
  if (!open_.empty()) {
    const std::size_t shown = std::min(open_.size(), kShown);
    const auto last = std::next(open_.begin(), static_cast<std::ptrdiff_t>(shown));
    std::string names = fmt::format("{}", fmt::join(open_.begin(), last, ", "));
    if (open_.size() > kShown) names += fmt::format(" and {} more", open_.size() - kShown);
    return failure(Code::OpenWork, {.wanted = std::move(names), .detail = std::string(what)});
  }
  if (unknown_) return failure(fmt::format("{} cannot be known from the file", what));
  return {};
}

void OpenSizes::add_note(std::vector<std::string>& notes) const {
  if (has_bounds_)
    notes.emplace_back("sizes that depend on the data are taken at their upper bound");
}

}  // namespace strata
