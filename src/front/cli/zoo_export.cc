// A network of the zoo as an ONNX file.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/output.h"
#include "options/options.h"
#include "strata/base/number_text.h"
#include "strata/task/zoo_export.h"

namespace strata::cli {

namespace {

struct Options {
  ZooExportRequest request;
  std::uint64_t seed = 0;
  bool no_weights = false;
};

Result<int> print_model(const ZooExportRequest& request) {
  const auto bytes = zoo_export_bytes(request);
  if (!bytes) return failure(bytes);
  return ended(write_output("-", *bytes, {FileForm::Onnx}));
}

Result<int> run(Options& options) {
  options.request.seed = options.no_weights ? std::nullopt : std::optional(options.seed);
  if (options.request.output == "-") return print_model(options.request);
  const auto done = run_zoo_export(options.request);
  if (!done) return failure(done);
  const std::string weights = options.no_weights
                                  ? "no weights: engines refuse it"
                                  : fmt::format("random weights of seed {}", options.seed);
  const std::string line = fmt::format("{}: {} parameters, {}; {}\n", done->path,
                                       expr_text(done->params, NumberStyle::Plain, false),
                                       human_bytes(static_cast<double>(done->bytes)), weights);
  return ended(write_output("", line));
}

}  // namespace

Command add_zoo_export(App& zoo) {
  auto options = std::make_shared<Options>();
  App* app = zoo.add_subcommand("export", "write a network as an ONNX file");
  app->add({{"name", &options->request.network},
            {"--output", &options->request.output},
            {"--no-weights", &options->no_weights},
            {"--seed", &options->seed}});
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
