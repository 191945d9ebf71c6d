// The XML that build servers take for test results.
#include <fmt/format.h>

#include "base/visible.h"
#include "strata/check/check.h"

namespace strata::budget {

namespace {

// Fit for an attribute and for text: control characters, which XML does not allow at all, and bytes
// that are not UTF-8 are written out.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string to_junit(const Outcome& outcome) {
  std::size_t failures = 0;
  std::string cases;
  for (const Judged& one : outcome.judged) {
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(outcome.model),
                         escaped(one.budget.text));
    if (one.is_kept()) {
      cases += "/>\n";
      continue;
    }
    ++failures;
    cases += fmt::format(">\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n",
                         name_of(one.verdict), escaped(one.reason));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n"
      "  <testsuite name=\"strata check\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "skipped=\"0\">\n"
      "{}  </testsuite>\n</testsuites>\n",
      outcome.judged.size(), failures, cases);
}

}  // namespace strata::budget
