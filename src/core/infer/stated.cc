#include "infer/stated.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "infer/inputs.h"
#include "infer/runner.h"

namespace strata {

namespace {

constexpr std::string_view kHowToOpen =
    "; export the model with torch.export.export(…, dynamic_shapes=…) to leave it open";

struct ExprHash {
  std::size_t operator()(const Expr& size) const { return size.hash(); }
};

bool is_open(const TypeInfo& type) {
  return std::any_of(type.dims.begin(), type.dims.end(),
                     [](const Expr& size) { return size.is_formula(); });
}

// Every size that is a formula, and how often bodies run.
template <class Visit>
void each_size(Model& model, const Visit& visit) {
  for (Graph& graph : model.graphs) {
    if (graph.runs.is_formula()) visit(graph.runs);
    for (Tensor& tensor : graph.tensors) {
      if (!is_open(tensor.type)) continue;
      for (Expr& size : tensor.type.edit().dims)
        if (size.is_formula()) visit(size);
    }
  }
}

class Symbols {
 public:
  explicit Symbols(Model& model) : model_(model) {
    std::unordered_map<Expr, bool, ExprHash> seen;
    each_size(model, [&](Expr& size) {
      if (seen.emplace(size, true).second)
        for (std::string& name : size.symbols()) names_.insert(std::move(name));
    });
  }

  Status set_by_name(const std::vector<std::pair<std::string, std::int64_t>>& sizes) {
    for (const auto& [name, number] : sizes) {
      if (!names_.contains(name))
        return failure(
            fmt::format("there is no size \"{}\" in this model; its open sizes are: {}", name,
                        names_.empty() ? "none" : fmt::format("{}", fmt::join(names_, ", "))),
            ErrorKind::Usage);
      values_[name] = number;
    }
    return {};
  }

  // The sizes of an input are to be these.
  Status set_input(const Tensor& input, const Dims& wanted) {
    const Dims& own = input.type->dims;
    if (own.size() != wanted.size())
      return failure(fmt::format("input \"{}\" has {} axes ({}), but {} were given ({})",
                                 input.name, own.size(), text(own), wanted.size(), text(wanted)),
                     ErrorKind::Usage);
    for (std::size_t axis = 0; axis < own.size(); ++axis)
      if (auto status = set_size(input, axis, wanted[axis]); !status) return status;
    return {};
  }

  // The first axis of every input that leaves it open.
  Status set_batch(std::int64_t batch) {
    const Graph& graph = model_.graph();
    bool any_open = false;
    for (const TensorId id : graph.inputs) {
      const Dims& dims = graph.tensors[id].type->dims;
      if (dims.empty() || !dims[0].is_formula()) continue;
      any_open = true;
      for (const std::string& name : dims[0].symbols()) values_[name] = batch;
    }
    for (const TensorId id : graph.inputs) {
      const Tensor& input = graph.tensors[id];
      if (any_open || input.type->dims.empty()) continue;
      if (auto status = set_size(input, 0, batch); !status) return status;
    }
    return {};
  }

  void apply() {
    if (values_.empty()) return;
    std::unordered_map<Expr, Expr, ExprHash> done;
    each_size(model_, [&](Expr& size) {
      const auto [known, is_new] = done.try_emplace(size);
      if (is_new) known->second = substituted(size);
      size = known->second;
    });
  }

  // A sentence about each value that the file does not allow.
  std::vector<std::string> out_of_range() const {
    std::vector<std::string> notes;
    for (const SizeRange& range : model_.size_ranges) {
      if (!range.size.is_formula()) continue;
      const auto value = substituted(range.size).number();
      if (!value) continue;
      const bool above = range.most && *value > *range.most;
      if (!above && (!range.least || *value >= *range.least)) continue;
      notes.push_back(fmt::format(
          "the model was exported for {} from {}{}; with {} its formulas are used all the same",
          range.name, range.least ? std::to_string(*range.least) : "any size",
          range.most ? fmt::format(" to {}", *range.most) : " on", *value));
    }
    return notes;
  }

