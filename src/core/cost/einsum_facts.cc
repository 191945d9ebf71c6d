#include "cost/einsum_facts.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace strata {

namespace {

// Without spaces, and with letters in alphabetical order of their first use.
std::string canonical(std::string_view equation) {
  std::string text, seen;
  for (const char c : equation) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter && seen.find(c) == seen.npos) seen += c;
    if (is_letter)
      text += static_cast<char>('a' + seen.find(c));
    else if (c != ' ')
      text += c;
  }
  return text;
}

// `terms` is canonical and without its output.
Expr product_of_indices(const NodeView& node, std::string_view terms) {
  Expr product = 1;
  char next = 'a';
  std::size_t input = 0, axis = 0;
  for (const char c : terms) {
    if (c == ',') {
      ++input, axis = 0;
      continue;
    }
    if (input >= node.input_count() || axis >= node.rank(input)) return Expr::unknown();
    if (c == next) product *= node.dims(input)[axis], ++next;
    ++axis;
  }
  return product;
}

// The axes of `letters` that are in all of `in` and in none of `out`, but for axes of one element.
std::string axes_in(std::string_view letters, std::string_view single,
                    std::initializer_list<std::string_view> in,
                    std::initializer_list<std::string_view> out) {
  const auto has = [](std::string_view text, char c) { return text.find(c) != text.npos; };
  std::string axes;
  for (const char c : letters)
    if (!has(single, c) &&
        std::all_of(in.begin(), in.end(), [&](std::string_view text) { return has(text, c); }) &&
        std::none_of(out.begin(), out.end(), [&](std::string_view text) { return has(text, c); }))
      axes += c;
  return axes;
}

}  // namespace

bool turns_product(const NodeView& node) {
  const std::string text = canonical(node.text("equation", ""));
  const std::string_view equation = text;
  const std::size_t comma = equation.find(','), arrow = equation.find("->");
  if (comma == equation.npos || arrow == equation.npos || comma > arrow ||
      equation.find('.') != equation.npos || equation.rfind(',') != comma ||
      node.input_count() != 2)
    return true;
  const std::string_view terms[] = {equation.substr(0, comma),
                                    equation.substr(comma + 1, arrow - comma - 1)};
  const std::string_view result = equation.substr(arrow + 2);
  std::string single;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!node.ranked(i) || node.dims(i).size() != terms[i].size()) return true;
    for (std::size_t axis = 0; axis < terms[i].size(); ++axis)
      if (node.dims(i)[axis].is(1)) single += terms[i][axis];
  }
  const std::string product = axes_in(result, single, {terms[0], terms[1]}, {}) +
                              axes_in(result, single, {terms[0]}, {terms[1]}) +
                              axes_in(result, single, {terms[1]}, {terms[0]});
  return product != axes_in(result, single, {}, {});
}

EinsumFacts einsum_facts(const NodeView& node) {
  EinsumFacts facts;
  const std::string equation = canonical(node.text("equation", ""));
  facts.ellipsis = equation.find('.') != equation.npos;
  facts.batched = equation == "abc,abd->acd" || equation == "abc,adc->adb";
  if (!facts.ellipsis)
    facts.indices =
        product_of_indices(node, std::string_view(equation).substr(0, equation.find("->")));
  return facts;
}

}  // namespace strata
