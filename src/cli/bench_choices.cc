#include "cli/bench_choices.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/engine_options.h"
#include "cli/model_options.h"
#include "cli/options.h"

namespace strata::cli {

namespace {

constexpr std::string_view kPrecisions[] = {"fp64", "fp32", "tf32", "bf16", "fp16", "int8"};

tl::unexpected<Error> usage(std::string message) {
  return failure(std::move(message), ErrorKind::Usage);
}

// `a,b`: its parts. An empty part is an error that names the option.
Result<std::vector<std::string>> split_list(const std::vector<std::string>& texts,
                                            const char* option) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view part = rest.substr(0, comma);
      if (part.empty())
        return usage(fmt::format("{} {}: an item of the list is empty", option, text));
      parts.emplace_back(part);
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return parts;
}

// `onnxruntime:opt=off,spin=0,torch`: a part that is `key=value` belongs to the one before.
Result<std::vector<std::string>> split_engines(const std::vector<std::string>& texts) {
  auto parts = split_list(texts, "--engine");
  if (!parts) return parts;
  std::vector<std::string> engines;
  for (std::string& part : *parts) {
    const std::size_t equals = part.find('='), colon = part.find(':');
    const bool more = equals != part.npos && (colon == part.npos || colon > equals);
    if (more && (engines.empty() || engines.back().find(':') == std::string::npos))
      return usage(
          fmt::format("--engine {}: an option without its engine; write ENGINE:{}", part, part));
    if (more)
      engines.back() += "," + part;
    else
      engines.push_back(std::move(part));
  }
  return engines;
}

Result<std::vector<std::int64_t>> numbers(const std::vector<std::string>& texts, const char* option,
                                          std::int64_t most) {
  auto parts = split_list(texts, option);
  if (!parts) return failure(parts);
  std::vector<std::int64_t> all;
  for (const std::string& part : *parts) {
    std::int64_t number = 0;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (status != std::errc() || end != part.data() + part.size() || number < 1 || number > most)
      return usage(fmt::format("{} {}: write whole numbers from 1 to {}, with commas between",
                               option, part, most));
    if (std::find(all.begin(), all.end(), number) == all.end()) all.push_back(number);
  }
  return all;
}

// `torch=model.pt,onnxruntime=model.onnx`
Result<BenchModel> parse_pair(const std::string& text) {
  BenchModel model;
  auto parts = split_list({text}, "--pair");
  if (!parts) return failure(parts);
  for (const std::string& part : *parts) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos || equals == 0 || equals + 1 == part.size())
      return usage(
          fmt::format("--pair {}: write it as torch=model.pt,onnxruntime=model.onnx", text));
    const std::string engine = part.substr(0, equals);
    if (!model.file_for(engine).empty())
      return usage(fmt::format("--pair {}: {} has two files", text, engine));
    model.files.emplace_back(engine, part.substr(equals + 1));
  }
  return model;
}

Status take_int8(const std::vector<std::string>& texts, std::vector<BenchModel>& models) {
  for (const std::string& text : texts) {
    // Names of the zoo may have `=` in them; files hardly do.
    const std::size_t equals = text.rfind('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
      return usage(fmt::format("--int8 {}: write it as MODEL=FILE", text));
    const std::string name = text.substr(0, equals);
    const auto model = std::find_if(models.begin(), models.end(), [&](const BenchModel& own) {
      return own.name == name || (!own.source.empty() && own.source == name);
    });
    std::vector<std::string> names;
    for (const BenchModel& own : models) names.push_back(own.name);
    if (model == models.end())
      return usage(fmt::format("--int8 {}: there is no model \"{}\" here; there {} {}", text, name,
                               names.size() == 1 ? "is" : "are", fmt::join(names, ", ")));
    model->int8 = text.substr(equals + 1);
  }
  return {};
}

Result<std::vector<BenchModel>> all_models(const BenchChoices& choices) {
  std::vector<BenchModel> models;
  for (const std::string& source : choices.models) models.emplace_back().source = source;
  for (const std::string& text : choices.pairs) {
    auto model = parse_pair(text);
    if (!model) return failure(model);
    models.push_back(std::move(*model));
  }
  if (models.empty()) return usage("no model; give a file, zoo:NAME or --pair");
  name_models(models);
  if (auto status = take_int8(choices.int8, models); !status) return failure(status);
  return models;
}

}  // namespace

