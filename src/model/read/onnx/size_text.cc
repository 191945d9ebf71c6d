#include "read/onnx/size_text.h"

#include <charconv>
#include <optional>

#include "base/visible.h"

namespace strata::onnx {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_name(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == ':'; }

// Parses sums of products, and Min and Max of two; nullopt as soon as it meets anything else.
class Parser {
 public:
  explicit Parser(std::string_view text) : left_(text) {}

  std::optional<Expr> all() {
    std::optional<Expr> sum = read_sum(0);
    skip_spaces();
    return left_.empty() ? sum : std::nullopt;
  }

 private:
  void skip_spaces() {
    while (!left_.empty() && left_[0] == ' ') {
      left_.remove_prefix(1);
      spaced_ = true;
    }
  }
  bool take(std::string_view token) {
    skip_spaces();
    if (!left_.starts_with(token)) return false;
    left_.remove_prefix(token.size());
    spaced_ = false;
    return true;
  }
  // A minus sign has spaces around it: `batch-size` is a name.
  bool take_minus() {
    skip_spaces();
    return spaced_ && left_.starts_with("- ") && take("-");
  }

  std::optional<Expr> read_sum(int depth) {
    std::optional<Expr> sum = read_product(depth);
    while (sum) {
      const bool plus = take("+");
      if (!plus && !take_minus()) break;
      const std::optional<Expr> next = read_product(depth);
      if (!next) return std::nullopt;
      sum = plus ? *sum + *next : *sum - *next;
    }
    return sum;
  }

  std::optional<Expr> read_product(int depth) {
    std::optional<Expr> product = read_factor(depth);
    while (product) {
      const bool divides = take("//");
      if (!divides && !take("*")) break;
      const std::optional<Expr> next = read_factor(depth);
      if (!next) return std::nullopt;
      product = divides ? floor_div(*product, *next) : *product * *next;
    }
    return product;
  }

  std::optional<Expr> read_factor(int depth) {
    constexpr int kDeepest = 16;
    if (depth < kDeepest && take("(")) {
      const std::optional<Expr> inner = read_sum(depth + 1);
      return take(")") ? inner : std::nullopt;
    }
    skip_spaces();
    std::size_t size = 0;
    while (size < left_.size() && is_in_name(left_[size])) ++size;
    const std::string_view word = left_.substr(0, size);
    left_.remove_prefix(size);
    spaced_ = false;
    if (word.empty()) return std::nullopt;
    if (depth < kDeepest && (word == "Min" || word == "Max") && take("(")) {
      const std::optional<Expr> a = read_sum(depth + 1);
      const std::optional<Expr> b = a && take(",") ? read_sum(depth + 1) : std::nullopt;
      if (!b || !take(")")) return std::nullopt;
      return word == "Min" ? min(*a, *b) : max(*a, *b);
    }
    if (is_letter(word[0])) return Expr::symbol(word);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return Expr(number);
  }

  std::string_view left_;
  bool spaced_ = false;  // there were spaces before the rest
};

}  // namespace

// Symbols are words that users read and type, so control characters in them are written out.
Expr size_from_text(std::string_view given) {
  const std::string text = visible(given);
  constexpr std::size_t kLongestFormula = 256;
  if (text.size() <= kLongestFormula && text.find_first_of("+-*/(") != std::string_view::npos) {
    const std::optional<Expr> formula = Parser(text).all();
    if (formula && formula->is_formula()) return *formula;
  }
  return Expr::symbol(text);
}

}  // namespace strata::onnx
