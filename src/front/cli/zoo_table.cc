// All networks of the zoo, one row each.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/job_display.h"
#include "cli/table_options.h"
#include "cli/time_options.h"
#include "options/options.h"
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
  if (Status status = options.time.read_into(request.time); !status) return failure(status);
  JobDisplay display(request.time.has_value());
  auto made = display.run(run_zoo_table, request);
  if (!made) return failure(made);
  const Profile& table = made->profile;
  if (table.rows.empty()) return interrupted("interrupted before anything was measured");
  Document document = zoo_table_document(*made);
  if (published) to_published_form(document.tables.front());
  if (made->missing.empty()) return options.table.print(std::move(document));
  if (auto status = options.table.write_partial(std::move(document)); !status)
    return failure(status);
  return interrupted(fmt::format("interrupted: {} of {} networks are missing", made->missing.size(),
                                 made->missing.size() + table.rows.size()));
}

}  // namespace

Command add_zoo_table(App& zoo) {
  auto options = std::make_shared<ZooOptions>();
  App* app = zoo.add_subcommand("table", "tabulate parameters, FLOPs and energy of the networks");
  app->add({{"--all", &options->request.all},
            {"--layout", &options->layout},
            {"--count", &options->request.profile.convention},
            {"--energy", &options->request.profile.energy_model}});
  options->table.add_to(*app, Exact::Digits);
  options->time.add_to(*app);
  return {app, [options] { return run_table(*options); }};
}

}  // namespace strata::cli
