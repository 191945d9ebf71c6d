// An integer that may be a formula: a number, a polynomial over named symbols
// (batch, sequence length, sizes that depend on data), or unknown.
//
// A dimension, an element count and a total are all Exprs, so a network with an
// open batch size has `300774272·N` MACs and not a guess. Numbers cost one
// machine word and no allocation; formulas are shared and immutable.
//
// Symbols stand for sizes: integers of at least 1. A formula that would grow past
// a few hundred terms becomes unknown, so that no file can make one expensive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

namespace detail {
struct Access;
struct Poly;
void retain(const Poly* poly) noexcept;
void release(const Poly* poly) noexcept;
}  // namespace detail

class Expr {
 public:
  // Numbers are kept exactly from -2^62 to 2^62 - 1; beyond that a result is `overflow`.
  static constexpr std::int64_t kMaxNumber = (std::int64_t{1} << 62) - 1;
  static constexpr std::int64_t kMinNumber = -kMaxNumber - 1;

  constexpr Expr() = default;  // 0
  Expr(std::int64_t number)    // NOLINT(google-explicit-constructor): numbers are Exprs
      : bits_(number < kMinNumber || number > kMaxNumber
                  ? kOverflow
                  : (static_cast<std::uintptr_t>(number) << 1) | 1) {}
  static Expr symbol(std::string_view name);
  static Expr unknown() { return Expr(Raw{kUnknown}); }
  static Expr overflow() { return Expr(Raw{kOverflow}); }

  Expr(const Expr& other) noexcept : bits_(other.bits_) {
    if (is_formula()) detail::retain(poly());
  }
  Expr(Expr&& other) noexcept : bits_(std::exchange(other.bits_, kZero)) {}
  Expr& operator=(const Expr& other) noexcept {
    Expr copy(other);
    std::swap(bits_, copy.bits_);
    return *this;
  }
  Expr& operator=(Expr&& other) noexcept {
    std::swap(bits_, other.bits_);
    return *this;
  }
  // Most are numbers, and thousands go out of use with a model: the test is worth no call.
  [[gnu::always_inline]] ~Expr() {
    if (is_formula()) detail::release(poly());
  }

  bool is_number() const { return (bits_ & 1) != 0; }
  bool is_formula() const { return (bits_ & 1) == 0 && bits_ > kOverflow; }
  bool is_unknown() const { return bits_ == kUnknown || bits_ == kOverflow; }
  bool is_overflow() const { return bits_ == kOverflow; }
  bool is(std::int64_t number) const {
    // The first comparison decides where `number` is known to the compiler.
    return bits_ == ((static_cast<std::uintptr_t>(number) << 1) | 1) && value() == number;
  }
  // Call it only if is_number().
  std::int64_t value() const { return static_cast<std::int64_t>(bits_) >> 1; }
  std::optional<std::int64_t> number() const {
    return is_number() ? std::optional(value()) : std::nullopt;
  }

  // unknown absorbs everything, except that its product with an exact 0 is 0. overflow does the
  // same and also absorbs unknown.
  friend Expr operator+(const Expr& a, const Expr& b) {
    if ((a.bits_ & b.bits_ & 1) == 0) return sum(a, b, 1);
    std::int64_t bits;
    const bool overflows = __builtin_add_overflow(a.word(), b.word() - 1, &bits);
    return overflows ? overflow() : Expr(Raw{static_cast<std::uintptr_t>(bits)});
  }
  friend Expr operator-(const Expr& a, const Expr& b) {
    if ((a.bits_ & b.bits_ & 1) == 0) return sum(a, b, -1);
    std::int64_t bits;
    const bool overflows = __builtin_sub_overflow(a.word(), b.word() - 1, &bits);
    return overflows ? overflow() : Expr(Raw{static_cast<std::uintptr_t>(bits)});
  }
  friend Expr operator*(const Expr& a, const Expr& b) {
    if ((a.bits_ & b.bits_ & 1) == 0) return product(a, b);
    std::int64_t doubled;
    const bool overflows = __builtin_mul_overflow(a.word() - 1, b.value(), &doubled);
    return overflows ? overflow() : Expr(Raw{static_cast<std::uintptr_t>(doubled) | 1});
  }
  Expr& operator+=(const Expr& b) { return *this = *this + b; }
  Expr& operator-=(const Expr& b) { return *this = *this - b; }
  Expr& operator*=(const Expr& b) { return *this = *this * b; }
  Expr operator-() const { return Expr(0) - *this; }

