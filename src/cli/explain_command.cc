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
  auto model = options.model.request();
  if (!model) return failure(model);
  options.request.model = std::move(*model);
  options.request.style.color = options.output.empty() && wants_color();
  const auto text = run_explain(options.request);
  if (!text) return failure(text);
  if (auto status = write_output(options.output, *text); !status) return failure(status);
  return kFine;
}

}  // namespace

Command add_explain(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("explain", "the formula behind one layer's numbers");
  options->model.add_to(*app);
  app->add({{"layer", &options->request.layer},
            {"--count", &options->request.convention},
            {"--output", &options->output}});
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
