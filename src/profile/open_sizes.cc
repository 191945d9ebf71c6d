#include "profile/open_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

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

Status OpenSizes::status(std::string_view what) const {
  if (!open_.empty()) {
    std::vector<std::string> settings;
    for (const std::string& symbol : open_) settings.push_back(fmt::format("--dim {}=…", symbol));
    return failure(fmt::format("{} depends on sizes that are open: give them with {}", what,
                               fmt::join(settings, " ")),
                   ErrorKind::Usage);
  }
  if (unknown_) return failure(fmt::format("{} cannot be known from the file", what));
  return {};
}

void OpenSizes::add_note(std::vector<std::string>& notes) const {
  if (has_bounds_) notes.emplace_back("sizes that only the data tells are taken at their most");
}

}  // namespace strata
