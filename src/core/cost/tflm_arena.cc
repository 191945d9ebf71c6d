#include "strata/cost/tflm_arena.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "base/shortened.h"
#include "ops/registry.h"
#include "ops/tflite_table.h"
#include "ops/tflm.h"

namespace strata {

namespace {

constexpr std::int64_t kAlignment = 16;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// The lifetimes of tensors: operators are steps, counted from 1, through all subgraphs.
class Lifetimes {
 public:
  Lifetimes(const Model& model, TflmArena& arena, bool as_int8)
      : model_(model), arena_(arena), as_int8_(as_int8) {
    for (const Graph& graph : model.graphs) {
      first_of_[&graph] = buffers_.size();
      buffers_.resize(buffers_.size() + graph.tensors.size());
      constant_.resize(buffers_.size(), false);
      while (same_as_.size() < buffers_.size()) same_as_.push_back(same_as_.size());
      for (TensorId id = 0; id < graph.tensors.size(); ++id)
        constant_[place(graph, id)] = graph.tensors[id].role == Role::Initializer;
    }
    offsets_.resize(buffers_.size(), kPlannedLater);
    layers_.emplace_back();
    is_fused_.resize(buffers_.size(), false);
    if (as_int8_) count_readers();
  }

  Status read() {
    if (auto status = as_int8_ ? Status() : read_offline_plan(); !status) return status;
    if (auto status = walk(model_.graph()); !status) return status;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (buffers_[i].first >= 0 && buffers_[i].bytes > 0) arena_.buffers.push_back(buffers_[i]);
    // Those of operators come after all tensors.
    arena_.buffers.insert(arena_.buffers.end(), scratch_.begin(), scratch_.end());
    arena_.operators = operators_;
    arena_.kinds = static_cast<std::int64_t>(kinds_.size());
    return {};
  }
  std::string_view layer_at(std::int64_t step) const {
    return layers_[static_cast<std::size_t>(step)];
  }
  std::int64_t steps() const { return step_; }

 private:
  std::size_t place(const Graph& graph, TensorId id) const {
    return same_as_[first_of_.at(&graph) + id];
  }

  // Offsets that the file states. State is in the head if it has one, and otherwise in the tail.
  Status read_offline_plan() {
    for (const KeyValue& entry : model_.metadata) {
      if (entry.key != kOfflinePlan) continue;
      if (entry.value.size() != offsets_.size() * sizeof(std::int32_t))
        return failure(
            "the arena cannot be planned, because the offline plan in the file is for another "
            "number of tensors; TFLite Micro refuses such a file");
      // A network without tensors has an empty plan, and memcpy takes no null pointers.
      if (!offsets_.empty()) std::memcpy(offsets_.data(), entry.value.data(), entry.value.size());
      if (std::any_of(offsets_.begin(), offsets_.end(), [](auto at) { return at < kPlannedLater; }))
        return failure(
            "the arena cannot be planned, because the offline plan in the file has a negative "
            "offset");
    }
    for (const Graph& graph : model_.graphs)
      for (TensorId id = 0; id < graph.tensors.size(); ++id) {
        const TensorData* data = graph.tensors[id].data;
        const std::size_t at = place(graph, id);
        if (offsets_[at] == kPlannedLater || data == nullptr || !is_state(*data)) continue;
        constant_[at] = false;
        if (auto status = make(graph, id); !status) return status;
      }
    return {};
  }
  static bool is_state(const TensorData& data) {
    return data.store == TensorData::Store::Absent && data.learned == Learned::No;
  }

  void count_readers() {
    readers_.resize(buffers_.size(), 0);
    for (const Graph& graph : model_.graphs) {
      for (const Node& node : graph.nodes)
        for (const TensorId id : node.inputs)
          if (id != kNone) ++readers_[place(graph, id)];
      for (const TensorId id : graph.outputs)
        if (id != kNone) ++readers_[place(graph, id)];
    }
  }

