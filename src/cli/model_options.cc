#include "cli/model_options.h"

#include <fmt/format.h>

#include "base/standard_input.h"
#include "cli/options.h"
#include "strata/infer/size_text.h"

namespace strata::cli {

namespace {

// `photo.npy`, `x=photo.npy`
bool is_file(const std::string& input) {
  return input.ends_with(".npy") || input.ends_with(".npz") || input.ends_with(".pb");
}

}  // namespace

void ModelOptions::add_to(App& app) {
  app.add_option("model MODEL", path, "an ONNX file, zoo:NAME, or - for standard input")
      ->required();
  add_sizes_to(app);
}

void ModelOptions::add_sizes_to(App& app) {
  app.add_option("--input NAME=1x3x224x224", inputs, "shape of an input (repeatable)");
  app.add_option("--dim NAME=SIZE", sizes, "size of a symbol in the shapes (repeatable)");
  app.add_option("--batch N", batch, "first axis of every input")
      ->within(std::int64_t{1}, std::int64_t{1} << 40);
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
  return given == "-" ? standard_input_path() : given;
}

std::vector<std::string> input_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& text : inputs)
    if (is_file(text)) files.push_back(text);
  return files;
}

std::vector<std::string> input_shapes(const std::vector<std::string>& inputs) {
  std::vector<std::string> shapes;
  for (const std::string& text : inputs)
    if (!is_file(text)) shapes.push_back(text);
  return shapes;
}

Result<InferOptions> parse_sizes(const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& sizes) {
  InferOptions given;
  for (const std::string& text : inputs) {
    auto shape = of_option("--input", parse_input_shape(text));
    if (!shape) return failure(shape);
    given.input_shapes.push_back(std::move(*shape));
  }
  for (const std::string& text : sizes) {
    auto size = of_option("--dim", parse_size(text));
    if (!size) return failure(size);
    for (const auto& [name, number] : given.sizes)
      if (name == size->first)
        return failure(
            fmt::format("--dim gives \"{}\" two sizes: {} and {}", name, number, size->second),
            ErrorKind::Usage);
    given.sizes.push_back(std::move(*size));
  }
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
  return ModelRequest{*file, std::move(*given), allow_outside_data, limit};
}

}  // namespace strata::cli
