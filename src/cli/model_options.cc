#include "cli/model_options.h"

#include <charconv>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "strata/read/read.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return number;
}

Result<Model> model_from_zoo(std::string_view path) {
  auto network = zoo::build(path.substr(zoo::kPrefix.size()));
  if (!network) return tl::unexpected(network.error());
  return std::move(network->model);
}

}  // namespace

void ModelOptions::add_to(CLI::App& app) {
  app.add_option("model", path, "an ONNX file, or zoo:NAME")->required()->option_text("MODEL");
  app.add_option("--input", inputs, "shape of an input (repeatable)")
      ->allow_extra_args(false)
      ->option_text("NAME=1x3x224x224");
  app.add_option("--dim", sizes, "size of a symbol in the shapes (repeatable)")
      ->allow_extra_args(false)
      ->option_text("NAME=SIZE");
  app.add_option("--batch", batch, "first axis of every input")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->option_text("N");
  app.add_flag("--allow-outside-data", allow_outside_data,
               "follow external data out of the model's folder");
}

Result<std::pair<std::string, Dims>> parse_input_shape(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0)
    return failure(fmt::format("--input {}: write it as NAME=1x3x224x224", text), ErrorKind::Usage);
  std::pair<std::string, Dims> parsed{std::string(text.substr(0, equals)), Dims()};
  std::string_view sizes = text.substr(equals + 1);
  if (sizes.empty() || sizes == "scalar") return parsed;
  while (true) {
    const std::size_t end = std::min({sizes.find('x'), sizes.find(','), sizes.size()});
    const std::string_view word = sizes.substr(0, end);
    if (const auto number = parse_number(word)) {
      if (*number < 0 || *number > Expr::kMaxNumber)
        return failure(fmt::format("--input {}: a size cannot be {}", text, word),
                       ErrorKind::Usage);
      parsed.second.push_back(*number);
    } else if (!word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0) {
      parsed.second.push_back(Expr::symbol(word));
    } else {
      return failure(
          fmt::format("--input {}: \"{}\" is neither a size nor the name of one", text, word),
          ErrorKind::Usage);
    }
    if (end == sizes.size()) return parsed;
    sizes.remove_prefix(end + 1);
  }
}

Result<std::pair<std::string, std::int64_t>> parse_size(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const auto number = equals == text.npos ? std::nullopt : parse_number(text.substr(equals + 1));
  if (!number || equals == 0 || *number > Expr::kMaxNumber)
    return failure(fmt::format("--dim {}: write it as NAME=SIZE", text), ErrorKind::Usage);
  if (*number < 0)
    return failure(fmt::format("--dim {}: a size cannot be negative", text), ErrorKind::Usage);
  return std::pair(std::string(text.substr(0, equals)), *number);
}

Result<InferOptions> infer_options(const ModelOptions& options) {
  InferOptions given;
  for (const std::string& text : options.inputs) {
    auto shape = parse_input_shape(text);
    if (!shape) return tl::unexpected(shape.error());
    given.input_shapes.push_back(std::move(*shape));
  }
  for (const std::string& text : options.sizes) {
    auto size = parse_size(text);
    if (!size) return tl::unexpected(size.error());
    for (const auto& [name, number] : given.sizes)
      if (name == size->first)
        return failure(
            fmt::format("--dim gives \"{}\" two sizes: {} and {}", name, number, size->second),
            ErrorKind::Usage);
    given.sizes.push_back(std::move(*size));
  }
  if (options.batch > 0) given.batch = options.batch;
  return given;
}

Result<LoadedModel> load(const ModelOptions& options) {
  const auto given = infer_options(options);
  if (!given) return tl::unexpected(given.error());

  ReadOptions read_options;
  read_options.allow_outside_data = options.allow_outside_data;
  const bool in_zoo = options.path.starts_with(zoo::kPrefix);
  auto model = in_zoo ? model_from_zoo(options.path) : read_model(options.path, read_options);
  if (!model) return tl::unexpected(model.error());
  auto inference = infer(*model, *given);
  if (!inference)
    return failure(fmt::format("{}: {}", options.path, inference.error().message),
                   inference.error().kind);
  return LoadedModel{std::move(*model), std::move(*inference)};
}

Result<LoadedModel> load_one_item(ModelOptions options) {
  auto loaded = load(options);
  if (!loaded || options.batch > 0) return loaded;
  const Graph& graph = loaded->model.graph();
  for (const TensorId id : graph.inputs) {
    const TypeInfo& type = graph.tensors[id].type;
    if (!type.ranked || type.dims.empty() || type.dims[0].is_number()) continue;
    options.batch = 1;
    return load(options);
  }
  return loaded;
}

}  // namespace strata::cli
