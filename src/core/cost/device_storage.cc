#include "cost/device_storage.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "cost/known_bodies.h"
#include "cost/torch_view.h"
#include "ops/aten_table.h"

namespace strata {

namespace {

constexpr std::int64_t kMaxSum = std::int64_t{1} << 60;

constexpr TensorId kStored = kNone - 1;  // weights, and what is computed from them at load

constexpr std::int64_t kIndexBytes = 8;

bool is_max_pool(const Node& node) {
  return (node.domain.empty() || node.domain == kAten) && traits_of(node).op == Op::MaxPool &&
         (node.outputs.size() < 2 || node.outputs[1] == kNone);
}

// Modules of these kinds are one kernel, however many operators a file uses for them.
bool is_one_kernel(LayerKind kind) {
  switch (kind) {
    case LayerKind::Other:
    case LayerKind::Unknown:
    case LayerKind::Recurrent:
    case LayerKind::Attention:
    case LayerKind::MatMul:
    case LayerKind::Elementwise:
      return false;
    default:
      return true;
  }
}

// Activations that common networks run in place.
bool usually_in_place(LayerKind kind) {
  return kind == LayerKind::ReLU || kind == LayerKind::ReLU6 || kind == LayerKind::LeakyReLU ||
         kind == LayerKind::Hardswish || kind == LayerKind::SiLU;
}

class Finder {
 public:
  Finder(const Model& model, const Costs& costs, const Layers& layers, const CallTree& calls,
         const DeviceMemoryOptions& options)
      : model_(model),
        graph_(model.graph()),
        costs_(costs),
        layers_(layers),
        calls_(calls),
        options_(options),
        known_(find_known_bodies(model)),
        states_in_place_(std::any_of(graph_.nodes.begin(), graph_.nodes.end(), works_in_place)) {}

  Result<std::vector<Storage>> run() {
    find_layers_of_steps();
    find_readers();
    find_locals();
    for (std::uint32_t step = 0; step < costs_.nodes.size(); ++step)
      if (calls_.runs(step))
        if (auto status = add_outputs(step); !status) return failure(status);
    for (std::uint32_t step = 0; step < costs_.nodes.size(); ++step)
      if (calls_.runs(step))
        for (TensorId id : reads_[step]) hold_for(id, step);
    for (TensorId id : graph_.outputs)
      if (id != kNone && storage_[id] < kStored) storages_[storage_[id]].stays = true;
    return std::move(storages_);
  }

 private:
  void find_layers_of_steps() {
    layer_of_.resize(costs_.nodes.size(), kNone);
    last_step_.resize(layers_.list.size(), 0);
    only_inputs_.resize(layers_.list.size());
    for (std::uint32_t i = 0; i < layers_.list.size(); ++i)
      for (std::uint32_t step : layers_.nodes_of(layers_.list[i])) {
        layer_of_[step] = i;
        if (calls_.runs(step)) last_step_[i] = std::max(last_step_[i], step);
      }
  }

  // The tensors that a step takes: its inputs, and what its bodies capture.
  std::vector<TensorId> reads_at(std::uint32_t step) const {
    const Node& node = costs_.nodes[step].get();
    std::vector<TensorId> reads;
    for (TensorId id : node.inputs)
      if (id != kNone)
        reads.push_back(costs_.quantized.read_by(graph_, costs_.nodes[step].node, id));
    for (const Attribute& attribute : node.attributes) {
      const auto* body = std::get_if<Graph*>(&attribute.value);
      if (body == nullptr || *body == nullptr) continue;
      for (const Tensor& tensor : (*body)->tensors)
        if (tensor.role == Role::Captured && tensor.outer != kNone) reads.push_back(tensor.outer);
    }
    return reads;
  }

  void find_readers() {
    const std::size_t count = graph_.tensors.size();
    made_at_.resize(count, kNone);
    last_read_.resize(count, 0);
    leaves_.resize(count, false);
    ordered_.resize(count, true);
    storage_.resize(count, kNone);
    reads_.resize(costs_.nodes.size());
    for (TensorId id = 0; id < count; ++id)
      if (graph_.tensors[id].role == Role::Initializer) storage_[id] = kStored;
    for (std::uint32_t step = 0; step < costs_.nodes.size(); ++step) {
      const Executed& executed = costs_.nodes[step];
      if (executed.graph != &graph_) continue;
      for (TensorId id : executed.get().outputs) {
        if (id == kNone) continue;
        made_at_[id] = step;
        if (!calls_.runs(step)) storage_[id] = kStored;
      }
      if (!calls_.runs(step)) continue;
      reads_[step] = reads_at(step);
      for (TensorId id : reads_[step]) {
        last_read_[id] = std::max(last_read_[id], step);
        if (made_at_[id] == kNone || layer_of_[made_at_[id]] != layer_of_[step]) leaves_[id] = true;
      }
    }
    for (TensorId id : graph_.outputs)
      if (id != kNone) leaves_[id] = true, last_read_[id] = kNone;
    // The caller of the network holds its inputs.
    for (TensorId id : graph_.inputs)
      if (id != kNone) storage_[id] = kStored;
  }

