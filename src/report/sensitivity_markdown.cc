#include <string_view>

#include "report/markdown_list.h"
#include "report/sensitivity_text.h"

namespace strata {

namespace {

constexpr std::string_view kMarks = "|\\*_<[`";

}  // namespace

std::string sensitivity_to_markdown(const SensitivityRun& run, std::size_t top) {
  return to_markdown(sensitivity_rows(run, top, false)) + "\n" +
         markdown_list(sensitivity_summary(run), kMarks);
}

}  // namespace strata
