#include "cli/model_options.h"
#include "cli/output.h"
#include "options/options.h"
#include "strata/task/explain.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  ExplainRequest request;
  std::string output;
};

Result<int> run(Options& options) {
  if (auto status = options.model.read_into(options.request.model); !status) return failure(status);
  options.request.style.color = options.output.empty() && wants_color("auto");
  const auto text = run_explain(options.request);
  if (!text) return failure(text);
  return ended(write_output(options.output, *text));
}

}  // namespace

Command add_explain(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("explain", "the formula behind one layer's numbers");
  options->model.add_to(*app);
  options->model.add_wait_to(
      *app, [options = options.get()] { return may_be_run({options->model.path}); });
  app->add({{"layer", &options->request.layer},
            {"--count", &options->request.convention},
            {"--output", &options->output}});
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
