#include "infer/inputs.h"

#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/base/text_map.h"

namespace strata {

Result<Tensor*> find_input(Model& model, const std::string& name) {
  Graph& graph = model.graph();
  std::vector<std::string_view> names;
  for (TensorId id : graph.inputs) {
    if (graph.tensors[id].name == name) return &graph.tensors[id];
    names.push_back(graph.tensors[id].name);
  }
  if (name.empty() && graph.inputs.size() == 1) return &graph.tensors[graph.inputs.front()];
  if (name.empty())
    return failure(fmt::format("there are {} inputs; name the one that is meant: {}", names.size(),
                               fmt::join(names, ", ")),
                   ErrorKind::Usage);
  const std::string all = names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  return failure(Code::NoInput, {.name = std::string(name), .found = all},
                 fmt::format("there is no input \"{}\"; the inputs are: {}", name, all));
}

namespace {

using Sizes = std::map<std::string, std::int64_t, std::less<>>;  // by symbol

void substitute(Dims& dims, const Sizes& sizes) {
  if (sizes.empty()) return;
  for (Expr& size : dims)
    if (size.is_formula())
      size = size.substitute([&](std::string_view symbol) -> std::optional<Expr> {
        const auto found = sizes.find(symbol);
        return found == sizes.end() ? std::nullopt : std::optional(Expr(found->second));
      });
}

}  // namespace

void apply_batch(Graph& graph, std::int64_t batch) {
  Sizes sizes;
  for (TensorId id : graph.inputs) {
    const Dims& dims = graph.tensors[id].type->dims;
    if (!dims.empty() && dims[0].is_formula())
      for (std::string& symbol : dims[0].symbols()) sizes.emplace(std::move(symbol), batch);
  }
  for (TensorId id : graph.inputs) {
    Dims& dims = graph.tensors[id].type.edit().dims;
    substitute(dims, sizes);
    if (sizes.empty() && !dims.empty()) dims[0] = batch;
  }
}

std::string other_ranks(const Model& model, const InferOptions& options) {
  const Graph& graph = model.graph();
  for (const auto& [name, dims] : options.input_shapes)
    for (const TensorId id : graph.inputs) {
      const TypeInfo& type = graph.tensors[id].type;
      const bool is_meant = graph.tensors[id].name == name || name.empty();
      if (!is_meant || !type.ranked || type.dims.size() == dims.size()) continue;
      return fmt::format("input \"{}\" has {} axes ({}), but {} were given ({})",
                         graph.tensors[id].name, type.dims.size(), text(type.dims), dims.size(),
                         text(dims));
    }
  return "";
}

Status apply_shapes(Model& model, const InferOptions& options) {
  for (const auto& [name, dims] : options.input_shapes) {
    auto input = find_input(model, name);
    if (!input) return failure(input);
    TypeInfo& type = (*input)->type.edit();
    type.ranked = true;
    type.dims = dims;
  }
  Graph& graph = model.graph();
  const Sizes sizes(options.sizes.begin(), options.sizes.end());
  for (TensorId id : graph.inputs) substitute(graph.tensors[id].type.edit().dims, sizes);
  return {};
}

Status apply_types(Model& model, const InferOptions& options) {
  for (const auto& [name, dtype] : options.element_types) {
    auto input = find_input(model, name);
    if (!input) return failure(input);
    TypeInfo& type = (*input)->type.edit();
    if (type.dtype != DType::Undefined && type.dtype != dtype)
      return failure(fmt::format("input \"{}\" has the type {} in the file, not {}", name,
                                 name_of(type.dtype), name_of(dtype)),
                     ErrorKind::Usage);
    type.dtype = dtype;
  }
  return {};
}

Status apply_elements(Model& model, const InferOptions& options) {
  for (const auto& [name, type] : options.input_types) {
    auto input = find_input(model, name);
    if (!input) return failure(input);
    (*input)->type = type;
  }
  for (const auto& [name, value] : options.input_values) {
    auto input = find_input(model, name);
    if (!input) return failure(input);
    Dims dims;
    for (std::int64_t size : value.dims) dims.push_back(size);
    (*input)->type = TypeInfo::tensor(value.type, std::move(dims));
    if (static_cast<std::int64_t>(value.size()) <= kMaxValueElements)
      (*input)->value = model.keep(Value(value));
  }
  return {};
}

namespace {

// Calls `take` with each symbol of each axis of each input.
template <class Take>
void each_symbol(const Model& model, const Take& take) {
  const Graph& graph = model.graph();
  for (TensorId id : graph.inputs) {
    const Tensor& input = graph.tensors[id];
    for (std::size_t axis = 0; axis < input.type->dims.size(); ++axis)
      if (input.type->dims[axis].is_formula())
        for (std::string& name : input.type->dims[axis].symbols())
          take(std::move(name), axis, input);
  }
}

}  // namespace

std::vector<Inference::Symbol> input_symbols(const Model& model) {
  std::vector<Inference::Symbol> found;
  TextSet<std::string> seen;
  each_symbol(model, [&](std::string name, std::size_t axis, const Tensor& input) {
    if (const auto [known, is_new] = seen.insert(std::move(name)); is_new)
      found.push_back({*known, fmt::format("axis {} of input \"{}\"", axis, input.name), false});
  });
  return found;
}

void add_input_names(const Model& model, std::set<std::string, std::less<>>& names) {
  each_symbol(model,
              [&](std::string name, std::size_t, const Tensor&) { names.insert(std::move(name)); });
}

}  // namespace strata
