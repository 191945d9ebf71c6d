#include "profile/analyse.h"

#include <fmt/format.h>

#include "base/shortened.h"
#include "strata/cost/liveness.h"
#include "strata/cost/recorded_memory.h"

namespace strata {

namespace {

constexpr std::int64_t kAlignment = 64;  // bytes; a cache line, and what SIMD loads want

// For each node of the network's own graph, the layer it belongs to.
std::vector<std::uint32_t> layers_of_nodes(const Analysis& a) {
  std::vector<std::uint32_t> layer_of(a.model->graph().nodes.size(), kNone);
  for (std::uint32_t i = 0; i < a.layers.list.size(); ++i)
    for (std::uint32_t index : a.layers.nodes_of(a.layers.list[i]))
      if (const Executed& executed = a.costs.nodes[index]; executed.graph == &a.model->graph())
        layer_of[executed.node] = i;
  return layer_of;
}

std::string path_of(const Analysis& a, std::uint32_t layer) {
  return layer == kNone ? std::string() : layer_path(*a.model, a.costs, a.layers.list[layer]);
}

// In a simulated run on a device, or in the run that was recorded.
Status find_device(Analysis& a, std::string_view wanted) {
  auto device = wanted == kRecorded ? recorded_device(*a.model, a.costs, a.layers)
                                    : simulate_device(*a.model, a.costs, a.layers);
  if (!device) return failure(device);
  a.device = std::move(*device);
  a.device_facts = DeviceFacts{std::string(wanted),     a.device->weights,
                               a.device->inputs,        a.device->peak_allocated,
                               a.device->peak_reserved, path_of(a, a.device->peak_layer)};
  a.has |= Need::CudaMemory;
  return {};
}

bool is_planned(const AnalysisOptions& options) {
  return options.arena || options.device_memory == kArena;
}
bool has_alive(const AnalysisOptions& options) {
  return options.in_depth || options.device_memory == kArena;
}

// `alive` is by node of the network's own graph.
void find_alive(Analysis& a, std::vector<Expr> alive) {
  a.has |= Need::Alive;
  if (a.model->graphs.size() == 1) {  // the nodes that run are those of the graph
    a.alive = std::move(alive);
    return;
  }
  a.alive.resize(a.costs.nodes.size(), Expr::unknown());
  for (std::size_t i = 0; i < a.costs.nodes.size(); ++i)
    if (a.costs.nodes[i].graph == &a.model->graph()) a.alive[i] = alive[a.costs.nodes[i].node];
}

// Names of the layers at which the nodes of the network's own graph are.
class LayerNames {
 public:
  explicit LayerNames(const Analysis& a) : a_(a), layer_of_(layers_of_nodes(a)) {}
  std::string at(NodeId node) const {
    return node < layer_of_.size() ? path_of(a_, layer_of_[node]) : std::string();
  }

 private:
  const Analysis& a_;
  std::vector<std::uint32_t> layer_of_;
};

void find_peak(Analysis& a, const Liveness& liveness, const LayerNames& layers) {
  a.memory.peak_bytes = liveness.peak_bytes;
  a.memory.certainty = liveness.certainty;
  a.memory.peak_layer = layers.at(liveness.peak_node);
  if (a.costs.dequantizes)
    a.memory.reading = a.costs.quantized.empty() ? Profile::kAsStored : Profile::kIntegers;
  const auto& tensors = a.model->graph().tensors;
  for (const Lifetime& life : liveness.at_peak) {
    const Tensor& tensor = tensors[life.tensor];
    std::string made_by = tensor.producer == kNone ? std::string() : layers.at(tensor.producer);
    a.memory.at_peak.push_back({shortened(tensor.name), std::move(made_by), life.bytes});
  }
}

Status plan(Analysis& a, const Liveness& liveness, const LayerNames& layers, bool listed) {
  auto plan = plan_arena(*a.model, liveness, kAlignment);
  if (!plan) return failure(plan);
  ArenaLayout& arena = a.arena.emplace();
  arena.bytes = plan->bytes;
  arena.bound = plan->bound;
  arena.alignment = kAlignment;
  arena.listed = listed;
  const auto& tensors = a.model->graph().tensors;
  for (const ArenaPlan::Block& block : plan->blocks) {
    const bool is_input = tensors[block.tensor].producer == kNone;
    arena.blocks.push_back({shortened(tensors[block.tensor].name),
                            is_input ? std::string() : layers.at(block.first),
                            layers.at(block.last), block.offset, block.bytes});
  }
  return {};
}

}  // namespace

Liveness needed_liveness(const Model& model, const Costs& costs, const AnalysisOptions& options) {
  Liveness liveness = find_liveness(model, costs);
  if (!is_planned(options)) std::vector<Lifetime>().swap(liveness.lifetimes);
  if (!has_alive(options)) std::vector<Expr>().swap(liveness.alive);
  return liveness;
}

Status find_memory(Analysis& a, const AnalysisOptions& options, Liveness liveness) {
  const std::string& wanted = options.device_memory;
  const bool of_device = wanted == kPytorchCuda || wanted == kRecorded;
  if (!wanted.empty() && !of_device && wanted != kArena)
    return failure(fmt::format("there is no device memory \"{}\"; there are: {}, {}, {}", wanted,
                               kPytorchCuda, kRecorded, kArena),
                   ErrorKind::Usage);
  if (of_device)
    if (auto status = find_device(a, wanted); !status) return status;
  a.memory.phases = phase_peaks(*a.model);
  for (const auto& [path, bytes] : saved_by_module(*a.model))
    a.memory.saved.emplace_back(path, bytes);
  const LayerNames layers(a);
  find_peak(a, liveness, layers);
  if (is_planned(options))
    if (auto status = plan(a, liveness, layers, options.arena); !status) return status;
  if (has_alive(options)) find_alive(a, std::move(liveness.alive));
  return {};
}

}  // namespace strata
