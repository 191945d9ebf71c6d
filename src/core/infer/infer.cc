#include "strata/infer/infer.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/formula_scope.h"
#include "infer/inputs.h"
#include "infer/runner.h"
#include "infer/stated.h"
#include "ops/openvino_table.h"
#include "ops/tflite_table.h"

namespace strata {

namespace {

// The names that a given size may have, beside those of sizes that depend on data.
struct KnownSizes {
  std::vector<std::string> of_inputs;  // as the file has them
  std::set<std::string, std::less<>> all;
};

KnownSizes known_sizes(const Model& model, const InferOptions& options) {
  KnownSizes known;
  for (Inference::Symbol& symbol : input_symbols(model))
    known.of_inputs.push_back(std::move(symbol.name));
  known.all.insert(known.of_inputs.begin(), known.of_inputs.end());
  for (const auto& [name, dims] : options.input_shapes)
    for (const Expr& size : dims)
      if (size.is_formula())
        for (std::string& symbol : size.symbols()) known.all.insert(std::move(symbol));
  return known;
}

// Every given size must name a symbol that exists, before or after inference.
Status check_sizes(const InferOptions& options, const KnownSizes& before,
                   const std::set<std::string, std::less<>>& after) {
  for (const auto& [name, number] : options.sizes) {
    if (before.all.contains(name) || after.contains(name)) continue;
    const std::vector<std::string>& names = before.of_inputs;
    return failure(
        fmt::format("there is no size \"{}\" in this model; its open sizes are: {}", name,
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))),
        ErrorKind::Usage);
  }
  return {};
}

// For the sentence if a file cannot take another batch than its own.
std::string about_batch(const Graph& graph, std::int64_t own, std::int64_t wanted) {
  const auto is_image = [&](TensorId id) {
    const Dims& dims = graph.tensors[id].type->dims;
    return dims.size() == 3 && dims[0].is(3);
  };
  if (std::all_of(graph.inputs.begin(), graph.inputs.end(), is_image))
    return fmt::format(
        "with {} as the first axis of its input, which in this file is {}: one image without a "
        "batch",
        wanted, text(graph.tensors[graph.inputs[0]].type->dims));
  return fmt::format(
      "with a batch of {}; this file was made for a batch of {}, so export it with an open batch, "
      "or with this one",
      wanted, own);
}

}  // namespace

namespace {

// A dialect whose files state sizes and whose rows have rules of shapes.
bool has_rules(const Model& model) {
  const std::string_view dialect =
      model.opsets.empty() ? std::string_view() : model.opsets.front().domain;
  return dialect == kTflite || dialect == kOpenvino;
}

// True if the sizes that the file states give way to those that the caller wants.
bool is_resized(const Model& model, const InferOptions& options) {
  if (!has_rules(model)) return false;
  if (!options.input_shapes.empty() || !options.sizes.empty()) return true;
  return options.batch && fixed_batch(model.graph()) != options.batch;
}

}  // namespace

Result<Inference> infer(Model& model, const InferOptions& options) {
  const FormulaScope scope(model.file_bytes, options.limit);
  if (auto status = apply_types(model, options); !status) return failure(status);
  if (model.states_types && is_resized(model, options)) model.states_types = false;
  if (model.states_types) {
    InferOptions stated = options;
    if (has_rules(model)) stated.batch.reset();  // it is the file's own
    auto result = infer_stated(model, stated);
    if (result && scope.is_over_limit()) result->notes.emplace_back(kFormulasOverLimit);
    return result;
  }
  const KnownSizes before = options.sizes.empty() ? KnownSizes() : known_sizes(model, options);
  const std::string other_rank = other_ranks(model, options);
  if (auto status = apply_shapes(model, options); !status) return failure(status);
  std::optional<Rebatch> rebatch;
  std::string made_for;
  if (const auto own = fixed_batch(model.graph()); own && options.batch && *own != *options.batch) {
    Runner with_own(model, options);
    if (auto status = with_own.run(model.graph()); !status) return failure(status);
    made_for = about_batch(model.graph(), *own, *options.batch);
    rebatch.emplace(model, *own, *options.batch);
  }
  if (options.batch) apply_batch(model.graph(), *options.batch);
  if (auto status = apply_elements(model, options); !status) return failure(status);
  for (TensorId id : model.graph().inputs)
    for (const Expr& size : model.graph().tensors[id].type->dims)
      if (size.is_number() && size.value() < 0)
        return failure(fmt::format("input \"{}\" has the negative size {}",
                                   model.graph().tensors[id].name, size.text()));
  Runner runner(model, options);
  const Status done = rebatch ? runner.run(model.graph(), *rebatch) : runner.run(model.graph());
  if (!done && !other_rank.empty())
    return failure(fmt::format("{}: {}", other_rank, done.error().message), ErrorKind::Usage);
  if (!done && rebatch) return failure(fmt::format("{} ({})", done.error().message, made_for));
  if (!done) return failure(done);
  if (auto status = check_sizes(options, before, runner.names()); !status) return failure(status);
  Inference result = runner.finish();
  if (scope.is_over_limit()) result.notes.emplace_back(kFormulasOverLimit);
  return result;
}

}  // namespace strata
