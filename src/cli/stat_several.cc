#include "cli/stat_several.h"

#include <optional>

#include "base/standard_input.h"
#include "cli/advice.h"
#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "strata/task/totals.h"

namespace strata::cli {

Result<int> stat_several(const std::vector<std::string>& files, const StatRequest& request,
                         TableOptions& table) {
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    auto path = input_path(file);
    if (!path) return failure(path);
    paths.push_back(std::move(*path));
  }
  auto models = models_at(paths);
  if (!models) return failure(models);
  std::optional<JobDisplay> display;
  if (request.time) display.emplace();
  Observer observer = display ? display->observer() : Observer();
  observer.phrase = advised;
  TotalsOutcome outcome = run_totals({std::move(*models), request}, observer);
  if (display) display->clear();
  for (compare::ModelTotals& one : outcome.models) {
    one.file = with_standard_input_named(std::move(one.file));
    one.problem = with_standard_input_named(std::move(one.problem));
  }
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
