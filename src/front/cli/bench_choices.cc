#include "cli/bench_choices.h"

#include <algorithm>

#include "cli/model_options.h"
#include "options/options.h"
#include "strata/task/bench_text.h"

namespace strata::cli {

namespace {

Result<std::vector<BenchModel>> all_models(const BenchChoices& choices) {
  std::vector<BenchModel> models;
  std::vector<std::string> sources = choices.models;
  if (Status status = find_inputs(sources); !status) return failure(status);
  for (std::string& source : sources) models.emplace_back().source = std::move(source);
  for (const std::string& text : choices.pairs) {
    auto model = of_option("--pair", parse_model_files(text));
    if (!model) return failure(model);
    models.push_back(std::move(*model));
  }
  if (models.empty())
    return failure(Code::OptionValue, {.name = "models"},
                   "no model; give a file, zoo:NAME or --pair");
  name_models(models);
  for (const std::string& text : choices.int8)
    if (auto status = of_option("--int8", set_int8_file(models, text)); !status)
      return failure(status);
  return models;
}

}  // namespace

void BenchChoices::add_to(App& app) {
  app.add("variants", {{"--engine", &engines},
                       {"--precision", &precisions},
                       {"--int8", &int8},
                       {"--data", &request.data.path},
                       {"--samples", &request.data.data.samples},
                       {"--batch", &batches},
                       {"--threads", &threads},
                       {"--input", &inputs},
                       {"--dim", &sizes},
                       {"--seed", &request.seed},
                       {"--max-wait", &request.method.limits.timeout_seconds},
                       {"--trust-model", &request.method.limits.trust_model},
                       {"--engine-path", &request.engine_path}});
}

bool BenchChoices::names_int8() const {
  const auto names = [](const std::vector<std::string>& lists, std::string_view before) {
    return std::any_of(lists.begin(), lists.end(), [before](const std::string& list) {
      const std::size_t start = list.find(before);
      return start != list.npos && list.find("int8", start) != list.npos;
    });
  };
  return names(precisions, "") || names(engines, "precision=");
}

Result<BenchRequest> BenchChoices::read() const {
  BenchRequest out = request;
  Status status;
  const auto take = [&status](auto& target, auto&& read) {
    if (!status) return;
    if (read)
      target = std::move(*read);
    else
      status = failure(read);
  };
  take(out.models, all_models(*this));
  take(out.engines, of_option("--engine", parse_engine_list(engines)));
  take(out.precisions, of_option("--precision", parse_precision_list(precisions)));
  take(out.batches, of_option("--batch", parse_batch_list(batches)));
  take(out.threads, of_option("--threads", parse_thread_list(threads)));
  take(out.sizes, parse_sizes(input_shapes(inputs), sizes));
  if (!status) return failure(status);
  out.inputs = input_files(inputs);
  out.method.seed = out.seed;
  return out;
}

}  // namespace strata::cli
