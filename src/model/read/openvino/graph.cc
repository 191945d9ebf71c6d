#include "read/openvino/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "ops/openvino_table.h"
#include "read/openvino/constant.h"
#include "read/openvino/lower.h"

namespace strata::openvino {

namespace {

constexpr std::string_view kWithoutBiases = "/WithoutBiases";

std::string_view layer_name(std::string_view name) {
  return name.ends_with(kWithoutBiases) ? name.substr(0, name.size() - kWithoutBiases.size())
                                        : name;
}

bool is_packed_weight(DType type) {
  return type == DType::I8 || type == DType::U8 || type == DType::I4 || type == DType::U4 ||
         type == DType::U2 || type == DType::F8E4M3FN || type == DType::F8E5M2 ||
         type == DType::F4E2M1;
}

}  // namespace

std::size_t GraphReader::port_place(const Layer& layer, std::int64_t id) const {
  for (std::size_t i = 0; i < layer.inputs.size(); ++i)
    if (layer.inputs[i].id == id) return i;
  for (std::size_t i = 0; i < layer.outputs.size(); ++i)
    if (layer.outputs[i].id == id) return i;
  throw Broken{fmt::format("it is damaged: layer {} has no port {}", in_quotes(layer.name), id)};
}

ScopeId GraphReader::place_of(std::string_view name) {
  onnx::NodeText text;
  text.name = name;
  return loading_.scopes.place(onnx::ScopeTree::kRoot, text);
}

void GraphReader::connect() {
  const auto& layers = net_.layers;
  sources_.resize(layers.size());
  readers_.resize(layers.size());
  made_.resize(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!places_.try_emplace(static_cast<std::uint64_t>(layers[i].id), i).second)
      throw Broken{fmt::format("it is damaged: two layers have the number {}", layers[i].id)};
    sources_[i].resize(layers[i].inputs.size());
    readers_[i].resize(layers[i].outputs.size());
    made_[i].assign(layers[i].outputs.size(), kNone);
  }
  for (const Edge& edge : net_.edges) {
    const auto from = places_.find(static_cast<std::uint64_t>(edge.from_layer));
    const auto to = places_.find(static_cast<std::uint64_t>(edge.to_layer));
    if (from == places_.end() || to == places_.end())
      throw Broken{
          fmt::format("it is damaged: an edge leads from layer {} to layer {}, which it "
                      "does not have both",
                      edge.from_layer, edge.to_layer)};
    const Layer& source = layers[from->second];
    const Layer& reader = layers[to->second];
    const std::size_t output = port_place(source, edge.from_port);
    const std::size_t input = port_place(reader, edge.to_port);
    if (output >= source.outputs.size() || input >= reader.inputs.size() ||
        source.outputs[output].id != edge.from_port || reader.inputs[input].id != edge.to_port)
      throw Broken{fmt::format("it is damaged: the edge from {} to {} leads to a wrong port",
                               in_quotes(source.name), in_quotes(reader.name))};
    sources_[to->second][input] = {from->second, output, true};
    ++readers_[from->second][output];
  }
}

// The order of the file, in which layers can nearly always run.
std::vector<std::size_t> GraphReader::order() const {
  const std::size_t count = net_.layers.size();
  std::vector<std::size_t> order, waits(count, 0);
  std::vector<std::vector<std::size_t>> readers(count);
  for (std::size_t i = 0; i < count; ++i)
    for (const Source& source : sources_[i]) {
      if (!source.is_there) continue;
      ++waits[i];
      readers[source.layer].push_back(i);
    }
  std::vector<std::size_t> ready;  // a heap; the first in the file is at its top
  const auto later = [](std::size_t a, std::size_t b) { return a > b; };
  for (std::size_t i = 0; i < count; ++i)
    if (waits[i] == 0) ready.push_back(i);
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const std::size_t next = ready.back();
    ready.pop_back();
    order.push_back(next);
    for (const std::size_t reader : readers[next])
      if (--waits[reader] == 0) {
        ready.push_back(reader);
        std::push_heap(ready.begin(), ready.end(), later);
      }
  }
  if (order.size() != count) throw Broken{"it is damaged: its layers wait for each other"};
  return order;
}

