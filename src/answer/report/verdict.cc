#include "report/verdict.h"

#include <fmt/format.h>

namespace strata {

Section verdict_section(const Verdict& verdict) {
  Section section = lines_section(
      verdict.answer.empty() ? "" : fmt::format("{}\n{}\n", verdict.answer, verdict.advice));
  section.answer = true;
  section.meaning = verdict.meaning;
  return section;
}

}  // namespace strata
