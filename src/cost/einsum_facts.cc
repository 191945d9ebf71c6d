#include "cost/einsum_facts.h"

#include <string>

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

}  // namespace

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