TypeInfo GraphReader::type_of(const Port& port, bool is_input) {
  const bool is_open = !port.has_rank || std::any_of(port.dims.begin(), port.dims.end(),
                                                     [](auto d) { return d < 0; });
  loading_.has_open_sizes = loading_.has_open_sizes || is_open;
  if (!port.has_rank || (is_open && !is_input)) return TypeInfo::unranked(port.dtype);
  TypeInfo type = TypeInfo::tensor(port.dtype, {});
  const std::size_t rank = port.dims.size();
  for (std::size_t i = 0; i < rank; ++i) {
    if (port.dims[i] >= 0)
      type.dims.push_back(port.dims[i]);
    else if (i == 0)
      type.dims.push_back(Expr::symbol("batch"));
    else if (rank == 4 && i > 1)
      type.dims.push_back(Expr::symbol(i == 2 ? "height" : "width"));
    else
      type.dims.push_back(Expr::symbol(fmt::format("size_{}", i)));
  }
  return type;
}

TensorId GraphReader::new_tensor(std::string_view name, TypeInfo type, Role role) {
  loading_.count_tensor();
  Tensor tensor;
  tensor.name = name;
  tensor.type = std::move(type);
  tensor.role = role;
  graph_.tensors.push_back(std::move(tensor));
  is_unpacked_.push_back(false);
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId GraphReader::stored_tensor(const TensorData* data) {
  Dims dims;
  for (const std::int64_t size : data->dims) dims.push_back(size);
  const TensorId id =
      new_tensor(data->name, TypeInfo::tensor(data->dtype, std::move(dims)), Role::Initializer);
  graph_.tensors[id].data = data;
  return id;
}

TensorId GraphReader::with_sizes(TensorId stored, std::span<const std::int64_t> dims) {
  const TensorData* from = graph_.tensors[stored].data;
  auto& made = loading_.with_sizes[reinterpret_cast<std::uintptr_t>(from)];
  const auto known = std::find_if(made.begin(), made.end(), [&](const TensorData* other) {
    return std::equal(other->dims.begin(), other->dims.end(), dims.begin(), dims.end());
  });
  const TensorData* found = known == made.end() ? nullptr : *known;
  if (found == nullptr) {
    TensorData data = *from;
    data.dims = loading_.model.keep(dims);
    found = made.emplace_back(&loading_.model.stored.emplace_back(data));
  }
  const TensorId id = stored_tensor(found);
  is_unpacked_[id] = is_unpacked_[stored];
  return id;
}

TensorId GraphReader::unpacked(const Layer& layer, std::span<const TensorId> inputs) {
  const auto is_stored = [&](TensorId id) {
    return id != kNone && graph_.tensors[id].data != nullptr;
  };
  if (inputs.empty() || layer.outputs.size() != 1 || !is_stored(inputs[0])) return kNone;
  const DType type = graph_.tensors[inputs[0]].data->dtype;
  if (layer.type == "Convert") {
    const bool packs = is_packed_weight(type) && is_float(layer.outputs[0].dtype);
    const bool halves = is_float(type) && is_float(layer.outputs[0].dtype);
    if (!packs && !halves) return kNone;
    ++(is_unpacked_[inputs[0]] || packs ? loading_.counts.unpacked_integers
                                        : loading_.counts.unpacked_halves);
    if (packs) is_unpacked_[inputs[0]] = true;
    return inputs[0];
  }
  if (!is_unpacked_[inputs[0]]) return kNone;
  if ((layer.type == "Subtract" || layer.type == "Multiply") && inputs.size() == 2 &&
      is_stored(inputs[1])) {
    ++loading_.counts.unpacked_integers;
    return inputs[0];
  }
  if (layer.type == "Reshape" && layer.outputs[0].has_rank) {
    const auto& dims = layer.outputs[0].dims;
    std::int64_t all = 1;
    for (const std::int64_t size : dims)
      if (size < 0 || __builtin_mul_overflow(all, size, &all)) return kNone;
    if (!graph_.tensors[inputs[0]].data->elements().is(all)) return kNone;
    ++loading_.counts.unpacked_integers;
    return with_sizes(inputs[0], dims);
  }
  return kNone;
}

// A convolution has no bias here: an addition of one number per channel follows it.
bool GraphReader::fold_bias(std::size_t place, const Layer& layer,
                            std::span<const TensorId> inputs) {
  if (layer.type != "Add" || inputs.size() != 2 || layer.outputs.size() != 1) return false;
  for (const std::size_t which : {0U, 1U}) {
    const TensorId sum = inputs[which], bias = inputs[1 - which];
    if (sum == kNone || bias == kNone || graph_.tensors[bias].data == nullptr) continue;
    const NodeId producer = graph_.tensors[sum].producer;
    const Source& source = sources_[place][which];
    if (producer == kNone || !source.is_there || readers_[source.layer][source.port] != 1) continue;
    Node node = graph_.nodes[producer];
    const bool is_conv = node.op == "Conv" || node.op == "ConvTranspose";
    if ((!is_conv && node.op != "Gemm") || !node.domain.empty() || node.inputs.size() != 2)
      continue;
    const Port& port = net_.layers[source.layer].outputs[source.port];
    const auto& dims = graph_.tensors[bias].data->dims;
    const std::size_t rank = port.dims.size();
    if (!port.has_rank || rank < 2 || dims.size() > rank) continue;
    const std::size_t channel = is_conv ? 1 : rank - 1;
    const std::int64_t channels = port.dims[channel];
    bool fits = channels > 0 && graph_.tensors[bias].data->elements().is(channels);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const std::size_t at = rank - dims.size() + i;
      fits = fits && dims[i] == (at == channel ? channels : 1);
    }
    if (!fits) continue;
    const std::int64_t sizes[] = {channels};
    const TensorId inputs_now[] = {node.inputs[0], node.inputs[1], with_sizes(bias, sizes)};
    node.inputs = loading_.model.keep(std::span<const TensorId>(inputs_now));
    // A name that OpenVINO made up gives way to a path.
    if (node.name.find('/') == node.name.npos && layer.name.find('/') != layer.name.npos) {
      node.name = layer.name;
      node.scope = place_of(node.name);
    }
    graph_.nodes.set(producer, node);
    graph_.tensors[sum].name = layer.name;
    made_[place][0] = sum;
    readers_[source.layer][source.port] = readers_[place].empty() ? 0 : readers_[place][0];
    ++loading_.counts.biases;
    return true;
  }
  return false;
}

