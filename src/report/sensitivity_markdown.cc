#include <string_view>

#include "report/markdown_list.h"
#include "report/sensitivity_text.h"

namespace strata {

namespace {

constexpr std::string_view kMarks = "|\\*_<[`";

}  // namespace

std::string sensitivity_to_markdown(const SensitivityRun& run, std::size_t top) {
  std::string out = to_markdown(sensitivity_rows(run, top, false)) + "\n" +
                    markdown_list(sensitivity_summary(run), kMarks);
  if (run.parts)
    out +=
        "\n" + to_markdown(part_rows(run, top)) + "\n" + markdown_list(parts_summary(run), kMarks);
  return out;
}

}  // namespace strata
