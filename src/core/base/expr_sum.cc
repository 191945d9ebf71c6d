#include "base/expr_sum.h"

#include <algorithm>

namespace strata {

void ExprSum::add_formula(const Expr& more) {
  if (others_.is_unknown()) return;  // too long, and it stays so
  if (repeated_.empty()) repeated_.resize(kPlaces);
  Repeated* free = nullptr;
  for (std::size_t i = 0; i < kLooked; ++i) {
    Repeated& place = repeated_[(more.hash() + i) % kPlaces];
    if (place.times == 0) {
      if (free == nullptr) free = &place;
    } else if (place.formula == more) {
      ++place.times;
      return;
    }
  }
  if (free == nullptr) {
    free = &repeated_[more.hash() % kPlaces];
    others_ += free->formula * free->times;
  }
  *free = {more, 1};
}

Expr ExprSum::total() const {
  Expr sum = others_;
  for (const Repeated& place : repeated_)
    if (place.times > 0) sum += place.formula * place.times;
  return sum + number_;
}

}  // namespace strata
