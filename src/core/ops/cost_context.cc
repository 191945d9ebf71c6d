#include "ops/cost_context.h"

#include <fmt/format.h>

namespace strata {

void CostContext::add(Work work, std::initializer_list<Factor> factors) {
  Expr product = 1;
  for (const Factor& factor : factors) product *= factor.value;
  if (explanation_ != nullptr) {
    std::string text;
    for (const Factor& factor : factors) {
      if (!text.empty()) text += " × ";
      text += fmt::format("{} {}", factor.name, factor.value.text());
    }
    explanation_->push_back({work, std::move(text), product});
  }
  amounts_[static_cast<std::size_t>(work)] += product;
}

void CostContext::take(const CostContext& part) {
  for (std::size_t i = 0; i < std::size(amounts_); ++i) amounts_[i] += part.amounts_[i];
  if (part.certainty_ == Certainty::LowerBound) at_least(part.reason_);
  if (part.certainty_ == Certainty::Unknown) cannot_tell(part.reason_);
}

void CostContext::at_least(std::string_view why) {
  if (certainty_ == Certainty::Exact) certainty_ = Certainty::LowerBound, reason_ = why;
}

void CostContext::cannot_tell(std::string_view why) {
  certainty_ = Certainty::Unknown;
  reason_ = why;
}

}  // namespace strata