void BenchChoices::add_to(App& app, BenchSettings& settings) {
  const auto list = [&](const char* option, std::vector<std::string>& out, const char* help,
                        const char* text) { app.add_option(option, out, help)->option_text(text); };
  list("--engine", engines, "engines, with their options (default onnxruntime)",
       "NAME[:KEY=VALUE,…],…");
  list("--precision", precisions,
       "precisions the engines compute in: fp32, bf16, fp16, int8 (default: as stored)", "LIST");
  list("--int8", int8, "file with the quantized form of a model (repeatable)", "MODEL=FILE");
  app.add_option("--data DIR", data.path,
                 "samples to calibrate int8 on where strata makes it (default: random ones)");
  app.add_option("--samples N", data.data.samples, "number of these samples (default 16)")
      ->within(1, 1'000'000);
  list("--batch", batches, "numbers of samples in an inference (default: the file's own)", "LIST");
  list("--threads", threads, "threads an engine uses (default 1); all: one for each core", "LIST");
  list("--input", settings.inputs, "shape of an input (repeatable)", "NAME=1x3x224x224");
  list("--dim", settings.sizes, "size of a symbol in the shapes (repeatable)", "NAME=SIZE");
  app.add_option("--seed N", settings.seed,
                 "seed of made-up inputs and weights, and of the order of blocks (default 0)");
  app.add_option("--engine-path DIR:DIR", engine_path, "folders to look for engines in");
}

bool BenchChoices::names_int8() const {
  return std::any_of(precisions.begin(), precisions.end(), [](const std::string& list) {
    return list.find("int8") != std::string::npos;
  });
}

Result<BenchRequest> read_choices(const BenchChoices& choices, const BenchSettings& settings) {
  BenchRequest request;
  auto models = all_models(choices);
  if (!models) return failure(models);
  request.models = std::move(*models);

  auto engines = split_engines(choices.engines);
  if (!engines) return failure(engines);
  for (const std::string& text : *engines) {
    auto style = parse_engine_style(text);
    if (!style) return failure("--engine " + style.error().message, style.error().kind);
    request.engines.push_back(std::move(*style));
  }
  auto precisions = split_list(choices.precisions, "--precision");
  if (!precisions) return failure(precisions);
  for (const std::string& precision : *precisions)
    if (std::find(std::begin(kPrecisions), std::end(kPrecisions), precision) ==
        std::end(kPrecisions))
      return usage(
          fmt::format("--precision {}: there is {}", precision, fmt::join(kPrecisions, ", ")));
  request.precisions = std::move(*precisions);
  auto batches = numbers(choices.batches, "--batch", 1 << 20);
  if (!batches) return failure(batches);
  request.batches = std::move(*batches);
  auto threads = split_list(choices.threads, "--threads");
  if (!threads) return failure(threads);
  for (const std::string& text : *threads) {
    const auto number = parse_threads(text);
    if (!number) return failure(number);
    if (std::find(request.threads.begin(), request.threads.end(), *number) == request.threads.end())
      request.threads.push_back(*number);
  }

  auto sizes = parse_sizes(input_shapes(settings.inputs), settings.sizes);
  if (!sizes) return failure(sizes);
  request.sizes = std::move(*sizes);
  request.inputs = input_files(settings.inputs);
  request.seed = request.method.seed = settings.seed;
  request.engine_path = choices.engine_path;
  request.device = choices.device;
  request.provider = choices.provider;
  request.base = choices.base;
  request.data = choices.data;
  return request;
}

}  // namespace strata::cli
