// Results of a sweep's parts in one file.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/outlet.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/task/sweep.h"

namespace strata::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string output;
  TableOptions table;
};

Result<int> run(const Options& options) {
  const auto merged = merge_sweeps(options.files, options.output);
  if (!merged) return failure(merged);
  Document document = sweep_document(merged->results);
  for (const std::string& path : merged->cut)
    complain(fmt::format("{}: an unfinished last line was left out", path));
  document.sections.push_back(
      lines_section(fmt::format("{} entries from {} files: {} jobs, {} of them failed{}\n",
                                merged->entries, options.files.size(), merged->jobs, merged->failed,
                                options.output.empty() ? "" : "; written to " + options.output)));
  return options.table.print(std::move(document));
}

}  // namespace

Command add_merge(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("merge", "merge the results of a sweep's parts");
  app->add({{"files", &options->files}, {"--output", &options->output}});
  options->table.add_to(*app, Exact::Numbers, "--table");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