  // True if the converter for int8 puts this node into the product or sum before it, so that its
  // output is that one's: a norm with stored statistics, or a bound.
  bool fuses(const Graph& graph, const Node& node) {
    if (node.inputs.empty() || node.outputs.empty() || node.inputs[0] == kNone ||
        node.outputs[0] == kNone)
      return false;
    const Traits& traits = traits_of(node);
    const bool is_norm = traits.norm.how == Normalizes::ByStatistics;
    const bool is_bound = traits.op == Op::Relu || traits.clamp.is;
    const std::size_t from = place(graph, node.inputs[0]);
    if ((!is_norm && !is_bound) || readers_[from] != 1) return false;
    const NodeId producer = graph.tensors[node.inputs[0]].producer;
    if (producer == kNone || producer >= graph.nodes.size()) return false;
    const Traits& before = traits_of(graph.nodes[producer]);
    const bool is_product = before.product == Product::Conv ||
                            before.product == Product::ConvTranspose ||
                            before.product == Product::Gemm || before.product == Product::MatMul;
    if (!is_product && !is_fused_[from] && !(is_bound && before.op == Op::Add)) return false;
    const std::size_t to = place(graph, node.outputs[0]);
    same_as_[to] = from;
    readers_[from] = readers_[to];
    is_fused_[from] = true;
    return true;
  }

  Result<std::int64_t> bytes_of(const Tensor& tensor) const {
    const TypeInfo& type = tensor.type;
    DType dtype = type.dtype;
    if (as_int8_ && is_float(dtype)) dtype = DType::I8;
    const Expr size = type.ranked ? bytes(elements(type.dims), dtype) : Expr::unknown();
    if (const auto number = size.number()) return *number;
    const std::string sentence = fmt::format(
        "the arena cannot be planned, because the size of {} is {}",
        tensor.name.empty() ? "a tensor" : fmt::format("\"{}\"", shortened(tensor.name)),
        size.is_formula() ? "open: " + size.text() : "unknown");
    return size.is_formula() ? failure(Code::OpenSizes, {}, sentence) : failure(sentence);
  }

  Status make(const Graph& graph, TensorId id) {
    if (id == kNone || constant_[place(graph, id)]) return {};
    TflmBuffer& buffer = buffers_[place(graph, id)];
    if (buffer.first >= 0 && !buffer.name.empty()) return {};
    const auto size = bytes_of(graph.tensors[id]);
    if (!size) return failure(size);
    buffer.name = graph.tensors[id].name;
    buffer.bytes = *size;
    buffer.first = buffer.last = step_;
    if (const std::int32_t offset = offsets_[place(graph, id)]; offset != kPlannedLater) {
      buffer.offset = offset;
      buffer.is_fixed = true;
    }
    return {};
  }
  void use(const Graph& graph, TensorId id) {
    if (id != kNone) buffers_[place(graph, id)].last = step_;
  }

  void look_at(const Graph& graph, const Node& node) {
    kinds_.insert(node.op);
    if (as_int8_) return;
    const bool known = node.domain == kTflite && has_tflm_kernel(node.op);
    if (!known) missing_.insert(std::string(node.op));
    for (const TensorId id : node.inputs) {
      const TensorData* data = id == kNone ? nullptr : graph.tensors[id].data;
      if (data == nullptr) continue;
      if (data->dtype == DType::F16) missing_.insert("DEQUANTIZE of float16 weights");
      if (data->store == TensorData::Store::Sparse) missing_.insert("DENSIFY of sparse weights");
    }
    arena_.without_kernel.assign(missing_.begin(), missing_.end());
  }

  Status walk(const Graph& graph) {
    for (const TensorId id : graph.inputs)
      if (auto status = make(graph, id); !status) return status;
    for (const Node& node : graph.nodes) {
      const NodeView view(graph, node);
      const bool is_constant =
          !node.inputs.empty() && std::all_of(node.inputs.begin(), node.inputs.end(), [&](auto id) {
            return id == kNone || constant_[place(graph, id)];
          });
      if ((is_constant && as_int8_) || makes_handles(view)) {
        for (const TensorId id : node.outputs)
          if (id != kNone) constant_[place(graph, id)] = true;
        if (as_int8_) continue;  // it is computed when the network is converted
      }
      if (as_int8_ && fuses(graph, node)) continue;
      ++step_;
      layers_.push_back(node.name.empty() ? node.op : node.name);
      look_at(graph, node);
      const std::int64_t own = step_;
      for (const TensorId id : node.outputs)
        if (auto status = make(graph, id); !status) return status;
      ++operators_;
      for (const Attribute& attribute : node.attributes)
        if (const auto* body = std::get_if<Graph*>(&attribute.value);
            body != nullptr && *body != nullptr) {
          ++step_;  // what one body returns is not alive in the next
          layers_.push_back(layers_.back());
          if (auto status = walk(**body); !status) return status;
        }
      for (const TensorId id : node.inputs) use(graph, id);
      for (const TensorId id : node.outputs) use(graph, id);
      if (as_int8_) continue;
      const TflmScratch scratch = tflm_scratch(view);
      arena_.is_exact = arena_.is_exact && scratch.is_known;
      for (const std::int64_t size : scratch.bytes)
        scratch_.push_back({layers_.back(), size, 0, own, step_, true});
    }
    for (const TensorId id : graph.outputs) use(graph, id);
    return {};
  }

