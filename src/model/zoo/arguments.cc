// The text after `zoo:NAME?`.
#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "strata/zoo/zoo.h"

namespace strata::zoo {

namespace {

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size();
}

bool is_name(std::string_view text) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !text.empty() && text.size() <= 64 &&
         std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), in_name);
}

bool is_choice(std::string_view choices, std::string_view word) {
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, end) == word) return true;
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return false;
}

// Returns the fault of a value; empty if there is none.
std::string problem(const Parameter& parameter, std::string_view value) {
  std::int64_t whole = 0;
  double real = 0;
  switch (parameter.kind) {
    case ParameterKind::Size:
      if (is_name(value) || (parse(value, whole) && whole >= 1 && whole <= Expr::kMaxNumber))
        return {};
      return "must be a size of at least 1, or a name for an open one";
    case ParameterKind::Whole:
      if (parse(value, whole) && static_cast<double>(whole) >= parameter.least &&
          static_cast<double>(whole) <= parameter.most)
        return {};
      return fmt::format("must be a whole number from {:.0f} to {:.0f}", parameter.least,
                         parameter.most);
    case ParameterKind::Real:
      if (parse(value, real) && real >= parameter.least && real <= parameter.most) return {};
      return fmt::format("must be a number from {} to {}", parameter.least, parameter.most);
    case ParameterKind::Choice:
      if (is_choice(parameter.choices, value)) return {};
      return fmt::format("must be one of {}", parameter.choices);
  }
  return {};
}

std::string list(std::span<const Parameter> parameters) {
  std::string text;
  for (const Parameter& parameter : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", parameter.name, parameter.usual);
  return text.empty() ? "it has none" : "its parameters are " + text;
}

}  // namespace

Result<Arguments> parse_arguments(std::string_view network, std::span<const Parameter> parameters,
                                  std::string_view text) {
  Arguments arguments;
  for (const Parameter& parameter : parameters)
    arguments.values_.emplace_back(parameter.name, parameter.usual);
  std::vector<bool> given(parameters.size(), false);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& p) { return p.name == name; });
    if (found == parameters.end())
      return failure(
          fmt::format("zoo:{} has no parameter \"{}\"; {}", network, name, list(parameters)),
          ErrorKind::Usage);
    if (equals == part.size())
      return failure(
          fmt::format("zoo:{}: write {}=VALUE, such as {}={}", network, name, name, found->usual),
          ErrorKind::Usage);
    const auto at = static_cast<std::size_t>(found - parameters.begin());
    const std::string_view value = part.substr(equals + 1);
    if (given[at])
      return failure(fmt::format("zoo:{}: {} is given twice", network, name), ErrorKind::Usage);
    given[at] = true;
    if (const std::string why = problem(*found, value); !why.empty())
      return failure(fmt::format("zoo:{}: {}={} {}", network, name, value, why), ErrorKind::Usage);
    arguments.values_[at].second = value;
  }
  return arguments;
}

std::string with_batch(std::string_view name_and_arguments, std::int64_t batch) {
  const std::size_t mark = std::min(name_and_arguments.find('?'), name_and_arguments.size());
  std::string text(name_and_arguments.substr(0, mark));
  text += '?';
  std::string_view rest = name_and_arguments.substr(std::min(mark + 1, name_and_arguments.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!part.starts_with("batch=")) text += fmt::format("{}&", part);
  }
  return text + fmt::format("batch={}", batch);
}

std::string_view Arguments::word(std::string_view name) const {
  for (const auto& [known, value] : values_)
    if (known == name) return value;
  return {};
}

Expr Arguments::size(std::string_view name) const {
  std::int64_t number = 0;
  return parse(word(name), number) ? Expr(number) : Expr::symbol(word(name));
}

std::int64_t Arguments::whole(std::string_view name) const {
  std::int64_t number = 0;
  parse(word(name), number);
  return number;
}

double Arguments::real(std::string_view name) const {
  double number = 0;
  parse(word(name), number);
  return number;
}

}  // namespace strata::zoo
