#include "read/pt2/size_formula.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace strata::pt2 {

namespace {

constexpr std::size_t kLongestText = 1 << 16;
constexpr int kDeepest = 64;
constexpr std::int64_t kHighestPower = 16;

// Formulas divide before they round: `CeilToInt(IntTrueDiv(s0, Integer(2)))`.
struct Fraction {
  Expr over;
  Expr under = 1;

  bool is_whole() const { return under.is(1); }
  bool is_known() const { return !over.is_unknown() && !under.is_unknown(); }
};

const Fraction kUnknown{Expr::unknown(), 1};

Fraction reduced(Expr over, Expr under) {
  if (under.is(1)) return {std::move(over), 1};
  if (auto whole = exact_div(over, under)) return {std::move(*whole), 1};
  return {std::move(over), std::move(under)};
}

Fraction plus(const Fraction& a, const Fraction& b) {
  if (a.under == b.under) return reduced(a.over + b.over, a.under);
  return reduced(a.over * b.under + b.over * a.under, a.under * b.under);
}
Fraction times(const Fraction& a, const Fraction& b) {
  return reduced(a.over * b.over, a.under * b.under);
}
Fraction divided(const Fraction& a, const Fraction& b) {
  return reduced(a.over * b.under, a.under * b.over);
}
Fraction rounded_down(const Fraction& a) { return {floor_div(a.over, a.under), 1}; }
Fraction rounded_up(const Fraction& a) { return {ceil_div(a.over, a.under), 1}; }

Fraction power(const Fraction& base, const Fraction& exponent) {
  const auto times_itself = exponent.is_whole() ? exponent.over.number() : std::nullopt;
  if (!times_itself || *times_itself > kHighestPower || *times_itself < -kHighestPower)
    return kUnknown;
  Fraction product{1, 1};
  for (std::int64_t i = 0; i < std::abs(*times_itself); ++i) product = times(product, base);
  return *times_itself < 0 ? divided({1, 1}, product) : product;
}

// Takes multiples of a power of two, such as 0.5 and 2.0.
Fraction from_real(double real) {
  constexpr double kParts = 1 << 20;
  const double scaled = real * kParts;
  constexpr double kMost = 1e15;
  if (!(std::abs(scaled) < kMost) || scaled != std::floor(scaled)) return kUnknown;
  return reduced(static_cast<std::int64_t>(scaled), static_cast<std::int64_t>(kParts));
}

using Arguments = std::vector<Fraction>;

struct Function {
  std::string_view name;
  std::size_t least, most;  // number of arguments
  Fraction (*apply)(const Arguments& given);
};

constexpr std::size_t kAny = 1 << 16;

template <Fraction (*two)(const Fraction&, const Fraction&)>
Fraction all(const Arguments& given) {
  Fraction sum = given[0];
  for (std::size_t i = 1; i < given.size(); ++i) sum = two(sum, given[i]);
  return sum;
}
template <Expr (*two)(const Expr&, const Expr&)>
Fraction whole(const Arguments& given) {
  Expr result = given[0].over;
  for (const Fraction& argument : given)
    if (!argument.is_whole()) return kUnknown;
  for (std::size_t i = 1; i < given.size(); ++i) result = two(result, given[i].over);
  return {result, 1};
}
Fraction same(const Arguments& given) { return given[0]; }
Fraction down(const Arguments& given) { return rounded_down(given[0]); }
Fraction up(const Arguments& given) { return rounded_up(given[0]); }
// Towards zero, which is down for what is not negative.
Fraction towards_zero(const Arguments& given) {
  if (!provably_at_least(given[0].over, 0) || !provably_at_least(given[0].under, 0))
    return given[0].is_whole() ? given[0] : kUnknown;
  return rounded_down(given[0]);
}
Fraction floor_quotient(const Arguments& given) {
  return rounded_down(divided(given[0], given[1]));
}
Fraction ceil_quotient(const Arguments& given) { return rounded_up(divided(given[0], given[1])); }
// ⌊a/b⌋ mod c.
Fraction modular_index(const Arguments& given) {
  return whole<mod>({floor_quotient({given[0], given[1]}), given[2]});
}
Fraction shifted_left(const Arguments& given) { return times(given[0], power({2, 1}, given[1])); }
Fraction shifted_right(const Arguments& given) {
  return rounded_down(divided(given[0], power({2, 1}, given[1])));
}
Fraction to_whole_only(const Arguments& given) { return given[0].is_whole() ? given[0] : kUnknown; }

constexpr Function kFunctions[] = {
    {"Add", 1, kAny, all<plus>},
    {"Mul", 1, kAny, all<times>},
    {"Pow", 2, 2, all<power>},
    {"PowByNatural", 2, 2, all<power>},
    {"Integer", 1, 1, same},
    {"Float", 1, 2, same},
    {"Rational", 2, 2, all<divided>},
    {"IntTrueDiv", 2, 2, all<divided>},
    {"FloatTrueDiv", 2, 2, all<divided>},
    {"FloorDiv", 2, 2, floor_quotient},
    {"CleanDiv", 2, 2, floor_quotient},
    {"CeilDiv", 2, 2, ceil_quotient},
    {"Mod", 2, 2, whole<mod>},
    {"PythonMod", 2, 2, whole<mod>},
    {"ModularIndexing", 3, 3, modular_index},
    {"Max", 1, kAny, whole<max>},
    {"Min", 1, kAny, whole<min>},
    {"floor", 1, 1, down},
    {"FloorToInt", 1, 1, down},
    {"ceiling", 1, 1, up},
    {"CeilToInt", 1, 1, up},
    {"TruncToInt", 1, 1, towards_zero},
    {"RoundToInt", 1, 1, to_whole_only},
    {"ToFloat", 1, 1, same},
    {"Identity", 1, 1, same},
    {"LShift", 2, 2, shifted_left},
    {"RShift", 2, 2, shifted_right},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

// Recursive descent; nullopt as soon as the text is none of the notation. What is understood but
// cannot be expressed is an unknown fraction.
class Parser {
 public:
  explicit Parser(std::string_view text) : left_(text) {}

  std::optional<Fraction> everything() {
    auto value = sum();
    space();
    return left_.empty() ? value : std::nullopt;
  }

 private:
  void space() {
    while (left_.starts_with(' ')) left_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    space();
    if (!left_.starts_with(token)) return false;
    left_.remove_prefix(token.size());
    return true;
  }

  std::optional<Fraction> sum() {
    if (++depth_ > kDeepest) return std::nullopt;
    auto value = product();
    while (value) {
      const bool adds = take("+");
      if (!adds && !take("-")) break;
      const auto next = product();
      if (!next) return std::nullopt;
      value = plus(*value, adds ? *next : times(*next, {-1, 1}));
    }
    --depth_;
    return value;
  }

  std::optional<Fraction> product() {
    if (take("-")) {
      if (++depth_ > kDeepest) return std::nullopt;
      const auto value = product();
      --depth_;
      return value ? std::optional(times(*value, {-1, 1})) : std::nullopt;
    }
    auto value = factor();
    while (value) {
      space();
      if (left_.starts_with("**")) break;
      const bool multiplies = take("*"), floors = !multiplies && take("//"),
                 divides = !multiplies && !floors && take("/"),
                 remains = !multiplies && !floors && !divides && take("%");
      if (!multiplies && !floors && !divides && !remains) break;
      const auto next = factor();
      if (!next) return std::nullopt;
      if (multiplies) value = times(*value, *next);
      if (divides) value = divided(*value, *next);
      if (floors) value = floor_quotient({*value, *next});
      if (remains) value = whole<mod>({*value, *next});
    }
    return value;
  }

  std::optional<Fraction> factor() {
    auto value = atom();
    if (!value || !take("**")) return value;
    const bool negative = take("-");
    auto exponent = atom();
    if (!exponent) return std::nullopt;
    return power(*value, negative ? times(*exponent, {-1, 1}) : *exponent);
  }

  std::optional<Fraction> atom() {
    if (take("(")) {
      auto value = sum();
      return take(")") ? value : std::nullopt;
    }
    if (!left_.empty() && is_digit(left_[0])) return number();
    std::size_t size = 0;
    while (size < left_.size() && is_in_name(left_[size])) ++size;
    if (size == 0) return std::nullopt;
    const std::string_view name = left_.substr(0, size);
    left_.remove_prefix(size);
    return take("(") ? call(name) : std::optional(Fraction{Expr::symbol(name), 1});
  }

  std::optional<Fraction> number() {
    std::size_t size = 0;
    while (size < left_.size() && is_in_name(left_[size])) ++size;
    const std::string_view text = left_.substr(0, size);
    left_.remove_prefix(size);
    return number_of(text);
  }
  static std::optional<Fraction> number_of(std::string_view text) {
    const char* const end = text.data() + text.size();
    std::int64_t whole_number = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, whole_number);
    if (error == std::errc() && stop == end) return Fraction{whole_number, 1};
    if (error == std::errc::result_out_of_range) return kUnknown;
    double real = 0;
    const auto [real_stop, real_error] = std::from_chars(text.data(), end, real);
    if (real_error == std::errc::invalid_argument || real_stop != end) return std::nullopt;
    return from_real(real);
  }

  // `'s15'`
  std::optional<std::string_view> quoted() {
    space();
    if (left_.empty() || (left_[0] != '\'' && left_[0] != '"')) return std::nullopt;
    const std::size_t end = left_.find(left_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = left_.substr(1, end - 1);
    left_.remove_prefix(end + 1);
    return text;
  }

  // Takes the assumptions about a symbol, and the precision of a number: `, positive=True`.
  bool take_assumptions() {
    while (take(",")) {
      space();
      const std::size_t end = left_.find_first_of(",)");
      if (end == std::string_view::npos || left_.substr(0, end).find('=') == std::string_view::npos)
        return false;
      left_.remove_prefix(end);
    }
    return take(")");
  }

  std::optional<Fraction> call(std::string_view name) {
    if (name == "Symbol" || name == "Float") {
      const auto text = quoted();
      if (!text || text->empty() || !take_assumptions()) return std::nullopt;
      return name == "Symbol" ? std::optional(Fraction{Expr::symbol(*text), 1}) : number_of(*text);
    }
    Arguments given;
    bool closed = take(")");
    while (!closed) {
      const auto argument = sum();
      if (!argument) return std::nullopt;
      given.push_back(*argument);
      closed = take(")");
      if (!closed && !take(",")) return std::nullopt;
    }
    for (const Function& function : kFunctions)
      if (function.name == name && given.size() >= function.least && given.size() <= function.most)
        return function.apply(given);
    return kUnknown;
  }

  std::string_view left_;
  int depth_ = 0;
};

}  // namespace

Expr size_formula(std::string_view text) {
  if (text.size() > kLongestText) return Expr::unknown();
  const auto value = Parser(text).everything();
  if (!value || !value->is_known() || !value->is_whole()) return Expr::unknown();
  return value->over;
}

}  // namespace strata::pt2
