#include "report/zoo.h"

#include <algorithm>

#include <fmt/format.h>

namespace strata {

namespace {

std::string range_of(const zoo::Parameter& parameter) {
  switch (parameter.kind) {
    case zoo::ParameterKind::Size:
      return "a size, or a name for an open one";
    case zoo::ParameterKind::Whole:
      return fmt::format("{:.0f} to {:.0f}", parameter.least, parameter.most);
    case zoo::ParameterKind::Real:
      return fmt::format("{} to {}", parameter.least, parameter.most);
    case zoo::ParameterKind::Choice:
      return std::string(parameter.choices);
  }
  return "";
}

}  // namespace

std::string networks_to_text() {
  std::size_t width = 0;
  for (const zoo::Entry& entry : zoo::entries()) width = std::max(width, entry.name.size());
  std::string out;
  for (const zoo::Entry& entry : zoo::entries())
    out += fmt::format("{:<{}}  {}\n", entry.name, width, entry.summary);
  return out;
}

std::string network_to_text(const zoo::Entry& entry) {
  std::string out = fmt::format("{}: {}\n", entry.name, entry.summary);
  std::size_t width = 0;
  for (const zoo::Parameter& parameter : entry.parameters)
    width = std::max(width, parameter.name.size() + parameter.usual.size() + 1);
  for (const zoo::Parameter& parameter : entry.parameters)
    out += fmt::format("  {:<{}}  {} ({})\n", fmt::format("{}={}", parameter.name, parameter.usual),
                       width, parameter.help, range_of(parameter));
  return out;
}

}  // namespace strata
