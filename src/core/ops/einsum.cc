#include <array>

#include <fmt/format.h>

#include "ops/matmul.h"

namespace strata {

namespace {

// A set of indices: bit i stands for the i-th letter, the last bit for the ellipsis.
using IndexSet = std::uint64_t;
constexpr int kLetters = 52;  // A to Z, a to z, in sorting order
constexpr IndexSet kEllipsis = IndexSet{1} << kLetters;

struct Equation {
  std::array<Expr, kLetters> sizes;
  Dims ellipsis;                    // the sizes it stands for, broadcast
  InlineVector<IndexSet, 4> terms;  // one per input
  IndexSet output = 0;
  InlineVector<int, 8> output_order;  // letters; kLetters is the ellipsis

  Expr volume(IndexSet set) const {
    Expr product = (set & kEllipsis) != 0 ? elements(ellipsis) : Expr(1);
    for (int i = 0; i < kLetters; ++i)
      if ((set >> i & 1) != 0) product *= sizes[static_cast<std::size_t>(i)];
    return product;
  }
};

std::optional<int> letter(char ch) {
  if (ch >= 'A' && ch <= 'Z') return ch - 'A';
  if (ch >= 'a' && ch <= 'z') return ch - 'a' + 26;
  return std::nullopt;
}

// Removes the next index from a term; kLetters for an ellipsis. nullopt at the end, or at a
// character that is not an index: `term` is then not empty.
std::optional<int> next_index(std::string_view& term) {
  while (term.starts_with(' ')) term.remove_prefix(1);
  if (term.starts_with("...")) {
    term.remove_prefix(3);
    return kLetters;
  }
  if (term.empty()) return std::nullopt;
  const auto index = letter(term.front());
  if (index) term.remove_prefix(1);
  return index;
}

// Merges two sizes of one index: they are equal, or one of them is 1. False if they clash.
bool merge(Expr& size, const Expr& other) {
  if (size == other || other.is(1)) return true;
  if (size.is_number() && other.is_number() && !size.is(1)) return false;
  if (size.is(1) || other.is_number()) size = other;
  return true;
}

bool merge_ellipsis(Dims& all, std::span<const Expr> sizes) {
  while (all.size() < sizes.size()) all.insert(0, 1);
  const std::size_t shift = all.size() - sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (!merge(all[shift + i], sizes[i])) return false;
  return true;
}

constexpr std::string_view kBadIndex = "equation has a character that is neither a letter nor ...";
constexpr std::string_view kRank = "equation has a term with another number of axes than its input";
constexpr std::string_view kClash = "equation gives one index two different sizes";
constexpr std::string_view kTerms = "equation needs one term per input";
constexpr std::string_view kOutput = "equation's output repeats an index or has one of its own";

using Read = tl::expected<Equation, std::string_view>;

// Reads one input's term: its indices and their sizes. `once` and `more` collect the indices that
// occur in the equation exactly once and more often.
std::string_view read_term(std::string_view term, const TypeInfo& type, Equation& equation,
                           IndexSet& once, IndexSet& more) {
  std::size_t letters = 0;
  bool has_ellipsis = false;
  for (std::string_view rest = term;;) {
    const auto index = next_index(rest);
    if (!index && !rest.empty()) return kBadIndex;
    if (!index) break;
    if (*index == kLetters && has_ellipsis) return kBadIndex;
    has_ellipsis = has_ellipsis || *index == kLetters;
    letters += *index != kLetters;
  }
  const std::size_t rank = type.dims.size();
  if (has_ellipsis ? letters > rank : letters != rank) return kRank;
  IndexSet set = 0;
  std::size_t axis = 0;
  while (const auto index = next_index(term)) {
    const IndexSet bit = IndexSet{1} << *index;
    if (*index == kLetters) {
      const std::size_t count = rank - letters;
      if (!merge_ellipsis(equation.ellipsis, {type.dims.data() + axis, count})) return kClash;
      axis += count;
    } else {
      Expr& size = equation.sizes[static_cast<std::size_t>(*index)];
      if (((once | more) & bit) == 0)
        size = type.dims[axis];
      else if (!merge(size, type.dims[axis]))
        return kClash;
      more |= once & bit;
      once = (once | bit) & ~more;
      ++axis;
    }
    set |= bit;
  }
  equation.terms.push_back(set);
  return {};
}

std::string_view read_output(std::string_view term, IndexSet inputs, Equation& equation) {
  for (;;) {
    const auto index = next_index(term);
    if (!index) return term.empty() ? std::string_view() : kBadIndex;
    const IndexSet bit = IndexSet{1} << *index;
    if ((equation.output & bit) != 0) return kOutput;
    if ((inputs & bit) == 0 && bit != kEllipsis) return kOutput;
    equation.output |= bit;
    equation.output_order.push_back(*index);
  }
}

Read read_equation(const NodeView& c) {
  Equation equation;
  std::string_view left = c.text("equation", "");
  const std::size_t arrow = left.find("->");
  const bool has_output = arrow != left.npos;
  const std::string_view right = has_output ? left.substr(arrow + 2) : std::string_view();
  left = left.substr(0, arrow);
  IndexSet once = 0, more = 0;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    const std::size_t comma = left.find(',');
    if ((comma == left.npos) != (i + 1 == c.input_count())) return tl::unexpected(kTerms);
    const auto problem = read_term(left.substr(0, comma), c.in(i), equation, once, more);
    if (!problem.empty()) return tl::unexpected(problem);
    left = comma == left.npos ? std::string_view() : left.substr(comma + 1);
  }
  if (has_output) {
    const auto problem = read_output(right, once | more, equation);
    if (!problem.empty()) return tl::unexpected(problem);
    return equation;
  }
  // If the output is not given: the ellipsis, then every index that occurs once, sorted.
  if (!equation.ellipsis.empty()) {
    equation.output = kEllipsis;
    equation.output_order.push_back(kLetters);
  }
  equation.output |= once;
  for (int i = 0; i < kLetters; ++i)
    if ((once >> i & 1) != 0) equation.output_order.push_back(i);
  return equation;
}

}  // namespace

