#include "base/quantity.h"
#include "cli/command.h"
#include "cli/device_options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/report/llm.h"
#include "strata/task/llm.h"

namespace strata::cli {

namespace {

struct Options {
  LlmRequest request;
  DeviceFiles files;
  TableOptions table;
  std::string on, context, explain, reserve;
  std::vector<std::string> axes;
  double batch = 1;
  std::int64_t tensor = 0, pipeline = 0, experts = 0;
};

std::string ask(const llm::Fix& fix) {
  switch (fix.change) {
    case llm::Fix::Change::Cache:
      return "--cache " + fix.value;
    case llm::Fix::Change::Weights:
      return "--weights " + fix.value;
    case llm::Fix::Change::Batch:
      return "--batch " + fix.value;
    case llm::Fix::Change::Context:
      return "--context " + fix.value;
    case llm::Fix::Change::Devices:
      return "--on " + fix.value;
  }
  return "";
}

LlmWords words() {
  return {.ask = ask,
          .reserve = "--reserve",
          .formulas = "--explain kv, weights, macs, decode or engine",
          .device = "--on DEVICE"};
}

Status read_division(Options& options) {
  llm::Question& question = options.request.question;
  question.division_given = options.tensor + options.pipeline + options.experts > 0;
  question.division = {.tensor = std::max<std::int64_t>(options.tensor, 1),
                       .pipeline = std::max<std::int64_t>(options.pipeline, 1),
                       .experts = std::max<std::int64_t>(options.experts, 1)};
  return {};
}

// `2GiB`, or the name of an engine.
Status read_reserve(Options& options) {
  llm::Question& question = options.request.question;
  if (options.reserve.empty()) return {};
  if (llm::is_engine(options.reserve)) {
    question.reserve_engine = options.reserve;
    return {};
  }
  const auto bytes = of_option("--reserve", parse_quantity(options.reserve, Quantity::Bytes));
  if (!bytes) return failure(bytes);
  question.reserve_bytes = *bytes;
  return {};
}

Result<int> run(Options& options) {
  LlmRequest& request = options.request;
  if (auto status = options.table.check("llm"); !status) return failure(status);
  auto added = options.files.read();
  if (!added) return failure(added);
  request.added = std::move(*added);
  if (!options.context.empty()) {
    const auto tokens = of_option("--context", llm::parse_tokens(options.context));
    if (!tokens) return failure(tokens);
    request.question.context = *tokens;
  }
  request.question.batch = options.batch;
  if (auto status = read_reserve(options); !status) return failure(status);
  if (auto status = read_division(options); !status) return failure(status);
  if (options.on.find(',') != std::string::npos) {
    // Several devices have a row each.
    options.axes.push_back("on=" + options.on);
  } else if (!options.on.empty()) {
    const auto device = find_devices(options.on, request.added);
    if (!device) return failure(device);
    request.on = *device;
    // `--on h100 --tp 4` asks for four of them.
    if (request.on->count == 1 && request.question.division_given)
      request.on->count = static_cast<int>(request.question.division.devices());
  }
  for (const std::string& axis : options.axes) {
    if (!request.sweep) request.sweep.emplace();
    const auto read = of_option("--sweep:", add_axis(*request.sweep, axis, request.added));
    if (!read) return failure(read);
  }
  if (request.sweep && !options.explain.empty())
    return failure(
        Code::OptionEffect,
        {.name = "--explain", .detail = "each setup has formulas of its own; name one device"});
  const auto outcome = run_llm(request);
  if (!outcome) return failure(outcome);
  if (request.sweep)
    return options.table.print(
        llm_sweep_document(outcome->network, outcome->answers, outcome->refused));
  if (!options.explain.empty()) {
    const auto text = of_option(
        "--explain:", explain_llm(outcome->network, outcome->answers.front(), options.explain));
    if (!text) return failure(text);
    return ended(write_output(options.table.output, *text));
  }
  if (request.on) {
    const llm::Answer& answer = outcome->answers.front();
    Document document = llm_document(outcome->network, answer, words());
    if (options.table.format() == "html") {
      std::vector<Device> devices = request.added;
      for (Device& device : all_devices()) devices.push_back(std::move(device));
      for (Table& table : llm_page_tables(outcome->network, answer, devices))
        document.tables.push_back(std::move(table));
    }
    return options.table.print(std::move(document));
  }
  return options.table.print(llm_document(outcome->network, request.question, outcome->answers,
                                          outcome->smallest ? &*outcome->smallest : nullptr,
                                          words()));
}

}  // namespace

Command add_llm(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("llm", "say whether a language model fits, and how fast it is");
  llm::Question& question = options->request.question;
  app->add({{"model", &options->request.model},
            {"--on", &options->on},
            {"--context", &options->context},
            {"--batch", &options->batch},
            {"--weights", &question.weights},
            {"--cache", &question.cache},
            {"--tp", &options->tensor},
            {"--pp", &options->pipeline},
            {"--ep", &options->experts},
            {"--engine", &question.engine},
            {"--reserve", &options->reserve},
            {"--explain", &options->explain},
            {"--sweep", &options->axes},
            {"--device-file", &options->files.paths}});
  options->table.add_to(*app, Exact::Digits);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
