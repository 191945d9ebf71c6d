// All networks of the zoo, one row each.
#include <fmt/format.h>

#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/options.h"
#include "cli/table_options.h"
#include "cli/time_options.h"
#include "cli/zoo_command.h"
#include "report/zoo.h"
#include "strata/task/zoo_table.h"

namespace strata::cli {

namespace {

struct ZooOptions {
  ZooTableRequest request;
  TimeOptions time;
  TableOptions table;
  std::string layout;
};

Result<int> run_table(ZooOptions& options) {
  ZooTableRequest& request = options.request;
  const bool published = options.layout == "rasp";
  if (published) request.profile = published_counting();
  std::optional<JobDisplay> display;
  if (options.time.timing.time) {
    auto timing = options.time.request();
    if (!timing) return failure(timing);
    request.time = std::move(*timing);
    display.emplace();
  }
  auto made = run_zoo_table(request, display ? display->observer() : Observer());
  if (display) display->clear();
  if (!made) return failure(made);
  const Profile& table = made->profile;
  if (table.rows.empty()) {
    complain("interrupted before anything was measured");
    return kInterrupted;
  }
  Document document = zoo_table_document(*made);
  if (published) to_published_form(document.tables.front(), options.table.format() == "csv");
  if (auto status = options.table.write(std::move(document)); !status) return failure(status);
  if (made->missing.empty()) return kFine;
  complain(fmt::format("interrupted: {} of {} networks are missing", made->missing.size(),
                       made->missing.size() + table.rows.size()));
  return kInterrupted;
}

}  // namespace

Command add_zoo_table(App& zoo) {
  auto options = std::make_shared<ZooOptions>();
  App* app = zoo.add_subcommand("table", "parameters, FLOPs and energy of every network");
  app->add_flag("--all", options->request.all,
                "also networks beyond the 34 of the published table");
  const Option* layout =
      app->add_option("--layout TOOL", options->layout,
                      "rasp: the counting (rasp-2020) and the digits of the published table")
          ->one_of({"rasp"});
  app->add_option("--count NAME", options->request.profile.convention,
                  "counting convention (default strata)")
      ->excludes(layout, "--layout chooses the counting");
  app->add_option("--energy NAME", options->request.profile.energy_model,
                  "energy model (default strata)")
      ->excludes(layout, "--layout chooses the energy model");
  options->table.add_to(*app);
  options->table.add_choice(*app);
  options->table.add_exact(*app);
  options->time.add_to(*app);
  return {app, [options] { return run_table(*options); }};
}

}  // namespace strata::cli