Status einsum_shape(ShapeContext& c) {
  auto equation = read_equation(c);
  if (!equation)
    return c.error(fmt::format("{}: \"{}\"", equation.error(), c.text("equation", "")));
  Dims dims;
  for (const int index : equation->output_order) {
    if (index < kLetters)
      dims.push_back(equation->sizes[static_cast<std::size_t>(index)]);
    else
      for (const Expr& size : equation->ellipsis) dims.push_back(size);
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Operands are multiplied two at a time from the left, and each product is summed at once over the
// indices that nothing later needs: one MAC per combination of the pair's indices, or a plain
// product if nothing is summed. A single operand is only summed.
void einsum_cost(CostContext& c) {
  const auto equation = read_equation(c);
  if (!equation) return c.cannot_tell("the equation does not fit the inputs");
  const auto& terms = equation->terms;
  if (terms.empty()) return;
  if (terms.size() == 1) {
    const Expr outputs = equation->volume(equation->output);
    return c.adds({{"elements less outputs", equation->volume(terms[0]) - outputs}});
  }
  InlineVector<IndexSet, 4> needed(terms.size(), equation->output);  // after term i
  for (std::size_t i = terms.size() - 1; i > 0; --i) needed[i - 1] = needed[i] | terms[i];
  IndexSet left = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const IndexSet pair = left | terms[i];
    if ((pair & ~needed[i]) != 0)
      c.macs({{"combinations of indices", equation->volume(pair)}});
    else
      c.muls({{"combinations of indices", equation->volume(pair)}});
    left = pair & needed[i];
  }
}

}  // namespace strata
