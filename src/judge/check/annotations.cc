// Lines that GitHub's runner takes for annotations (its "workflow commands").
#include <fmt/format.h>

#include "strata/check/check.h"

namespace strata::budget {

namespace {

// Escapes like the runner's own library: a name must not end the command or begin another one.
std::string escaped(std::string_view text, bool in_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (in_property && c == ':')
      out += "%3A";
    else if (in_property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string to_annotations(const Outcome& outcome) {
  std::string out;
  for (const Judged& one : outcome.judged) {
    if (one.is_kept()) continue;
    std::string place;
    if (!outcome.file.empty() && one.budget.line > 0)
      place = fmt::format("file={},line={},", escaped(outcome.file, true), one.budget.line);
    out += fmt::format("::error {}title={}::{}\n", place,
                       escaped(fmt::format("over budget: {}", one.budget.text), true),
                       escaped(fmt::format("{}: {}", outcome.model, one.reason), false));
  }
  return out;
}

}  // namespace strata::budget
