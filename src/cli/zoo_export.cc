// A network of the zoo as an ONNX file.
#include <filesystem>

#include <fmt/format.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/zoo_command.h"
#include "strata/base/number_text.h"
#include "strata/build/weights.h"
#include "strata/cost/cost.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

struct ExportOptions {
  std::string name;
  std::string output;
  std::uint64_t seed = 0;
  bool no_weights = false;
};

Result<int> run_export(const ExportOptions& options) {
  std::string_view name = options.name;
  if (name.starts_with(zoo::kPrefix)) name.remove_prefix(zoo::kPrefix.size());
  auto network = zoo::build(name);
  if (!network) return failure(network);
  const std::string path = options.output.empty()
                               ? fmt::format("{}.onnx", name.substr(0, name.find('?')))
                               : options.output;
  WriteOptions write;
  if (!options.no_weights) write.fill = build::random_weights(network->model, options.seed);
  if (auto status = write_onnx(network->model, path, write); !status) return failure(status);

  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const Expr params = count(network->model).total.params;
  const std::string weights = options.no_weights
                                  ? "no weights: engines refuse it"
                                  : fmt::format("random weights of seed {}", options.seed);
  if (auto status = write_output(
          "", fmt::format("{}: {} parameters, {}; {}\n", path,
                          expr_text(params, NumberStyle::Plain, false),
                          error ? "?" : human_bytes(static_cast<double>(size)), weights));
      !status)
    return failure(status);
  return kFine;
}

}  // namespace

Command add_zoo_export(App& zoo) {
  auto options = std::make_shared<ExportOptions>();
  App* app = zoo.add_subcommand("export", "write a network as an ONNX file");
  app->footer(
      "Examples:\n"
      "  strata zoo export resnet50\n"
      "  strata zoo export 'mobilenet_v2?width=0.5&batch=8' -o small.onnx --seed 7");
  app->add_option("name NAME", options->name, "a network, with parameters if need be")->required();
  app->add_option("-o,--output FILE", options->output, "file to write (default NAME.onnx)");
  const Option* no_weights =
      app->add_flag("--no-weights", options->no_weights, "write shapes only");
  app->add_option("--seed N", options->seed, "seed of the random weights (default 0)")
      ->excludes(no_weights, "no weights are written");
  return {app, [options] { return run_export(*options); }};
}

}  // namespace strata::cli