  const Model& model_;
  TflmArena& arena_;
  const bool as_int8_;
  std::unordered_map<const Graph*, std::size_t> first_of_;
  std::vector<TflmBuffer> buffers_, scratch_;
  std::vector<bool> constant_;
  std::vector<std::int32_t> offsets_;  // in an offline plan
  std::vector<std::size_t> same_as_;   // the buffer of each tensor
  std::vector<bool> is_fused_;         // buffers that a later node changes
  std::vector<std::int64_t> readers_;
  std::vector<std::string_view> layers_;  // by step
  std::set<std::string_view> kinds_;
  std::set<std::string> missing_;
  std::int64_t step_ = 0, operators_ = 0;
};

bool meet(const TflmBuffer& a, const TflmBuffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

std::int64_t first_gap(std::span<TflmBuffer* const> placed, const TflmBuffer& buffer) {
  std::int64_t at = 0;
  for (const TflmBuffer* other : placed) {
    if (!meet(buffer, *other)) continue;
    if (other->offset - at >= aligned(buffer.bytes)) break;
    at = std::max(at, other->offset + aligned(other->bytes));
  }
  return at;
}

// Those that the file places come first; then the largest, and of two of one size the later.
void place_all(TflmArena& arena) {
  std::vector<TflmBuffer*> order;
  for (TflmBuffer& buffer : arena.buffers) order.push_back(&buffer);
  std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [](const TflmBuffer* a, const TflmBuffer* b) {
    if (a->is_fixed || b->is_fixed) return a->is_fixed && !b->is_fixed;
    return aligned(a->bytes) > aligned(b->bytes);
  });
  std::vector<TflmBuffer*> placed;  // by offset
  for (TflmBuffer* buffer : order) {
    const std::int64_t wanted = aligned(buffer->bytes);
    if (!buffer->is_fixed) buffer->offset = first_gap(placed, *buffer);
    arena.head_bytes = std::max(arena.head_bytes, buffer->offset + wanted);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), buffer,
                                   [](const TflmBuffer* a, const TflmBuffer* b) {
                                     return a->offset < b->offset;
                                   }),
                  buffer);
  }
}

void find_peak(TflmArena& arena, const Lifetimes& lifetimes) {
  std::vector<std::int64_t> change(static_cast<std::size_t>(lifetimes.steps()) + 2, 0);
  for (const TflmBuffer& buffer : arena.buffers) {
    change[static_cast<std::size_t>(buffer.first)] += aligned(buffer.bytes);
    change[static_cast<std::size_t>(buffer.last) + 1] -= aligned(buffer.bytes);
  }
  std::int64_t alive = 0, peak = 0;
  for (std::int64_t step = 0; step <= lifetimes.steps(); ++step) {
    alive += change[static_cast<std::size_t>(step)];
    if (alive > arena.alive_bytes) arena.alive_bytes = alive, peak = step;
  }
  arena.peak_layer = lifetimes.layer_at(peak);
  for (const TflmBuffer& buffer : arena.buffers)
    if (buffer.first <= peak && peak <= buffer.last) arena.at_peak.push_back(buffer);
  std::stable_sort(arena.at_peak.begin(), arena.at_peak.end(),
                   [](const TflmBuffer& a, const TflmBuffer& b) { return a.bytes > b.bytes; });
}

// A structure for each tensor and for each operator, and one for each input and output of the
// network.
void count_structures(const Model& model, TflmArena& arena) {
  std::int64_t tensors = 0, ends = 0;
  for (const Graph& graph : model.graphs)
    for (const Tensor& tensor : graph.tensors) tensors += tensor.type->ranked ? 1 : 0;
  ends = static_cast<std::int64_t>(model.graph().inputs.size() + model.graph().outputs.size());
  arena.structure_bytes = tensors * 12 + arena.operators * 32 + ends * 40;
}

}  // namespace

Result<TflmArena> plan_tflm_arena(const Model& model) {
  TflmArena arena;
  arena.is_estimate = model.opsets.empty() || model.opsets.front().domain != kTflite;
  Lifetimes lifetimes(model, arena, arena.is_estimate);
  if (auto status = lifetimes.read(); !status) return failure(status);
  place_all(arena);
  find_peak(arena, lifetimes);
  count_structures(model, arena);
  return arena;
}

}  // namespace strata
