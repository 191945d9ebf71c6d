// The counts of a FormulaScope, and the formulas that it shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/poly.h"

namespace strata::detail {

enum class Operation : std::uint8_t { None, Add, Subtract, Multiply };

struct FormulaState {
  // Atoms that may still be looked at, and terms and factors that formulas may still be made of.
  // Shared and remembered terms count like new ones: the hash that decides which are shared
  // differs between processes, and a limit must not.
  std::int64_t work_left = 0;
  std::int64_t room_left = 0;
  std::uint64_t refused = 0;  // formulas that became unknown because of a limit

  // Subtracts work or room from the budget. Returns false if too little is left.
  bool take_work(std::size_t atoms) { return take(work_left, atoms); }
  bool take_room(std::size_t parts) { return take(room_left, parts); }

  // A formula of the same form, if it was made a short while ago, otherwise null.
  const Poly* find(const std::vector<Term>& terms, std::size_t hash, std::size_t size) const;
  void remember(const Expr& formula);

  // The result of an operation on these two, if it was computed a short while ago, else null.
  const Expr* find(Operation operation, const Expr& a, const Expr& b);
  void remember(Operation operation, const Expr& a, const Expr& b, const Expr& result);

 private:
  struct Result {
    Operation operation = Operation::None;
    Expr a, b, result;
  };
  static constexpr std::size_t kSlots = 1024;  // a power of two

  bool take(std::int64_t& left, std::size_t atoms) {
    if (left >= static_cast<std::int64_t>(atoms)) {
      left -= static_cast<std::int64_t>(atoms);
      return true;
    }
    ++refused;
    return false;
  }

  // Each has one place, where a later one replaces it. Both are empty until the first formula.
  std::vector<Expr> formulas_;
  std::vector<Result> results_;
};

// This thread's state; null outside of every scope.
extern thread_local FormulaState* formula_state;

}  // namespace strata::detail