  void find_locals() {
    locals_end_.resize(model_.scopes.size());
    for (ScopeId body = 0; body < model_.scopes.size(); ++body)
      if (known_[body] != nullptr && calls_.has_run(body))
        locals_end_[body].fill(calls_.end_of(body, calls_.exit_of(body).step));
    for (ScopeId scope = 1; scope < model_.scopes.size(); ++scope) {
      const ScopeId body = calls_.parent(scope);
      if (known_[body] == nullptr || !calls_.has_run(scope)) continue;
      for (std::size_t i = 0; i < locals_end_[body].size(); ++i)
        if (known_[body]->locals[i].until == model_.scopes[scope].name)
          locals_end_[body][i] = calls_.exit_of(scope);
    }
  }

  // The only tensor that a layer reads from outside itself; kNone if there are several. A layer may
  // have most of the network's steps, so its steps are walked once.
  TensorId only_input(const Layer& layer, std::uint32_t index) {
    auto& known = only_inputs_[index];
    if (!known) known = find_only_input(layer, index);
    return *known;
  }

  TensorId find_only_input(const Layer& layer, std::uint32_t index) const {
    TensorId found = kNone;
    for (std::uint32_t step : layers_.nodes_of(layer))
      for (TensorId id : reads_[step]) {
        const bool own = made_at_[id] != kNone && layer_of_[made_at_[id]] == index;
        if (own || is_stored(id) || id == found) continue;
        if (found != kNone) return kNone;
        found = id;
      }
    return found;
  }

  // True for a weight or a constant; inputs of the network are neither.
  bool is_stored(TensorId id) const {
    return storage_[id] == kStored && graph_.tensors[id].role != Role::Input;
  }

  // The tensor whose memory a layer overwrites with its output; kNone: it has its own.
  TensorId overwritten(std::uint32_t step) {
    const std::uint32_t index = layer_of_[step];
    const Layer& layer = layers_.list[index];
    TensorId into = kNone;
    const Node& node = costs_.nodes[step].get();
    const ScopeId around = layer.functional ? layer.scope : calls_.parent(layer.scope);
    const KnownBody* body = around == kNone ? nullptr : known_[around];
    if (!options_.in_place) return kNone;
    const bool keeps_input =
        layer.kind == LayerKind::ReLU && body != nullptr && !body->relu_in_place;
    if (states_in_place_)
      into = works_in_place(node) && !node.inputs.empty() ? node.inputs[0] : kNone;
    else if (usually_in_place(layer.kind) && !keeps_input)
      into = only_input(layer, index);
    else if (layer.functional && body != nullptr && body->sums_in_place &&
             traits_of(node).op == Op::Add && !node.inputs.empty())
      into = node.inputs[0];
    if (into == kNone || storage_[into] >= kStored) return kNone;
    return storage_last_read_[storage_[into]] <= last_step_[index] ? into : kNone;
  }

  void share(TensorId id, std::uint32_t storage) {
    storage_[id] = storage;
    if (storage < kStored)
      storage_last_read_[storage] = std::max(storage_last_read_[storage], last_read_[id]);
  }

  Status make(TensorId id, std::uint32_t step) {
    auto size = device_bytes(graph_, id, costs_);
    if (!size) return failure(size);
    if ((sum_ += *size) > kMaxSum)
      return failure("the activations together are larger than can be counted");
    storage_[id] = static_cast<std::uint32_t>(storages_.size());
    const ScopeId scope = costs_.nodes[step].scope;
    const bool read = last_read_[id] != 0;  // a tensor that is never read is returned and dropped
    storages_.push_back(
        {id, *size, step, read ? calls_.end_of(scope, step) : calls_.exit_around(scope, step)});
    storage_last_read_.push_back(last_read_[id]);
    return {};
  }

