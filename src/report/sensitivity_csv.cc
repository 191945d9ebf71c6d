#include "report/sensitivity_text.h"

namespace strata {

std::string sensitivity_to_csv(const SensitivityRun& run) {
  return to_csv(sensitivity_rows(run, 0, true));
}

}  // namespace strata
