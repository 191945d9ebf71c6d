#include "cli/model_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/outlet.h"
#include "options/options.h"
#include "read/standard_input.h"
#include "report/formats.h"
#include "strata/infer/size_text.h"

namespace strata::cli {

void ModelOptions::add_to(App& app) {
  app.add("model", {{"model", &path}});
  app.get_option("model")->description(model_words(false));
  add_sizes_to(app);
}

void ModelOptions::add_sizes_to(App& app) {
  app.add("model", {{"--input", &inputs},
                    {"--dim", &sizes},
                    {"--batch", &batch},
                    {"--model", &model},
                    {"--allow-outside-data", &allow_outside_data},
                    {"--limit", &limit}});
}

void ModelOptions::add_wait_to(App& app, const std::function<bool()>& runs) {
  add_wait_to(app);
  if (!app.has_option("--engine-path")) app.add("engine", {{"--engine-path", &engine_path}});
  app.need_that({"--max-wait", "--trust-model", "--engine-path"}, runs,
                app.has_option("--time") ? "nothing is run; add --time, or give a TorchScript file"
                                         : "nothing is run; only TorchScript files are");
}

void ModelOptions::add_wait_to(App& app) {
  app.add("model", {{"--max-wait", &max_wait}, {"--trust-model", &trust}});
}

Result<std::string> input_path(const std::string& given) {
  if (given != "-") return given;
  if (outlet() != nullptr)
    return failure("standard input is not read in the process of a caller; give its bytes a name",
                   ErrorKind::Usage);
  return standard_input_path();
}

Result<Source> NamedSources::at(const std::string& word) const {
  if (const auto known = seen_.find(word); known != seen_.end()) return known->second;
  auto path = input_path(word);
  if (!path) return failure(path);
  return seen_.emplace(word, Source(std::move(*path))).first->second;
}

Result<std::vector<Source>> NamedSources::all(const std::vector<std::string>& words) const {
  std::vector<Source> sources;
  for (const std::string& word : words) {
    auto source = at(word);
    if (!source) return failure(source);
    sources.push_back(std::move(*source));
  }
  return sources;
}

bool NamedSources::is(SourceKind kind, const std::string& word) const {
  const auto source = at(word);
  return source && source->kind() == kind;
}

bool NamedSources::may_be_run(const std::string& word) const {
  return word == "-" || is(SourceKind::Code, word) || is(SourceKind::Several, word);
}

Status find_inputs(std::vector<std::string>& files) {
  for (std::string& file : files) {
    auto path = input_path(file);
    if (!path) return failure(path);
    file = std::move(*path);
  }
  return {};
}

Result<InferOptions> parse_sizes(const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& sizes) {
  auto shapes = of_option("--input", parse_input_shapes(inputs));
  if (!shapes) return failure(shapes);
  auto numbers = of_option("--dim", parse_size_list(sizes));
  if (!numbers) return failure(numbers);
  InferOptions given;
  for (InputShape& shape : *shapes) {
    if (shape.type) given.element_types.emplace_back(shape.name, *shape.type);
    given.input_shapes.emplace_back(std::move(shape.name), std::move(shape.dims));
  }
  given.sizes = std::move(*numbers);
  return given;
}

Status refuse_files(const std::vector<std::string>& files) {
  if (files.empty()) return {};
  return failure(Code::OptionValue, {.name = "--input"},
                 fmt::format("--input {}: this command needs no elements; write a shape as "
                             "NAME=1x3x224x224",
                             files.front()));
}

Status ModelOptions::read_into(ModelRequest& request) const {
  auto model_source = source();
  if (!model_source) return failure(model_source);
  if (!takes_files && !model_source->is_code())
    if (Status status = refuse_files(input_files(inputs)); !status) return status;
  auto given = parse_sizes(input_shapes(inputs), sizes);
  if (!given) return failure(given);
  if (batch > 0) given->batch = batch;
  request = {std::move(*model_source), std::move(*given), allow_outside_data, limit, model};
  request.max_wait_seconds = max_wait;
  request.trust_model = trust;
  request.input_files = input_files(inputs);
  request.engine_path = engine_path;
  return {};
}

}  // namespace strata::cli
