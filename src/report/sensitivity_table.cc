#include "report/footer.h"
#include "report/sensitivity_text.h"

namespace strata {

std::string sensitivity_to_table(const SensitivityRun& run, std::size_t top,
                                 const TableStyle& style) {
  std::string out = to_table(sensitivity_rows(run, top, false), style);
  out += "\n" + wrapped(sensitivity_summary(run), style.width);
  if (run.parts)
    out += "\n" + to_table(part_rows(run, top), style) + "\n" +
           wrapped(parts_summary(run), style.width);
  if (const std::string plot = sensitivity_to_blocks(run, style.width, style.color); !plot.empty())
    out += "\n" + plot;
  return out;
}

}  // namespace strata
