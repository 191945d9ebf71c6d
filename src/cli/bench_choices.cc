#include "cli/bench_choices.h"

#include <algorithm>

#include "cli/model_options.h"
#include "cli/options.h"
#include "strata/task/bench_text.h"

namespace strata::cli {

namespace {

Result<std::vector<BenchModel>> all_models(const BenchChoices& choices) {
  std::vector<BenchModel> models;
  for (const std::string& given : choices.models) {
    const auto source = input_path(given);
    if (!source) return failure(source);
    models.emplace_back().source = *source;
  }
  for (const std::string& text : choices.pairs) {
    auto model = of_option("--pair", parse_model_files(text));
    if (!model) return failure(model);
    models.push_back(std::move(*model));
  }
  if (models.empty()) return failure("no model; give a file, zoo:NAME or --pair", ErrorKind::Usage);
  name_models(models);
  for (const std::string& text : choices.int8)
    if (auto status = of_option("--int8", set_int8_file(models, text)); !status)
      return failure(status);
  return models;
}

}  // namespace

void BenchChoices::add_to(App& app) {
  const auto list = [&](const char* option, std::vector<std::string>& out, const char* help,
                        const char* text) { app.add_option(option, out, help)->option_text(text); };
  list("--engine", engines, "engines, with their options (default onnxruntime)",
       "NAME[:KEY=VALUE,…],…");
  list("--precision", precisions,
       "precisions the engines compute in: fp32, bf16, fp16, int8 (default: as stored)", "LIST");
  list("--int8", int8, "file with the quantized form of a model (repeatable)", "MODEL=FILE");
  app.add_option("--data DIR", request.data.path,
                 "samples to calibrate int8 on where strata makes it (default: random ones)");
  app.add_option("--samples N", request.data.data.samples, "number of these samples (default 16)")
      ->within(1, 1'000'000);
  list("--batch", batches, "numbers of samples in an inference (default: the file's own)", "LIST");
  list("--threads", threads, "threads an engine uses (default 1); all: one for each core", "LIST");
  list("--input", inputs, "shape of an input (repeatable)", "NAME=1x3x224x224");
  list("--dim", sizes, "size of a symbol in the shapes (repeatable)", "NAME=SIZE");
  app.add_option("--seed N", request.seed,
                 "seed of made-up inputs and weights, and of the order of blocks (default 0)");
  app.add_option("--engine-path DIR:DIR", request.engine_path, "folders to look for engines in");
}

bool BenchChoices::names_int8() const {
  return std::any_of(precisions.begin(), precisions.end(), [](const std::string& list) {
    return list.find("int8") != std::string::npos;
  });
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
