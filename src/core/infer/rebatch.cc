#include "infer/rebatch.h"

#include <algorithm>

#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

bool has_bit(std::uint32_t bits, std::size_t slot) {
  return slot < 32 && ((bits >> slot) & 1) != 0;
}

// True if these are the sizes of that shape. 0 and -1 mean what they do in Reshape.
bool are_sizes_of(const Dims& dims, const std::vector<std::int64_t>& sizes) {
  return std::equal(
      dims.begin(), dims.end(), sizes.begin(), sizes.end(),
      [](const Expr& size, std::int64_t item) { return item == 0 || item == -1 || size.is(item); });
}

Expr product(const Dims& dims, std::size_t count) {
  Expr all = 1;
  for (std::size_t i = 0; i < count; ++i) all *= dims[i];
  return all;
}

}  // namespace

std::optional<std::int64_t> fixed_batch(const Graph& graph) {
  std::optional<std::int64_t> batch;
  for (const TensorId id : graph.inputs) {
    const Dims& dims = graph.tensors[id].type->dims;
    if (dims.empty()) continue;
    if (!dims[0].is_number()) return std::nullopt;
    if (!batch) batch = dims[0].value();
  }
  return batch;
}

Rebatch::Rebatch(Model& model, std::int64_t from, std::int64_t to)
    : model_(model), graph_(model.graph()), from_(from), to_(to) {
  before_.reserve(graph_.tensors.size());
  for (Tensor& tensor : graph_.tensors) {
    before_.push_back(tensor.type->dims);
    if (tensor.role != Role::Activation) continue;
    tensor.type = {};
    tensor.value = nullptr;
  }
  inside_.assign(graph_.tensors.size(), 1);
}

