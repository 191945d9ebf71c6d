#include "task/language_model.h"

#include <algorithm>

#include <fmt/format.h>

#include "ops/serving.h"
#include "read/registry.h"
#include "strata/llm/graph.h"
#include "strata/llm/read.h"
#include "strata/zoo/hugging_face.h"
#include "strata/zoo/zoo.h"

namespace strata {

namespace {

constexpr std::string_view kPast = "past", kSequence = "sequence";

std::optional<std::int64_t> size_named(const InferOptions& sizes, std::string_view name) {
  for (const auto& [symbol, size] : sizes.sizes)
    if (symbol == name) return size;
  return std::nullopt;
}

bool is_gguf(const Source& source) {
  return source.format() != nullptr && source.format()->name == "GGUF";
}

std::string zoo_name(const Source& source) {
  const std::string name = source.short_name();
  return name.substr(0, name.find('?'));
}

constexpr zoo::Parameter kParameters[] = {
    {"batch", zoo::ParameterKind::Size, "1", "texts at once"},
    {"sequence", zoo::ParameterKind::Size, "sequence", "tokens given"},
    {"past", zoo::ParameterKind::Size, "0", "earlier tokens, whose keys and values are cached"}};

}  // namespace

bool is_language_model(const ModelRequest& request) {
  const Source& source = request.source;
  if (!request.recording.empty()) return false;
  const bool has_past = size_named(request.sizes, kPast).has_value();
  if (source.is_zoo())
    return llm::is_in_zoo(zoo_name(source)) && (has_past || !zoo::find(zoo_name(source)));
  if (is_gguf(source)) return llm::is_network(source.word());
  if (!source.is_built()) return false;
  if (!has_past && zoo::can_build(source.word())) return false;
  // A class that strata does not know may have Llama's keys alone.
  return llm::reads_class(source.word()) || llm::read_network(source.word());
}

Result<Model> build_language_model(const ModelRequest& request) {
  const Source& source = request.source;
  const std::string name =
      source.is_zoo() ? fmt::format("{}{}", kZooPrefix, zoo_name(source)) : source.word();
  auto network = llm::read_network(name);
  if (!network) return failure(network);
  llm::GraphSizes sizes;
  if (source.is_zoo()) {
    std::string_view text = source.word();
    const std::size_t mark = std::min(text.find('?'), text.size());
    const auto arguments = zoo::parse_arguments(zoo_name(source), kParameters,
                                                text.substr(std::min(mark + 1, text.size())));
    if (!arguments) return failure(arguments);
    sizes = {arguments->size("batch"), arguments->size(kSequence), arguments->size(kPast)};
  }
  if (request.sizes.batch) sizes.batch = *request.sizes.batch;
  if (const auto past = size_named(request.sizes, kPast)) sizes.past = *past;
  if (const auto sequence = size_named(request.sizes, kSequence)) sizes.sequence = *sequence;
  auto built = llm::build_graph(*network, sizes);
  if (!built) return failure(built);
  Model& model = built->model;
  model.path = source.word();
  model.graph().name = model.keep(source.short_name());
  const auto tokens = sizes.sequence.number(), past = sizes.past.number();
  if (tokens && past && *tokens > 0)
    model.notes.push_back(
        llm::served_note(*network, static_cast<double>(*past), static_cast<double>(*tokens)));
  return std::move(model);
}

InferOptions sizes_of_language_model(InferOptions sizes) {
  std::erase_if(sizes.sizes,
                [](const auto& size) { return size.first == kPast || size.first == kSequence; });
  return sizes;
}

ModelRequest with_cache(ModelRequest request) {
  if (size_named(request.sizes, kPast)) return request;
  ModelRequest cached = request;
  cached.sizes.sizes.emplace_back(kPast, 0);
  return is_language_model(cached) ? cached : request;
}

Status check_can_run(const Model& model) {
  for (const Node& node : model.graph().nodes)
    if (node.domain == kServing)
      return failure(fmt::format(
          "{}: strata counts this language model from its configuration and has no network of it "
          "that an engine runs; zoo:llama is one that can be run",
          model.path));
  return {};
}

}  // namespace strata