// Weights [groups, outputs, …] become [groups·outputs, …].
void GraphReader::join_groups(const Layer& layer, std::vector<TensorId>& inputs) {
  if (!layer.type.starts_with("GroupConvolution") || inputs.size() < 2 || inputs[1] == kNone)
    return;
  const Dims& own = graph_.tensors[inputs[1]].type->dims;
  if (own.size() < 3) return;
  std::vector<std::int64_t> dims;
  for (const Expr& size : own) {
    if (!size.is_number()) return;
    dims.push_back(size.value());
  }
  if (__builtin_mul_overflow(dims[0], dims[1], &dims[1])) return;
  dims.erase(dims.begin());
  if (graph_.tensors[inputs[1]].data != nullptr) {
    inputs[1] = with_sizes(inputs[1], dims);
    return;
  }
  // Weights that are computed: a view of them.
  TensorData shape;
  shape.name = "shape of the weights";
  shape.dtype = DType::I64;
  const std::int64_t rank[] = {static_cast<std::int64_t>(dims.size())};
  shape.dims = loading_.model.keep(std::span<const std::int64_t>(rank));
  shape.store = TensorData::Store::Raw;
  const auto kept = loading_.model.keep(std::span<const std::int64_t>(dims));
  shape.bytes = {reinterpret_cast<const char*>(kept.data()), kept.size_bytes()};
  const TensorId sizes = stored_tensor(&loading_.model.stored.emplace_back(shape));
  Dims joined;
  for (const std::int64_t size : dims) joined.push_back(size);
  const DType type = graph_.tensors[inputs[1]].type->dtype;
  const TensorId view =
      new_tensor("joined weights", TypeInfo::tensor(type, std::move(joined)), Role::Activation);
  loading_.count_node();
  Node node;
  node.op = "Reshape";
  node.opset = 21;
  node.name = layer_name(layer.name);
  const TensorId read[] = {inputs[1], sizes}, made[] = {view};
  node.inputs = loading_.model.keep(std::span<const TensorId>(read));
  node.outputs = loading_.model.keep(std::span<const TensorId>(made));
  node.scope = place_of(node.name);
  graph_.tensors[view].producer = static_cast<NodeId>(graph_.nodes.size());
  graph_.nodes.push_back(node);
  inputs[1] = view;
}