  Status add_outputs(std::uint32_t step) {
    const Executed& executed = costs_.nodes[step];
    const Node& node = executed.get();
    const Layer& layer = layers_.list[layer_of_[step]];
    const bool one_kernel = layer.count > 1 && is_one_kernel(layer.kind);
    const TensorId first = node.inputs.empty() ? kNone : node.inputs[0];
    TorchView view = torch_view(graph_, node, first == kNone || ordered_[first]);
    if (costs_.quantized.passes(graph_, executed.node)) view = {true, ordered_[first]};
    const TensorId into = overwritten(step);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNone || graph_.tensors[id].type->dtype == DType::String) continue;
      ordered_[id] = view.ordered;
      const bool is_mask = i > 0 && traits_of(node).op == Op::Dropout;
      if (view.shares && !is_mask && storage_[first] != kNone) {
        share(id, storage_[first]);
      } else if (one_kernel && !leaves_[id]) {
        continue;  // never in memory
      } else if (into != kNone && fits(id, into)) {
        share(id, storage_[into]);
      } else if (auto status = make(id, step); !status) {
        return status;
      }
    }
    if (is_max_pool(node) && !storages_.empty() && storages_.back().born == step)
      make_indices(executed, step);
    return {};
  }

  // PyTorch computes the position of each maximum even if nobody asks for it.
  void make_indices(const Executed& executed, std::uint32_t step) {
    const TensorId id = executed.get().outputs[0];
    const auto count = elements(graph_.tensors[id].type->dims).number();
    if (!count) return;
    sum_ += *count * kIndexBytes;
    storages_.push_back({id, *count * kIndexBytes, step, calls_.end_of(executed.scope, step)});
    storage_last_read_.push_back(0);
  }

  bool fits(TensorId id, TensorId into) const {
    const auto size = device_bytes(graph_, id, costs_);
    return size && *size == storages_[storage_[into]].bytes;
  }

  void hold_for(TensorId id, std::uint32_t step) {
    if (storage_[id] >= kStored || made_at_[id] == kNone) return;
    const Executed& made = costs_.nodes[made_at_[id]];
    const ScopeId reader = costs_.nodes[step].scope;
    Moment end;
    if (options_.calls_hold_inputs) {
      const CallTree::Use use = calls_.use_of(made.scope, reader, step);
      end = use.end;
      if (const KnownBody* body = known_[use.body]) {
        const std::string_view maker =
            use.giver == kNone ? made.get().op : model_.scopes[use.giver].name;
        for (std::size_t i = 0; i < locals_end_[use.body].size(); ++i)
          if (body->locals[i].made_by == maker) end = std::max(end, locals_end_[use.body][i]);
      }
    } else if (layer_of_[made_at_[id]] == layer_of_[step]) {
      end = calls_.end_of(reader, step);
    } else {
      end = calls_.exit_around(reader, step);
    }
    Moment& dies = storages_[storage_[id]].dies;
    dies = std::max(dies, end);
  }

  const Model& model_;
  const Graph& graph_;
  const Costs& costs_;
  const Layers& layers_;
  const CallTree& calls_;
  const DeviceMemoryOptions& options_;
  // Indexed by scope.
  std::vector<const KnownBody*> known_;
  // Programs as they were written say what works in place. Those without such an operator may have
  // been rewritten without it, as torch does before it decomposes operators.
  const bool states_in_place_;
  std::vector<std::array<Moment, std::size(KnownBody{}.locals)>> locals_end_;
  // Indexed by step.
  std::vector<std::uint32_t> layer_of_;
  std::vector<std::vector<TensorId>> reads_;
  // Indexed by layer.
  std::vector<std::uint32_t> last_step_;
  std::vector<std::optional<TensorId>> only_inputs_;  // once they are needed
  // Indexed by tensor.
  std::vector<std::uint32_t> made_at_, last_read_;  // steps; kNone: an output of the network
  std::vector<bool> leaves_;                        // it leaves its layer
  std::vector<bool> ordered_;                       // contiguous in memory
  std::vector<std::uint32_t> storage_;              // index into storages_; kNone: it has none
  std::vector<Storage> storages_;
  std::vector<std::uint32_t> storage_last_read_;
  std::int64_t sum_ = 0;
};

}  // namespace

Result<std::int64_t> device_bytes(const Graph& graph, TensorId id, const Costs& costs) {
  const Tensor& tensor = graph.tensors[id];
  const Expr size = costs.quantized.bytes_of(graph, id);
  if (size.is_unknown())
    return failure(fmt::format("device memory needs every size, but that of \"{}\" is not known",
                               tensor.name));
  const auto number = size.number();
  if (!number)
    return failure(
        Code::OpenSizes,
        {.name = std::string(tensor.name), .found = size.text(), .detail = "device memory"});
  if (*number > kMostDeviceBytes)
    return failure(fmt::format("\"{}\" has {} bytes, more than any device", tensor.name, *number));
  return *number;
}

Result<std::vector<Storage>> find_storages(const Model& model, const Costs& costs,
                                           const Layers& layers, const CallTree& calls,
                                           const DeviceMemoryOptions& options) {
  return Finder(model, costs, layers, calls, options).run();
}

}  // namespace strata
