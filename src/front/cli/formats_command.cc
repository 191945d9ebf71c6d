#include "cli/command.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "report/formats.h"

namespace strata::cli {

namespace {

struct Options {
  TableOptions table;
};

Result<int> run(const Options& options) {
  Document document = formats_document();
  if (options.table.chooses()) document.sections.clear();
  return ended(options.table.write(std::move(document)));
}

}  // namespace

Command add_formats(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("formats", "list the formats of models that strata reads");
  options->table.add_to(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