Expr GraphReader::runs_of(const Layer& layer, const Body& body,
                          std::span<const TensorId> inputs) const {
  for (const PortMap& map : body.maps) {
    if (!map.is_input || map.axis < 0 || map.external_port < 0) continue;
    const std::size_t place = port_place(layer, map.external_port);
    if (place >= layer.inputs.size()) continue;
    const auto& dims = layer.inputs[place].dims;
    const auto axis = static_cast<std::size_t>(map.axis);
    if (axis < dims.size() && dims[axis] >= 0 && map.part_size != 0)
      return dims[axis] / std::max<std::int64_t>(1, std::abs(map.part_size));
  }
  if (layer.type != "Loop" || inputs.empty() || inputs[0] == kNone) return Expr::unknown();
  const TensorData* data = graph_.tensors[inputs[0]].data;
  const auto value = data == nullptr ? std::nullopt : decode(*data);
  if (!value || value->size() != 1) return Expr::unknown();
  const Expr count = value->items[0].whole();
  return count.is_number() && count.value() >= 0 ? count : Expr::unknown();
}

void GraphReader::read_bodies(const Layer& layer, std::vector<TensorId>& inputs,
                              std::vector<Attribute>& attributes) {
  const bool is_if = layer.type == "If";
  for (const Body& body : layer.bodies) {
    if (body.net == nullptr) continue;
    Graph& graph = loading_.model.graphs.emplace_back();
    graph.parent = &graph_;
    std::vector<Captured> captured;
    for (const PortMap& map : body.maps) {
      if (!map.is_input || map.external_port < 0 || !is_if) continue;
      const std::size_t place = port_place(layer, map.external_port);
      if (place < inputs.size()) captured.push_back({map.internal_layer, inputs[place]});
    }
    GraphReader reader(loading_, graph, *body.net);
    reader.read(captured);
    if (is_if) {
      // In the order of the operator's outputs.
      graph.outputs.clear();
      for (const Port& port : layer.outputs)
        for (const PortMap& map : body.maps)
          if (!map.is_input && map.external_port == port.id)
            graph.outputs.push_back(reader.tensor_of_layer(map.internal_layer));
    } else {
      graph.runs = runs_of(layer, body, inputs);
    }
    attributes.push_back({body.name == "then"   ? std::string_view("then_branch")
                          : body.name == "else" ? std::string_view("else_branch")
                                                : std::string_view("body"),
                          &graph});
  }
  if (is_if && !inputs.empty()) inputs.resize(1);  // the rest is captured
}

TensorId GraphReader::tensor_of_layer(std::int64_t id) const {
  const auto found = places_.find(static_cast<std::uint64_t>(id));
  if (found == places_.end())
    throw Broken{fmt::format("it is damaged: a body has no layer {}", id)};
  const std::size_t place = found->second;
  if (!made_[place].empty()) return made_[place][0];
  if (sources_[place].empty() || !sources_[place][0].is_there) return kNone;
  const Source& source = sources_[place][0];
  return made_[source.layer][source.port];
}

