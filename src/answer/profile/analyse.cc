#include "profile/analyse.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/formula_scope.h"
#include "base/shortened.h"
#include "graph/hash.h"
#include "profile/layout.h"
#include "zoo/block_names.h"

namespace strata {

namespace {

std::vector<Profile::TensorFacts> tensor_facts(const Graph& graph, std::span<const TensorId> ids) {
  std::vector<Profile::TensorFacts> facts;
  for (TensorId id : ids) {
    if (id == kNone) continue;
    const Tensor& tensor = graph.tensors[id];
    facts.push_back({shortened(tensor.name), std::string(name_of(tensor.type->dtype)),
                     tensor.type->ranked ? text(tensor.type->dims) : "?"});
  }
  return facts;
}

Profile::ModelFacts model_facts(const Model& model, Needs needs) {
  Profile::ModelFacts facts;
  facts.path = model.path;
  if (needs.has(Need::Hash)) facts.graph_hash = graph_hash(model);
  facts.file_bytes = model.file_bytes;
  facts.producer = std::string(model.producer);
  if (!model.producer_version.empty()) facts.producer += fmt::format(" {}", model.producer_version);
  facts.ir_version = model.ir_version;
  for (const OpsetImport& import : model.opsets)
    facts.opsets.emplace_back(import.domain.empty() ? "ai.onnx" : std::string(import.domain),
                              import.version);
  for (const Graph& graph : model.graphs) facts.nodes += graph.nodes.size();
  facts.inputs = tensor_facts(model.graph(), model.graph().inputs);
  facts.outputs = tensor_facts(model.graph(), model.graph().outputs);
  return facts;
}

void number_blocks(Analysis& a) {
  for (const auto& name : zoo::block_names(*a.model, a.layers, a.edges))
    a.blocks.push_back(name ? text(*name) : "");
}

}  // namespace

std::optional<std::int64_t> Analysis::alive_at(const Layer& layer) const {
  std::optional<std::int64_t> most;
  if (!alive.empty())
    for (std::uint32_t index : layers.nodes_of(layer)) most = std::max(most, alive[index].number());
  return most;
}

namespace {

Result<Analysis> counted(const Model& model, const AnalysisOptions& options, Liveness& liveness) {
  Costs costs = count(model, {.load_work = options.load_work, .as_stored = options.as_stored});
  // Before there is anything else, since it takes as much memory as all that follows.
  liveness = needed_liveness(model, costs, options);
  Layers layers = find_layers(model, costs);
  LayerEdges edges(model, costs, layers);
  Analysis a{.model = &model,
             .convention = options.convention,
             .energy_model = options.energy_model,
             .load_work = options.load_work,
             .limit = options.limit,
             .costs = std::move(costs),
             .layers = std::move(layers),
             .edges = std::move(edges)};
  if (auto status = count_figures(a, options); !status) return failure(status);
  return a;
}

// Work on constants is what the figures with it have more than those without. Any convention can
// tell it this way.
Status find_load_work(Analysis& a, AnalysisOptions options) {
  a.has |= Need::LoadWork;
  if (!a.costs.has_load_work) return {};
  options.load_work = !options.load_work;
  options.needs = Needs::counted();
  Liveness same;
  auto other = counted(*a.model, options, same);
  if (!other) return failure(other);
  fill_nodes(a);
  fill_nodes(*other);
  const auto set = [&](Shared<Figures>& own, const Figures& others) {
    const Amount macs = own->macs - others.macs, flops = own->flops - others.flops;
    if (macs.is(0) && flops.is(0)) return;  // what they are if nobody sets them
    own.edit().load_macs = a.load_work ? macs : Amount(0) - macs;
    own.edit().load_flops = a.load_work ? flops : Amount(0) - flops;
  };
  for (std::size_t i = 0; i < a.by_layer.size(); ++i) set(a.by_layer[i], other->by_layer[i]);
  for (std::size_t i = 0; i < a.by_node.size(); ++i) set(a.by_node[i], other->by_node[i]);
  return {};
}

}  // namespace

Result<Analysis> analyse(const Model& model, const Inference& inference,
                         const AnalysisOptions& options) {
  const FormulaScope scope(model.file_bytes, options.limit);
  Liveness liveness;
  auto analysis = counted(model, options, liveness);
  if (!analysis) return analysis;
  Analysis& a = *analysis;
  if (auto status = find_load_work(a, options); !status) return failure(status);
  if (auto status = find_memory(a, options, std::move(liveness)); !status) return failure(status);
  if (options.in_depth && a.convention == "strata") a.has |= Need::Formulas;
  number_blocks(a);
  a.facts = model_facts(model, options.needs);
  a.symbols = inference.symbols;
  std::vector<std::string>& notes = a.costs.notes;
  notes.insert(notes.end(), inference.notes.begin(), inference.notes.end());
  const bool is_said = std::find(notes.begin(), notes.end(), kFormulasOverLimit) != notes.end();
  if (scope.is_over_limit() && !is_said) notes.emplace_back(kFormulasOverLimit);
  return analysis;
}

Result<Analysis> analyse_for(const Model& model, const Inference& inference,
                             const ProfileOptions& options) {
  AnalysisOptions counting = options;
  if (!options.layout.empty()) {
    const auto layout = find_layout(options.layout);
    if (!layout) return failure(layout);
    counting.convention = (*layout)->convention;
  }
  auto analysis = analyse(model, inference, counting);
  if (analysis) attach(*analysis, options);
  return analysis;
}

}  // namespace strata
