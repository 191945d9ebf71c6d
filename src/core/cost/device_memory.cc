#include "strata/cost/device_memory.h"

#include <algorithm>

#include "cost/caching_allocator.h"
#include "cost/device_storage.h"

namespace strata {

namespace {

// Runs forward passes one after another against one allocator.
class Walk {
 public:
  Walk(const Model& model, const Costs& costs, const Layers& layers,
       const DeviceMemoryOptions& options)
      : model_(model),
        costs_(costs),
        layers_(layers),
        options_(options),
        calls_(model, costs),
        pool_(options.allocator),
        elsewhere_(options.allocator) {}

  Result<DeviceMemory> run() {
    if (auto status = load(); !status) return failure(status);
    auto storages = find_storages(model_, costs_, layers_, calls_, options_);
    if (!storages) return failure(storages);
    storages_ = std::move(*storages);
    plan();
    for (int i = 0; i < options_.forwards; ++i) forward();
    result_.peak_allocated = pool_.peak_allocated() + elsewhere_.peak_allocated();
    result_.peak_reserved = pool_.reserved() + elsewhere_.reserved();
    add_notes();
    return std::move(result_);
  }

 private:
  enum class Do : std::uint8_t { MeasureLayer, MeasureScope, Free };  // in this order
  struct Ending {
    Moment at;
    Do what;
    std::uint32_t id;  // of a layer, scope or storage
  };

  Status load() {
    CachingAllocator& pool = options_.weights_in_pool ? pool_ : elsewhere_;
    auto sizes = stored_sizes(model_, costs_);
    if (!sizes) return failure(sizes);
    std::int64_t sum = 0;
    for (std::int64_t bytes : *sizes) {
      if (bytes > kMostDeviceBytes || (sum += bytes) > kMostDeviceBytes)
        return failure("the weights together are larger than any device");
      pool.allocate(bytes);
    }
    result_.weights = pool.allocated();
    for (TensorId id : model_.graph().inputs) {
      if (id == kNone) continue;
      auto bytes = device_bytes(model_.graph(), id, costs_);
      if (!bytes) return failure(bytes);
      pool.allocate(*bytes);
    }
    result_.inputs = pool.allocated() - result_.weights;
    base_ = pool_.allocated();
    return {};
  }

  // Lists what happens after each step, in order.
  void plan() {
    for (std::uint32_t i = 0; i < storages_.size(); ++i)
      if (!storages_[i].stays) endings_.push_back({storages_[i].dies, Do::Free, i});
    for (ScopeId scope = 0; scope < model_.scopes.size(); ++scope)
      if (calls_.has_run(scope))
        endings_.push_back({calls_.exit_of(scope), Do::MeasureScope, scope});
    layer_of_.resize(costs_.nodes.size(), kNone);
    for (std::uint32_t i = 0; i < layers_.list.size(); ++i) {
      std::uint32_t last = kNone;
      for (std::uint32_t step : layers_.nodes_of(layers_.list[i]))
        if (calls_.runs(step)) layer_of_[step] = i, last = step;
      if (last != kNone)
        endings_.push_back({calls_.exit_around(layers_.list[i].scope, last), Do::MeasureLayer, i});
    }
    std::stable_sort(endings_.begin(), endings_.end(), [](const Ending& a, const Ending& b) {
      return a.at == b.at ? a.what < b.what : a.at < b.at;
    });
  }

  std::int64_t above_base() const { return pool_.allocated() - base_; }

  static void measure(std::optional<CallMemory>& call, std::int64_t now) {
    if (!call) return;
    call->at_exit = now;
    call->alloc = now - call->net;
  }

  void enter(std::uint32_t step) {
    const CallMemory now{above_base(), 0, 0};
    for (ScopeId scope = costs_.nodes[step].scope; scope != kNone && !result_.scopes[scope];
         scope = calls_.parent(scope))
      result_.scopes[scope] = now;
    auto& layer = result_.layers[layer_of_[step]];
    if (!layer) layer = now;
  }

  void forward() {
    result_.layers.assign(layers_.list.size(), std::nullopt);
    result_.scopes.assign(model_.scopes.size(), std::nullopt);
    std::vector<CachingAllocator::BlockId> blocks(storages_.size(), kNone);
    std::size_t born = 0, ended = 0;
    for (std::uint32_t step = 0; step < costs_.nodes.size(); ++step) {
      if (!calls_.runs(step)) continue;
      enter(step);
      const std::int64_t peak = pool_.peak_allocated();
      for (; born < storages_.size() && storages_[born].born == step; ++born)
        blocks[born] = pool_.allocate(storages_[born].bytes);
      if (pool_.peak_allocated() > peak) result_.peak_layer = layer_of_[step];
      for (; ended < endings_.size() && endings_[ended].at.step <= step; ++ended) {
        const Ending& ending = endings_[ended];
        if (ending.what == Do::MeasureLayer) measure(result_.layers[ending.id], above_base());
        if (ending.what == Do::MeasureScope) measure(result_.scopes[ending.id], above_base());
        if (ending.what == Do::Free) pool_.release(blocks[ending.id]);
      }
    }
    for (std::uint32_t i = 0; i < storages_.size(); ++i)
      if (storages_[i].stays) pool_.release(blocks[i]);
    result_.left = above_base();
  }

  void add_notes() {
    result_.notes.emplace_back(
        "device memory is that of PyTorch's caching allocator in an eager run without gradients; "
        "workspaces, library handles, the device's context and other streams are left out");
    result_.notes.emplace_back(
        "a module's body is taken to rebind its variables, activations such as ReLU to work in "
        "place where nobody reads their input afterwards, and modules to be registered in the "
        "order the file has them");
    if (model_.scopes.size() == 1)
      result_.notes.emplace_back(
          "the file names no modules: each operator is taken as a call of its own");
    if (model_.graphs.size() > 1)
      result_.notes.emplace_back("device memory inside of loops and branches is left out");
  }

  const Model& model_;
  const Costs& costs_;
  const Layers& layers_;
  const DeviceMemoryOptions& options_;
  CallTree calls_;
  CachingAllocator pool_, elsewhere_;
  std::vector<Storage> storages_;
  std::vector<Ending> endings_;
  std::vector<std::uint32_t> layer_of_;  // indexed by step; kNone: does not run
  std::int64_t base_ = 0;
  DeviceMemory result_;
};

}  // namespace

Result<DeviceMemory> simulate_device(const Model& model, const Costs& costs, const Layers& layers,
                                     const DeviceMemoryOptions& options) {
  return Walk(model, costs, layers, options).run();
}

}  // namespace strata
