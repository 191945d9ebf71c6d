#include <fmt/format.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/operators.h"

namespace strata::cli {

namespace {

struct Options {
  std::string name, output;
  std::string format = "table";
};

Result<int> run(const Options& options) {
  std::string out =
      !options.name.empty() ? operator_to_text(options.name)
      : options.format == "md"
          ? operators_to_markdown()
          : operators_to_text() + "\n`strata ops NAME` shows an operator's worked examples.\n";
  if (out.empty())
    return failure(fmt::format("no rule for an operator \"{}\"; `strata ops` lists those there are",
                               options.name),
                   ErrorKind::Usage);
  if (auto status = write_output(options.output, out); !status) return failure(status);
  return kFine;
}

}  // namespace

Command add_ops(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("ops", "the operators that have rules");
  app->footer("Examples:\n  strata ops\n  strata ops Conv");
  app->add_option("name NAME", options->name, "one operator, with its worked examples");
  app->add_option("--format FORMAT", options->format, "table (the default), md")
      ->one_of({"table", "md"})
      ->needs([options] { return options->name.empty(); },
              "one operator is shown as text; leave out the name or --format");
  app->add_option("-o,--output FILE", options->output, "write to a file");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