  // Equal if they have the same canonical form. Two unknowns are not equal.
  friend bool operator==(const Expr& a, const Expr& b) {
    if (a.bits_ == b.bits_) return !a.is_unknown();
    return a.is_formula() && b.is_formula() && same_form(a, b);
  }
  // True for the same number, the same formula in memory, or two unknowns. Apart from unknowns,
  // same implies equal; equal formulas need not be the same.
  friend bool is_same(const Expr& a, const Expr& b) { return a.bits_ == b.bits_; }
  std::uint64_t bits() const { return bits_; }  // the same for those that are the same

  // `64·N·S^2 + ⌊(H + 1)/2⌋ + 3`: highest degree first. Numbers are plain digits;
  // unknown is `?`, overflow is `overflow`.
  std::string text() const;
  // Replaces the symbols for which `find` returns an expression.
  Expr substitute(const std::function<std::optional<Expr>(std::string_view)>& find) const;
  // The names of all symbols in it, sorted, without duplicates.
  std::vector<std::string> symbols() const;
  // Evaluates to a number with every symbol set by `find`; nullopt if one is missing.
  std::optional<double> evaluate(
      const std::function<std::optional<double>(std::string_view)>& find) const;

  // One term of the sum `terms()`: a coefficient and the text of its product of symbols (`N·S^2`;
  // empty for the constant). For printing totals in human units. A number, including 0, is one
  // term; unknown has none.
  struct Term {
    std::int64_t coefficient;
    std::string product;
  };
  std::vector<Term> terms() const;

  std::size_t hash() const;

 private:
  struct Raw {
    std::uintptr_t bits;
  };
  static constexpr std::uintptr_t kZero = 1;     // low bit set: a number, shifted left by one
  static constexpr std::uintptr_t kUnknown = 0;  // low bit clear: a pointer, or one of these two
  static constexpr std::uintptr_t kOverflow = 2;

  explicit Expr(Raw raw) : bits_(raw.bits) {}
  std::int64_t word() const { return static_cast<std::int64_t>(bits_); }
  const detail::Poly* poly() const { return reinterpret_cast<const detail::Poly*>(bits_); }
  friend struct detail::Access;

  // Handle the case that one side is not a number. `sign` is 1 or -1: a + sign·b.
  static Expr sum(const Expr& a, const Expr& b, std::int64_t sign);
  static Expr product(const Expr& a, const Expr& b);
  static bool same_form(const Expr& a, const Expr& b);

  std::uintptr_t bits_ = kZero;
};
static_assert(sizeof(Expr) == 8, "numbers need a 64-bit word");

// Rounded towards minus infinity / plus infinity. Division by 0 gives unknown. floor(floor((x +
// c)/a)/b) becomes one floor; terms that divide exactly are moved out of it.
Expr floor_div(const Expr& a, const Expr& b);
Expr ceil_div(const Expr& a, const Expr& b);
Expr mod(const Expr& a, const Expr& b);  // a - b·floor(a/b)
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
// a / b when b divides a as a polynomial, else nullopt: (N·S·64) / (N·64) = S.
std::optional<Expr> exact_div(const Expr& a, const Expr& b);
// True only if it holds for every value ≥ 1 of the symbols.
bool provably_at_least(const Expr& a, std::int64_t bound);
// A number that `a` never exceeds, whatever its symbols are, including 0, since a detector may find
// nothing. It is 1000 for min(boxes, 1000) and nullopt if no bound follows from the form (boxes,
// unknown). Operands are looked at one by one, so it need not be the tightest bound.
std::optional<std::int64_t> upper_bound(const Expr& a);
// Reads what Expr::text() wrote; nullopt for any other text. `symbols` are names that may contain
// more than letters, digits, `_`, `.` and `:`, as names in files do, in ascending order.
std::optional<Expr> expr_from_text(std::string_view text, std::span<const std::string> symbols);

}  // namespace strata