std::optional<Rebatch::Sizes> Rebatch::sizes_of(TensorId id) const {
  const Tensor& tensor = graph_.tensors[id];
  std::optional<Value> decoded;
  if (tensor.value == nullptr && tensor.data != nullptr) decoded = decode(*tensor.data);
  const Value* value = tensor.value != nullptr ? tensor.value : decoded ? &*decoded : nullptr;
  if (value == nullptr || value->dims.size() != 1 || !is_integer(value->type)) return std::nullopt;
  Sizes sizes;
  for (const Scalar& item : value->items) {
    const auto size = item.whole().number();
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<std::size_t> Rebatch::changed_axis(TensorId id) const {
  const Dims &old = before_[id], &now = graph_.tensors[id].type->dims;
  if (old.size() != now.size()) return std::nullopt;
  for (std::size_t axis = 0; axis < old.size(); ++axis)
    if (old[axis] != now[axis]) return axis;
  return std::nullopt;
}

// Counts how often the batch is repeated in the order of elements: the product of the axes outside.
std::optional<std::int64_t> Rebatch::outside(TensorId id) const {
  const auto axis = changed_axis(id);
  if (!axis) return std::nullopt;
  return (product(before_[id], *axis) * inside_[id]).number();
}

// A reshape keeps the order of elements, so the number of elements before the batch axis does not
// change. The batch may be an axis of its own, the outer part of one, or the inner part of the axis
// before. The last axis holds channels and is never the batch.
std::optional<std::size_t> Rebatch::axis_after_reshape(const Node& node) const {
  const auto behind = outside(node.inputs[0]);
  if (!behind) return std::nullopt;
  const Dims& made = before_[node.outputs[0]];
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < made.size(); ++axis) {
    if (product(made, axis).is(*behind)) {
      if (made[axis].is(from_)) return axis;
      if (!found || axis + 1 < made.size()) found = axis;
    }
    const auto through = product(made, axis + 1).number();
    if (!found && through && *through >= *behind) found = axis;
  }
  return found;
}

// Where in a list of sizes the batch is; nullopt: nowhere, or the list leaves that size open.
std::optional<std::size_t> Rebatch::batch_axis(const Node& node, const Sizes& sizes,
                                               bool reshapes) const {
  std::optional<std::size_t> axis;
  if (reshapes)
    axis = axis_after_reshape(node);
  else if (sizes.size() > 1 && sizes[0] == from_)
    axis = 0;  // the list names the axes of the input, whose first is the batch
  return axis && sizes[*axis] > 0 ? axis : std::nullopt;
}

void Rebatch::made(const Node& node) {
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  for (const TensorId output : node.outputs) {
    if (output == kNone) continue;
    const auto axis = changed_axis(output);
    if (!axis) continue;
    const Expr& size = before_[output][*axis];
    if (rule != nullptr && rule->view) {
      const auto behind = outside(node.inputs[0]),
                 before = product(before_[output], *axis).number();
      if (behind && before && *before > 0 && *behind % *before == 0)
        inside_[output] = *behind / *before;
      continue;
    }
    for (const TensorId input : node.inputs) {
      const auto own = input == kNone ? std::nullopt : changed_axis(input);
      if (own && before_[input][*own] == size) inside_[output] = inside_[input];
    }
  }
}

TensorId Rebatch::stored(TensorId like, const Sizes& sizes) {
  const std::int64_t count[] = {static_cast<std::int64_t>(sizes.size())};
  const std::span<const std::int64_t> items = model_.keep(std::span<const std::int64_t>(sizes));
  TensorData data;
  data.name = model_.keep(std::string(graph_.tensors[like].name) + "_batch_" +
                          std::to_string(graph_.tensors.size()));
  data.dtype = DType::I64;
  data.store = TensorData::Store::Raw;
  data.dims = model_.keep(std::span<const std::int64_t>(count));
  data.bytes = {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
  Tensor tensor;
  tensor.name = data.name;
  tensor.role = Role::Initializer;
  tensor.type = TypeInfo::tensor(DType::I64, {count[0]});
  tensor.data = &model_.stored.emplace_back(data);
  return add_tensor(std::move(tensor));
}

TensorId Rebatch::add_tensor(Tensor tensor) {
  graph_.tensors.push_back(std::move(tensor));
  before_.emplace_back();
  inside_.push_back(1);
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

void Rebatch::set_input(Node& node, std::size_t slot, TensorId id) {
  std::vector<TensorId> inputs(node.inputs.begin(), node.inputs.end());
  inputs[slot] = id;
  node.inputs = model_.keep(std::span<const TensorId>(inputs));
}

// True if it had one sample, and still has one though there are now several.
bool Rebatch::is_one_sample(TensorId id) const {
  const Dims &old = before_[id], &now = graph_.tensors[id].type->dims;
  return from_ == 1 && !old.empty() && old[0].is(1) && !now.empty() && now[0].is(1);
}

// A join along another axis than the batch's does not broadcast.
std::vector<Node> Rebatch::repeat_inputs(Node& node) {
  std::vector<Node> repeated;
  const bool any_has_batch = std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
    return id != kNone && !before_[id].empty() && before_[id][0].is(from_) &&
           !graph_.tensors[id].type->dims.empty() && graph_.tensors[id].type->dims[0].is(to_);
  });
  const auto axis = NodeView(graph_, node).integer("axis", 0);
  if (!any_has_batch || axis == 0) return repeated;
  for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
    const TensorId id = node.inputs[slot];
    if (id == kNone || !is_one_sample(id)) continue;
    Sizes sizes(before_[id].size(), 1);
    sizes[0] = to_;
    const TensorId list = stored(id, sizes);
    Tensor tensor;
    tensor.name = model_.keep(std::string(graph_.tensors[id].name) + "_repeated_" +
                              std::to_string(graph_.tensors.size()));
    const TensorId made = add_tensor(std::move(tensor));
    const TensorId inputs[] = {id, list};
    Node expand;
    expand.op = "Expand";
    expand.name = graph_.tensors[made].name;
    expand.inputs = model_.keep(std::span<const TensorId>(inputs));
    expand.outputs = model_.keep(std::span<const TensorId>(&made, 1));
    expand.scope = node.scope;
    expand.opset = node.opset;
    repeated.push_back(expand);
    set_input(node, slot, made);
  }
  return repeated;
}

std::vector<Node> Rebatch::adjust(Node& node) {
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  if (rule == nullptr || node.outputs.size() != 1 || node.outputs[0] == kNone) return {};
  if (node.inputs.empty() || node.inputs[0] == kNone) return {};
  if (rule->traits.op == Op::Concat) return repeat_inputs(node);
  for (std::size_t slot = 1; slot < node.inputs.size(); ++slot) {
    const TensorId id = node.inputs[slot];
    if (id == kNone || !has_bit(rule->settings, slot)) continue;
    auto sizes = sizes_of(id);
    if (!sizes || !are_sizes_of(before_[node.outputs[0]], *sizes)) continue;
    const auto axis = batch_axis(node, *sizes, rule->view);
    if (!axis) continue;
    const std::int64_t scaled = (*sizes)[*axis] / from_ * to_;
    if ((*sizes)[*axis] % from_ != 0 || scaled == (*sizes)[*axis]) continue;
    (*sizes)[*axis] = scaled;
    set_input(node, slot, stored(id, *sizes));
  }
  return {};
}

}  // namespace strata
