#include "cli/model_options.h"

#include <fmt/format.h>

#include "base/standard_input.h"
#include "cli/outlet.h"
#include "options/options.h"
#include "strata/infer/size_text.h"

namespace strata::cli {

void ModelOptions::add_to(App& app) {
  app.add_option("model MODEL", path,
                 "an ONNX or .pt2 file, a recording, zoo:NAME, or - for standard input")
      ->required();
  add_sizes_to(app);
}

void ModelOptions::add_sizes_to(App& app) {
  app.add_option("--input NAME=1x3x224x224", inputs, "shape of an input (repeatable)");
  app.add_option("--dim NAME=SIZE", sizes, "size of a symbol in the shapes (repeatable)");
  app.add_option("--batch N", batch, "first axis of every input")
      ->within(std::int64_t{1}, std::int64_t{1} << 40);
  app.add_option("--model NAME", model, "which model to read, if a .pt2 file holds several");
  app.add_flag("--allow-outside-data", allow_outside_data,
               "follow external data out of the model's folder");
  app.add_option("--limit FACTOR", limit, "multiply the limits of what a file may cost (default 1)")
      ->within(1.0, 1e6);
}

Option* ModelOptions::take_files(App& app) {
  takes_files = true;
  Option* input = app.get_option("--input")
                      ->option_text("NAME=SHAPE|FILE")
                      ->description(
                          "an input's shape (1x3x224x224), or a .npy, .npz or .pb file of its "
                          "elements (repeatable)");
  app.old_name("--inputs", input);
  return input;
}

Result<std::string> input_path(const std::string& given) {
  if (given != "-") return given;
  if (outlet() != nullptr)
    return failure("standard input is not read in the process of a caller; give its bytes a name",
                   ErrorKind::Usage);
  return standard_input_path();
}

Result<InferOptions> parse_sizes(const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& sizes) {
  auto shapes = of_option("--input", parse_input_shapes(inputs));
  if (!shapes) return failure(shapes);
  auto numbers = of_option("--dim", parse_size_list(sizes));
  if (!numbers) return failure(numbers);
  InferOptions given;
  given.input_shapes = std::move(*shapes);
  given.sizes = std::move(*numbers);
  return given;
}

Result<ModelRequest> ModelOptions::request() const {
  if (has_files() && !takes_files)
    return failure(fmt::format("--input {}: this command needs no elements; write a shape as "
                               "NAME=1x3x224x224",
                               input_files(inputs).front()),
                   ErrorKind::Usage);
  const auto file = input_path(path);
  if (!file) return failure(file);
  auto given = parse_sizes(input_shapes(inputs), sizes);
  if (!given) return failure(given);
  if (batch > 0) given->batch = batch;
  return ModelRequest{*file, std::move(*given), allow_outside_data, limit, model};
}

}  // namespace strata::cli
