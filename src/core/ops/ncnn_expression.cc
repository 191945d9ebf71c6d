// Sizes of ncnn that are expressions of the sizes of the inputs: `*(0w,2),0h,-1`.
#include <algorithm>
#include <charconv>

#include "ops/ncnn_rows.h"
#include "ops/sizes.h"

namespace strata {

namespace {

constexpr int kDeepest = 16;
constexpr std::size_t kMaxSizes = 8;

// A quotient, which is rounded where the expression says so, and at the end.
struct Quotient {
  Expr over = Expr::unknown();
  std::int64_t under = 1;

  bool is_whole() const { return under == 1; }
  Expr rounded_down() const { return is_whole() ? over : floor_div(over, under); }
};

class SizeReader {
 public:
  SizeReader(const NodeView& node, std::string_view text) : node_(node), text_(text) {}

  std::optional<Dims> list() {
    Dims sizes;
    while (is_right_ && sizes.size() < kMaxSizes) {
      sizes.push_back(value(0).rounded_down());
      if (rest().empty()) break;
      if (!take(',')) return std::nullopt;
    }
    return is_right_ && rest().empty() ? std::optional(std::move(sizes)) : std::nullopt;
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  bool take(char wanted) {
    if (rest().empty() || rest()[0] != wanted) return false;
    ++at_;
    return true;
  }
  Quotient wrong() {
    is_right_ = false;
    return {};
  }

  // The size of an axis of an input: `1h`.
  Quotient size_of(std::string_view word) const {
    const auto input = static_cast<std::size_t>(word[0] - '0');
    if (!node_.has(input) || !node_.ranked(input)) return {};
    const std::size_t axes = node_.rank(input);
    const std::size_t back = word[1] == 'w' ? 0 : word[1] == 'h' ? 1 : 2;
    if (word[1] == 'c') return {axes < 4 ? Expr(1) : node_.dims(input)[1]};
    if (back == 2 && axes < 5) return {Expr(1)};  // a depth is beside three others
    return {back + 1 < axes ? size_from_end(node_.in(input), back) : Expr(1)};
  }

  Quotient value(int depth) {
    const std::size_t end = std::min(rest().find_first_of("(),"), rest().size());
    const std::string_view word = rest().substr(0, end);
    at_ += end;
    if (word.empty() || depth > kDeepest) return wrong();
    if (take('(')) {
      const Quotient a = value(depth + 1);
      const bool has_second = is_right_ && take(',');
      const Quotient b = has_second ? value(depth + 1) : Quotient();
      if (!is_right_ || !take(')')) return wrong();
      return has_second ? of_two(word, a, b) : of_one(word, a);
    }
    if (word.size() == 2 && word[0] >= '0' && word[0] <= '9' &&
        std::string_view("whdc").find(word[1]) != std::string_view::npos)
      return size_of(word);
    std::int64_t number = 0;
    const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || last != word.data() + word.size()) return {};  // a fraction
    return {number};
  }

  static Quotient of_two(std::string_view op, const Quotient& a, const Quotient& b) {
    if (op == "/" || op == "//") {
      const auto by = b.is_whole() ? b.over.number() : std::nullopt;
      if (!by || *by < 1 || !a.is_whole()) return {};
      return op == "/" ? Quotient{a.over, *by} : Quotient{floor_div(a.over, *by)};
    }
    if (!a.is_whole() || !b.is_whole()) return {};
    if (op == "+") return {a.over + b.over};
    if (op == "-") return {a.over - b.over};
    if (op == "*") return {a.over * b.over};
    if (op == "max") return {max(a.over, b.over)};
    if (op == "min") return {min(a.over, b.over)};
    return {};
  }
  static Quotient of_one(std::string_view op, const Quotient& a) {
    if (op == "floor" || op == "trunc") return {a.rounded_down()};
    if (op == "ceil") return {a.is_whole() ? a.over : ceil_div(a.over, a.under)};
    if (!a.is_whole()) return {};
    if (op == "round") return a;
    if (op == "neg") return {Expr(0) - a.over};
    return {};
  }

  const NodeView& node_;
  const std::string_view text_;
  std::size_t at_ = 0;
  bool is_right_ = true;
};

}  // namespace

std::optional<Dims> ncnn_sizes(const NodeView& node, std::string_view text) {
  if (text.size() > 1 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return SizeReader(node, text).list();
}

}  // namespace strata
