#include <fmt/format.h>

#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "strata/cost/explain.h"

namespace strata::cli {

namespace {

struct ExplainOptions {
  ModelOptions model;
  std::string layer;
  std::string convention = "strata";
  std::string output;
};

Result<int> run_explain(const ExplainOptions& options) {
  auto convention = find_convention(options.convention);
  if (!convention) return failure(convention);
  auto loaded = load(options.model);
  if (!loaded) return failure(loaded);
  ExplainStyle style;
  style.color = options.output.empty() && wants_color();
  const auto explain_with = [&](const Costs& costs) {
    const Layers layers = find_layers(loaded->model, costs);
    return explain(loaded->model, costs, layers, options.layer, *convention, style);
  };
  const Costs costs = count(loaded->model);
  auto text = explain_with(costs);
  // A layer on constants alone does not run.
  if (!text && text.error().code == Code::NoLayer && costs.has_load_work)
    if (auto at_load = explain_with(count(loaded->model, {.load_work = true})))
      text = std::move(at_load);
  if (!text) return failure(text);
  if (auto status = write_output(options.output, *text); !status) return failure(status);
  return kFine;
}

}  // namespace

Command add_explain(App& program) {
  auto options = std::make_shared<ExplainOptions>();
  App* app = program.add_subcommand("explain", "the formula behind one layer's numbers");
  app->footer(
      "Examples:\n"
      "  strata explain resnet50.onnx layer1.0.conv2\n"
      "  strata explain mobilenet_v2.onnx features.0.1 --count rasp");
  options->model.add_to(*app);
  app->add_option("layer LAYER", options->layer,
                  "a layer's path, the end of it, or a pattern with * and ?")
      ->required();
  app->add_option("--count NAME", options->convention,
                  "counting convention, or a JSON file of one (default strata)");
  app->add_option("-o,--output FILE", options->output, "write to a file");
  return {app, [options] { return run_explain(*options); }};
}

}  // namespace strata::cli
