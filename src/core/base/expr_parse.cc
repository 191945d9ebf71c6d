#include <algorithm>
#include <charconv>
#include <iterator>

#include "strata/base/expr.h"

namespace strata {

namespace {

constexpr std::size_t kLongestText = 1 << 16;
constexpr int kDeepest = 80;  // nested functions and parentheses

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

// Recursive descent over the grammar of Expr::text(); nullopt as soon as it meets anything else.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> symbols)
      : left_(text), symbols_(symbols) {}

  std::optional<Expr> all() {
    std::optional<Expr> sum = read_sum();
    return left_.empty() ? sum : std::nullopt;
  }

 private:
  bool take(std::string_view token) {
    if (!left_.starts_with(token)) return false;
    left_.remove_prefix(token.size());
    return true;
  }

  std::optional<Expr> read_sum() {
    if (++depth_ > kDeepest) return std::nullopt;
    const bool negative = take("-");
    std::optional<Expr> sum = read_product();
    if (sum && negative) sum = -*sum;
    while (sum) {
      const bool plus = take(" + ");
      if (!plus && !take(" - ")) break;
      const std::optional<Expr> next = read_product();
      if (!next) return std::nullopt;
      sum = plus ? *sum + *next : *sum - *next;
    }
    --depth_;
    return sum;
  }

  std::optional<Expr> read_product() {
    std::optional<Expr> product = read_factor();
    while (product && take("·")) {
      const std::optional<Expr> next = read_factor();
      if (!next) return std::nullopt;
      product = *product * *next;
    }
    return product;
  }

  std::optional<Expr> read_factor() {
    std::optional<Expr> atom = read_atom();
    if (!atom || !take("^")) return atom;
    const std::optional<Expr> power = read_number();
    if (!power || !power->is_number() || power->value() < 2 || power->value() > 64)
      return std::nullopt;
    Expr product = *atom;
    for (std::int64_t i = 1; i < power->value(); ++i) product *= *atom;
    return product;
  }

  std::optional<Expr> read_atom() {
    if (take("⌊")) return read_floor();
    if (const bool least = left_.starts_with("min("); least || left_.starts_with("max(")) {
      left_.remove_prefix(4);
      const std::optional<Expr> a = read_sum();
      if (!a || !take(", ")) return std::nullopt;
      const std::optional<Expr> b = read_sum();
      if (!b || !take(")")) return std::nullopt;
      return least ? min(*a, *b) : max(*a, *b);
    }
    if (auto symbol = read_known_symbol()) return symbol;
    if (!left_.empty() && is_digit(left_[0])) return read_number();
    return read_name();
  }

  std::optional<Expr> read_floor() {
    const std::optional<Expr> a = read_operand();
    if (!a || !take("/")) return std::nullopt;
    const std::optional<Expr> b = read_operand();
    if (!b || !take("⌋")) return std::nullopt;
    return floor_div(*a, *b);
  }

  // An operand of a division: one product, or a sum in parentheses.
  std::optional<Expr> read_operand() {
    if (!take("(")) return read_sum();
    const std::optional<Expr> sum = read_sum();
    return take(")") ? sum : std::nullopt;
  }

  // The longest symbol that the rest starts with. In ascending order it is the last one that is not
  // above the rest, or it is shorter than what that one has in common with the rest.
  std::optional<Expr> read_known_symbol() {
    for (std::string_view start = left_; !start.empty();) {
      const auto above = std::upper_bound(symbols_.begin(), symbols_.end(), start);
      if (above == symbols_.begin()) return std::nullopt;
      const std::string_view symbol = *std::prev(above);
      const auto differs = std::mismatch(symbol.begin(), symbol.end(), start.begin(), start.end());
      start = start.substr(0, static_cast<std::size_t>(differs.first - symbol.begin()));
      if (start.size() < symbol.size() || symbol.empty()) continue;
      left_.remove_prefix(symbol.size());
      return Expr::symbol(symbol);
    }
    return std::nullopt;
  }

  std::optional<Expr> read_number() {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
    if (error != std::errc()) return std::nullopt;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return Expr(number);
  }

  std::optional<Expr> read_name() {
    std::size_t size = 0;
    while (size < left_.size() && is_in_name(left_[size])) {
      const std::string_view rest = left_.substr(size);
      if (rest.starts_with("·") || rest.starts_with("⌊") || rest.starts_with("⌋")) break;
      ++size;
    }
    if (size == 0) return std::nullopt;
    const std::string_view name = left_.substr(0, size);
    left_.remove_prefix(size);
    return Expr::symbol(name);
  }

  std::string_view left_;
  std::span<const std::string> symbols_;
  int depth_ = 0;
};

}  // namespace

std::optional<Expr> expr_from_text(std::string_view text, std::span<const std::string> symbols) {
  if (text.size() > kLongestText) return std::nullopt;
  std::optional<Expr> expr = Parser(text, symbols).all();
  if (expr && expr->is_unknown()) return std::nullopt;
  return expr;
}

}  // namespace strata