void GraphReader::make_outputs(std::size_t place, const Layer& layer,
                               std::vector<TensorId>& outputs) {
  // Layers always list these outputs; those that nothing reads are not computed.
  const bool may_leave_out = layer.type == "MaxPool" || layer.type.ends_with("Sequence");
  const bool any_is_read =
      std::any_of(readers_[place].begin(), readers_[place].end(), [](auto n) { return n > 0; });
  for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
    if (may_leave_out && any_is_read && readers_[place][i] == 0) {
      outputs.push_back(kNone);
      continue;
    }
    std::string_view name = layer.name;
    if (i > 0) {
      loading_.count_text(name.size() + 8);
      name = loading_.model.keep(fmt::format("{}:{}", name, i));
    }
    const TensorId id = new_tensor(name, type_of(layer.outputs[i], false), Role::Activation);
    graph_.tensors[id].producer = static_cast<NodeId>(graph_.nodes.size());
    made_[place][i] = id;
    outputs.push_back(id);
  }
}

void GraphReader::read_parameter(std::size_t place, const Layer& layer) {
  if (layer.outputs.empty())
    throw Broken{fmt::format("it is damaged: input {} has no port", in_quotes(layer.name))};
  const auto given =
      std::find_if(captured_.begin(), captured_.end(),
                   [&](const Captured& captured) { return captured.layer == layer.id; });
  const bool is_captured = given != captured_.end() && given->outer != kNone;
  TensorId id = kNone;
  if (is_captured) {
    // The outer graph knows at least as much as the body states.
    const Tensor outer = graph_.parent->tensors[given->outer];
    id = new_tensor(layer.name, *outer.type, Role::Captured);
    graph_.tensors[id].outer = given->outer;
    graph_.tensors[id].data = outer.data;
  } else {
    id = new_tensor(layer.name, type_of(layer.outputs[0], true), Role::Input);
    graph_.inputs.push_back(id);
  }
  made_[place][0] = id;
}

void GraphReader::read_node(std::size_t place, const Layer& layer, std::vector<TensorId> inputs) {
  join_groups(layer, inputs);
  std::vector<Attribute> attributes;
  Lowered lower;
  if (!layer.bodies.empty()) {
    read_bodies(layer, inputs, attributes);
    lower.op = layer.type;
    lower.domain = layer.type == "If" ? std::string_view() : kOpenvino;
    lower.opset = layer.type == "If" ? 16 : 1;
    lower.inputs = std::move(inputs);
  } else {
    lower = lowered(loading_, graph_, layer, std::move(inputs));
    attributes = std::move(lower.attributes);
  }
  std::vector<TensorId> outputs;
  make_outputs(place, layer, outputs);
  Node node;
  node.op = lower.op;
  node.domain = lower.domain;
  node.opset = lower.opset;
  node.name = layer_name(layer.name);
  node.inputs = loading_.model.keep(std::span<const TensorId>(lower.inputs));
  node.outputs = loading_.model.keep(std::span<const TensorId>(outputs));
  node.attributes = loading_.model.keep(std::span<const Attribute>(attributes));
  node.scope = place_of(node.name);
  graph_.nodes.push_back(node);
}

void GraphReader::read_layer(std::size_t place) {
  const Layer& layer = net_.layers[place];
  if (layer.type == "Parameter") return read_parameter(place, layer);
  std::vector<TensorId> inputs;
  for (const Source& source : sources_[place])
    inputs.push_back(source.is_there ? made_[source.layer][source.port] : kNone);
  if (layer.type == "Result") {
    if (inputs.empty() || inputs[0] == kNone)
      throw Broken{fmt::format("it is damaged: output {} has no value", in_quotes(layer.name))};
    graph_.outputs.push_back(inputs[0]);
    return;
  }
  if (layer.type == "Const" || layer.type == "Constant") {
    const TensorData* data = constant_of(loading_, layer);
    made_[place][0] = stored_tensor(data);
    return;
  }
  if (const TensorId id = unpacked(layer, inputs); id != kNone) {
    made_[place][0] = id;
    return;
  }
  if (fold_bias(place, layer, inputs)) return;
  read_node(place, layer, std::move(inputs));
}

void GraphReader::read(std::span<const Captured> captured) {
  captured_ = captured;
  graph_.name = net_.name;
  connect();
  for (const std::size_t place : order()) read_layer(place);
}

}  // namespace strata::openvino