 private:
  Expr substituted(const Expr& size) const {
    return size.substitute([&](std::string_view name) -> std::optional<Expr> {
      const auto found = values_.find(name);
      return found == values_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  Status set_size(const Tensor& input, std::size_t axis, const Expr& wanted) {
    const Expr own = substituted(input.type->dims[axis]);
    if (own == wanted) return {};
    const auto symbols = own.is_formula() ? own.symbols() : std::vector<std::string>();
    if (symbols.size() == 1)
      if (const auto value = solved(own, symbols[0], wanted)) {
        values_.emplace(symbols[0], *value);
        return {};
      }
    const std::string where = fmt::format("axis {} of input \"{}\"", axis, input.name);
    if (input.type->dims[axis].is_number())
      return failure(fmt::format("{} is {} in this file, and cannot be {}{}", where, own.text(),
                                 wanted.text(), kHowToOpen),
                     ErrorKind::Usage);
    return failure(fmt::format("{} is {} in this file, which cannot be {}", where,
                               input.type->dims[axis].text(), wanted.text()),
                   ErrorKind::Usage);
  }

  // The value of the symbol for which the size, a·symbol + b, is what is wanted.
  static std::optional<Expr> solved(const Expr& size, const std::string& symbol,
                                    const Expr& wanted) {
    const auto at = [&](std::int64_t value) {
      return size.substitute([&](std::string_view) { return std::optional(Expr(value)); });
    };
    const Expr fixed = at(0), slope = at(1) - fixed;
    if (!(slope * Expr::symbol(symbol) + fixed == size)) return std::nullopt;
    auto value = exact_div(wanted - fixed, slope);
    const bool possible = value && (!value->is_number() || value->value() >= 0);
    return possible ? value : std::nullopt;
  }

  Model& model_;
  std::set<std::string, std::less<>> names_;
  std::map<std::string, Expr, std::less<>> values_;
};

Status set_symbols(Model& model, const InferOptions& options, Symbols& symbols) {
  if (auto status = symbols.set_by_name(options.sizes); !status) return status;
  for (const auto& [name, dims] : options.input_shapes) {
    const auto input = find_input(model, name);
    if (!input) return failure(input);
    if (auto status = symbols.set_input(**input, dims); !status) return status;
  }
  for (const auto& [name, value] : options.input_values) {
    const auto input = find_input(model, name);
    if (!input) return failure(input);
    Dims dims;
    for (const std::int64_t size : value.dims) dims.push_back(size);
    if (auto status = symbols.set_input(**input, dims); !status) return status;
  }
  return options.batch ? symbols.set_batch(*options.batch) : Status();
}

// The symbols that no input's shape decides, each with the node that does.
std::vector<Inference::Symbol> data_symbols(Model& model) {
  std::set<std::string, std::less<>> known;
  add_input_names(model, known);
  std::vector<Inference::Symbol> found;
  std::unordered_map<Expr, bool, ExprHash> seen;
  const auto look = [&](const Expr& size, const Graph& graph, const Node* node) {
    if (!size.is_formula() || !seen.emplace(size, true).second) return;
    for (std::string& name : size.symbols())
      if (known.insert(name).second)
        found.push_back({std::move(name),
                         node == nullptr
                             ? std::string("given with the inputs")
                             : fmt::format("known only when {} runs", describe(graph, *node)),
                         true});
  };
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) {
      for (const TensorId id : node.outputs)
        if (id != kNone)
          for (const Expr& size : graph.tensors[id].type->dims) look(size, graph, &node);
      for (const Attribute& attribute : node.attributes)
        if (const auto* body = std::get_if<Graph*>(&attribute.value); body != nullptr && *body)
          look((*body)->runs, graph, &node);
    }
  return found;
}

}  // namespace

Result<Inference> infer_stated(Model& model, const InferOptions& options) {
  std::vector<std::string> notes;
  const bool changes = !options.sizes.empty() || !options.input_shapes.empty() || options.batch ||
                       !options.input_values.empty();
  if (changes) {
    Symbols symbols(model);
    if (auto status = set_symbols(model, options, symbols); !status) return failure(status);
    symbols.apply();
    notes = symbols.out_of_range();
  }
  Runner runner(model, options);
  for (Graph& graph : model.graphs)
    if (auto status = runner.run(graph); !status) return failure(status);
  Inference result = runner.finish();
  for (Inference::Symbol& symbol : data_symbols(model)) result.symbols.push_back(std::move(symbol));
  result.notes = std::move(notes);
  return result;
}

}  // namespace strata
