#include "cli/model_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/standard_input.h"
#include "cli/outlet.h"
#include "options/options.h"
#include "strata/infer/size_text.h"
#include "strata/read/read.h"
#include "strata/task/totals.h"

namespace strata::cli {

void ModelOptions::add_to(App& app) {
  app.add("model", {{"model", &path}});
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
  app.add("model", {{"--max-wait", &max_wait}});
  app.need_that({"--max-wait"}, runs,
                app.has_option("--time") ? "nothing is run; add --time, or give a TorchScript file"
                                         : "nothing is run; only TorchScript files are");
}

bool may_be_run(const std::vector<std::string>& models) {
  return std::any_of(models.begin(), models.end(), [](const std::string& model) {
    return model == "-" || is_torchscript(model) || names_several(model);
  });
}

Result<std::string> input_path(const std::string& given) {
  if (given != "-") return given;
  if (outlet() != nullptr)
    return failure("standard input is not read in the process of a caller; give its bytes a name",
                   ErrorKind::Usage);
  return standard_input_path();
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
  return failure(fmt::format("--input {}: this command needs no elements; write a shape as "
                             "NAME=1x3x224x224",
                             files.front()),
                 ErrorKind::Usage);
}

Status ModelOptions::read_into(ModelRequest& request) const {
  if (!takes_files)
    if (Status status = refuse_files(input_files(inputs)); !status) return status;
  const auto file = input_path(path);
  if (!file) return failure(file);
  auto given = parse_sizes(input_shapes(inputs), sizes);
  if (!given) return failure(given);
  if (batch > 0) given->batch = batch;
  request = {*file, std::move(*given), allow_outside_data, limit, model};
  request.max_wait_seconds = max_wait;
  return {};
}

}  // namespace strata::cli
