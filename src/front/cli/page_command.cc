// Saved results in one page, a tab for each.
#include "cli/command.h"
#include "document/output.h"
#include "options/options.h"
#include "strata/document/pages.h"
#include "strata/report/results.h"

namespace strata::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string output;
  bool with_paths = false;
};

Result<int> run(const Options& options) {
  if (Status status = check_output(options.output, {}); !status) return failure(status);
  const auto documents = read_results(options.files);
  if (!documents) return failure(documents);
  auto output = Output::open(options.output, {});
  if (!output) return failure(output);
  TableStyle style;
  style.with_paths = options.with_paths;
  Status status = write_pages(*documents, style, *output);
  if (status) status = output->finish();
  return ended(status);
}

}  // namespace

Command add_page(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("page", "join saved results in one HTML page");
  app->add({{"files", &options->files},
            {"--output", &options->output},
            {"--with-paths", &options->with_paths}});
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
