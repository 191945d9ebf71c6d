// A network of the zoo as an ONNX file.
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/zoo_command.h"
#include "strata/base/number_text.h"
#include "strata/cost/cost.h"
#include "strata/write/onnx.h"
#include "strata/zoo/weights.h"
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
  if (!network) return tl::unexpected(network.error());
  const std::string path = options.output.empty()
                               ? fmt::format("{}.onnx", name.substr(0, name.find('?')))
                               : options.output;
  WriteOptions write;
  if (!options.no_weights) write.fill = zoo::random_weights(network->model, options.seed);
  if (auto status = write_onnx(network->model, path, write); !status)
    return tl::unexpected(status.error());

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
    return tl::unexpected(status.error());
  return kFine;
}

}  // namespace

Command add_zoo_export(CLI::App& zoo) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* app = zoo.add_subcommand("export", "write a network as an ONNX file");
  app->footer(
      "Examples:\n"
      "  strata zoo export resnet50\n"
      "  strata zoo export 'mobilenet_v2?width=0.5&batch=8' -o small.onnx --seed 7");
  app->add_option("name", options->name, "a network, with parameters if need be")
      ->required()
      ->option_text("NAME");
  app->add_option("-o,--output", options->output, "the file; NAME.onnx if it is not given")
      ->option_text("FILE");
  app->add_option("--seed", options->seed, "of the random weights (0)")->option_text("N");
  app->add_flag("--no-weights", options->no_weights, "shapes only");
  return {app, [options] { return run_export(*options); }};
}

}  // namespace strata::cli
