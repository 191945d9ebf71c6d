#include "base/formula_scope.h"

#include <algorithm>

#include "base/formula_state.h"

namespace strata {

namespace detail {

thread_local FormulaState* formula_state = nullptr;

namespace {

// GPT-2 takes 4 atoms of work and 3 of room for each byte of its graph; 100,000 nodes of residual
// blocks without names 13 and 8.
constexpr double kWork = 10e6, kWorkPerByte = 200;
constexpr double kRoom = 5e6, kRoomPerByte = 50;

std::int64_t limit(double base, double per_byte, std::uint64_t bytes, double factor) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(
      std::clamp((base + per_byte * static_cast<double>(bytes)) * factor, 0.0, kMost));
}

std::size_t place_of(Operation operation, const Expr& a, const Expr& b) {
  const std::uint64_t mixed =
      Access::bits(a) * 0x9e3779b97f4a7c15u + Access::bits(b) * 0xc2b2ae3d27d4eb4fu;
  return (mixed >> 32) + static_cast<std::size_t>(operation);
}

}  // namespace

const Poly* FormulaState::find(const std::vector<Term>& terms, std::size_t hash,
                               std::size_t size) const {
  if (formulas_.empty()) return nullptr;
  const Expr& found = formulas_[hash % kSlots];
  if (!found.is_formula()) return nullptr;
  const Poly& poly = Access::poly(found);
  return poly.hash == hash && poly.size == size && same_terms(poly.terms, terms) ? &poly : nullptr;
}

void FormulaState::remember(const Expr& formula) {
  if (formulas_.empty()) formulas_.resize(kSlots);
  formulas_[Access::poly(formula).hash % kSlots] = formula;
}

const Expr* FormulaState::find(Operation operation, const Expr& a, const Expr& b) {
  if (results_.empty()) return nullptr;
  const Result& found = results_[place_of(operation, a, b) % kSlots];
  const bool is_same = found.operation == operation && Access::bits(found.a) == Access::bits(a) &&
                       Access::bits(found.b) == Access::bits(b);
  return is_same ? &found.result : nullptr;
}

void FormulaState::remember(Operation operation, const Expr& a, const Expr& b, const Expr& result) {
  if (results_.empty()) results_.resize(kSlots);
  results_[place_of(operation, a, b) % kSlots] = {operation, a, b, result};
}

}  // namespace detail

FormulaScope::FormulaScope(std::uint64_t file_bytes, double factor) {
  if (detail::formula_state == nullptr) {
    own_ = std::make_unique<detail::FormulaState>();
    own_->work_left = detail::limit(detail::kWork, detail::kWorkPerByte, file_bytes, factor);
    own_->room_left = detail::limit(detail::kRoom, detail::kRoomPerByte, file_bytes, factor);
    detail::formula_state = own_.get();
  }
  refused_before_ = detail::formula_state->refused;
}

FormulaScope::~FormulaScope() {
  if (own_) detail::formula_state = nullptr;
}

bool FormulaScope::is_over_limit() const {
  return detail::formula_state->refused != refused_before_;
}

}  // namespace strata
