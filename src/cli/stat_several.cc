#include "cli/stat_several.h"

#include <optional>

#include "cli/advice.h"
#include "cli/complain.h"
#include "cli/job_display.h"
#include "strata/task/totals.h"

namespace strata::cli {

Result<int> stat_several(const std::vector<std::string>& files, const StatRequest& request,
                         TableOptions& table) {
  std::optional<JobDisplay> display;
  if (request.time) display.emplace();
  Observer observer = display ? display->observer() : Observer();
  observer.phrase = advised;
  const TotalsOutcome outcome = run_totals({models_at(files), request}, observer);
  if (display) display->clear();
  table.limit_to(outcome.bytes, request.model.limit);
  Document document = compare::totals_document(outcome.models, request.profile.convention);
  // What the program itself chooses from a table of layers is chosen from this one.
  if (Status status =
          choose(document, {.columns = request.profile.columns, .sort = request.profile.sort});
      !status)
    return failure(status);
  if (Status status = table.write(std::move(document)); !status) return failure(status);
  if (outcome.interrupted) {
    complain("interrupted: the results are partial");
    return kInterrupted;
  }
  return outcome.has_failed() ? kFailed : kFine;
}

}  // namespace strata::cli
