// How formulas are stored: sums of terms in one canonical form, so that equal polynomials are equal
// term by term.
//
//   Poly      3·N·S^2 + ⌊H/2⌋ + 1   terms, greatest monomial first; never a lone number
//   Term      3·N·S^2               a coefficient other than 0, times a monomial
//   Monomial  N·S^2                 factors, least atom first; empty for the constant
//   Atom      N, ⌊H/2⌋              a symbol, or a function of two Exprs
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/expr.h"
#include "strata/base/inline_vector.h"

namespace strata::detail {

// Beyond any of these limits an Expr becomes unknown: they bound the memory and the time that a
// file can cost.
inline constexpr std::size_t kMaxTerms = 256;
inline constexpr std::size_t kMaxProducts = 4096;  // pairs of terms in one multiplication
inline constexpr std::uint32_t kMaxPower = 64;
inline constexpr std::uint32_t kMaxDepth = 64;    // nested functions
inline constexpr std::size_t kMaxSize = 4096;     // atoms when written out; parts are shared
inline constexpr std::size_t kBytesPerAtom = 32;  // a longer name of a symbol counts as several

enum class AtomKind : std::uint8_t { Symbol, Floor, Min, Max };

// The bounds of an expression for all values ≥ 1 of its symbols. If no bound is known, it is one of
// the two infinities, which no Expr's number reaches.
struct Bounds {
  static constexpr std::int64_t kMinusInfinity = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();
  std::int64_t low = kMinusInfinity;
  std::int64_t high = kInfinity;
};

struct Atom {
  AtomKind kind = AtomKind::Symbol;
  std::string name;  // for a symbol
  Expr a, b;         // for a function: ⌊a/b⌋, min(a, b), max(a, b)

  std::size_t hash = 0;
  std::size_t size = 1;
  std::uint32_t depth = 0;
  Bounds bounds;
  mutable std::atomic<std::uint32_t> references = 1;
};

class AtomRef {
 public:
  AtomRef() = default;
  explicit AtomRef(const Atom* owned) : atom_(owned) {}
  AtomRef(const AtomRef& other) noexcept : atom_(other.atom_) {
    if (atom_ != nullptr) atom_->references.fetch_add(1, std::memory_order_relaxed);
  }
  AtomRef(AtomRef&& other) noexcept : atom_(std::exchange(other.atom_, nullptr)) {}
  AtomRef& operator=(AtomRef other) noexcept {
    std::swap(atom_, other.atom_);
    return *this;
  }
  ~AtomRef() {
    if (atom_ != nullptr && atom_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete atom_;
    }
  }
  const Atom& operator*() const { return *atom_; }
  const Atom* operator->() const { return atom_; }

 private:
  const Atom* atom_ = nullptr;
};

struct Factor {
  AtomRef atom;
  std::uint32_t power = 0;
};

using Monomial = InlineVector<Factor, 2>;

struct Term {
  std::int64_t coefficient = 0;  // a number that an Expr can hold
  Monomial monomial;
};

struct Poly {
  std::vector<Term> terms;
  std::size_t hash = 0;
  std::size_t size = 0;
  std::uint32_t depth = 0;
  std::uint32_t room = 0;  // terms and their factors, which it holds itself
  mutable std::atomic<std::uint32_t> references = 1;
};

struct Access {
  static const Poly& poly(const Expr& formula) { return *formula.poly(); }
  static Expr own(const Poly* poly) {
    return Expr(Expr::Raw{reinterpret_cast<std::uintptr_t>(poly)});
  }
  static std::uintptr_t bits(const Expr& expr) { return expr.bits_; }
};

// The terms of a known Expr: a number is one constant term, 0 has none.
class Terms {
 public:
  explicit Terms(const Expr& expr);
  Terms(const Terms&) = delete;
  Terms& operator=(const Terms&) = delete;

  std::size_t size() const { return terms_.size(); }
  const Term& operator[](std::size_t i) const { return terms_[i]; }
  auto begin() const { return terms_.begin(); }
  auto end() const { return terms_.end(); }

 private:
  Term constant_;
  std::span<const Term> terms_;
};

// The sum of terms that are in canonical order, with distinct monomials and none of them 0.
Expr from_terms(std::vector<Term> terms);
Expr from_atom(AtomRef atom);
// The atom kind(a, b) without simplification, which floor_div, min and max do. Only for known a and
// b.
Expr from_function(AtomKind kind, const Expr& a, const Expr& b);

// Total orders that depend only on structure, never on addresses. For monomials, it is the
// lexicographic order of their powers, in which a·m > b·m whenever a > b.
std::strong_ordering compare(const Atom& a, const Atom& b);
std::strong_ordering compare(const Monomial& a, const Monomial& b);
std::strong_ordering compare(const Expr& a, const Expr& b);

bool same_terms(std::span<const Term> a, std::span<const Term> b);

// nullopt if the result is out of the range of an Expr's numbers.
std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b);
// Rounded towards minus infinity; b is not 0, a and b are numbers of an Expr.
std::int64_t floored(std::int64_t a, std::int64_t b);

Bounds bounds(const Expr& expr);
// Bounds of kind(a, b), where kind is a function.
Bounds bounds(AtomKind kind, const Expr& a, const Expr& b);

}  // namespace strata::detail
