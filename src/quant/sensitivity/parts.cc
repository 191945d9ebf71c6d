#include "strata/sensitivity/parts.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "edit/placement.h"
#include "strata/calibrate/calibrate.h"

namespace strata {

namespace {

constexpr std::string_view kOutput = ":output", kInput = ":input", kWeights = ":weights";

// Names of activations for users.
class PartLabels {
 public:
  PartLabels(const Model& model, const std::vector<QuantLayer>& layers)
      : graph_(model.graph()), layers_(layers), layer_of_(model.graph().nodes.size(), kNoLayer) {
    for (std::size_t l = 0; l < layers.size(); ++l)
      for (const NodeId node : layers[l].nodes) layer_of_[node] = l;
    for (Watched& one : watched_tensors(model)) elsewhere_[one.tensor] = std::move(one.layer);
  }

  std::size_t layer_that_makes(TensorId id) const {
    const NodeId producer = graph_.tensors[id].producer;
    return producer == kNone ? kNoLayer : layer_of_[producer];
  }

  std::string of(TensorId id) {
    std::string label = plain(id);
    if (const int before = taken_[label]++; before > 0) label += fmt::format("~{}", before + 1);
    return label;
  }

 private:
  std::string plain(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    if (tensor.producer == kNone) return fmt::format("{}{}", tensor.name, kInput);
    if (const std::size_t l = layer_of_[tensor.producer]; l != kNoLayer) {
      const QuantLayer& layer = layers_[l];
      if (id == layer.output) return fmt::format("{}{}", layer.path, kOutput);
      if (id == layer.linear) return layer.path + ":linear";
      return fmt::format("{}:{}", layer.path, graph_.nodes[tensor.producer].op);
    }
    const auto known = elsewhere_.find(tensor.name);
    const std::string_view made_by = known != elsewhere_.end() && !known->second.empty()
                                         ? std::string_view(known->second)
                                         : graph_.nodes[tensor.producer].name;
    return fmt::format("{}{}", made_by.empty() ? tensor.name : made_by, kOutput);
  }

  const Graph& graph_;
  const std::vector<QuantLayer>& layers_;
  std::vector<std::size_t> layer_of_;  // by node
  std::map<std::string, std::string, std::less<>> elsewhere_;
  std::map<std::string, int> taken_;
};

// Handles the user's words, one after the other.
class Words {
 public:
  Words(const Model& model, const std::vector<QuantLayer>& layers)
      : model_(model),
        layers_(layers),
        placement_(place_int8(model, Links(model), layers, {})),
        parts_(quant_parts(model, layers)) {
    found_.layers.assign(layers.size(), false);
  }

  Status add(const std::string& word) {
    const auto part = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const QuantPart& each) { return each.label == word; });
    if (part != parts_.end()) {
      if (part->kind == QuantPart::Kind::Weights)
        found_.layers[part->layer] = true;
      else
        add_tensor(part->tensor);
      return {};
    }
    const bool output = word.ends_with(kOutput), input = word.ends_with(kInput);
    std::string name = word;
    if (output || input) name.resize(word.size() - (output ? kOutput : kInput).size());
    auto chosen = select_layers(model_, layers_, {name});
    if (!chosen) return failure(chosen);
    bool any = false;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (!(*chosen)[l]) continue;
      any = true;
      if (!output && !input)
        found_.layers[l] = true;
      else
        any = add_edge(output ? layers_[l].output : layers_[l].input);
    }
    if (any) return {};
    return failure(fmt::format("{}: nothing is rounded there, so nothing can be kept in float",
                               in_quotes(word)),
                   ErrorKind::Usage);
  }

  StaysFloat take() { return std::move(found_); }

 private:
  bool add_edge(TensorId id) {
    const TensorId root = placement_.root[id];
    if (placement_.where[root] == Where::Nowhere) return false;
    add_tensor(root);
    return true;
  }
  void add_tensor(TensorId id) { found_.tensors.emplace(model_.graph().tensors[id].name); }

  const Model& model_;
  const std::vector<QuantLayer>& layers_;
  const Placement placement_;
  const std::vector<QuantPart> parts_;
  StaysFloat found_;
};

// The tensor of `usual` that is passed on to this one; otherwise itself.
TensorId origin_of(const Graph& graph, const Placement& placement,
                   const std::vector<TensorId>& usual, TensorId id) {
  for (TensorId at = id;;) {
    if (std::find(usual.begin(), usual.end(), at) != usual.end()) return at;
    const NodeId producer = graph.tensors[at].producer;
    if (producer == kNone || placement.uses[producer] != Int8Use::Passing) return id;
    at = graph.nodes[producer].inputs[0];
  }
}

// True if it is rounded after its producer, or after a node that passes it on.
bool comes_rounded(const Graph& graph, const Placement& placement, TensorId id) {
  while (placement.where[id] != Where::AtProducer) {
    const NodeId producer = graph.tensors[id].producer;
    if (producer == kNone || placement.uses[producer] != Int8Use::Passing) return false;
    id = graph.nodes[producer].inputs[0];
  }
  return true;
}

bool goes_rounded(const Graph& graph, const Links& links, const Placement& placement, TensorId id) {
  if (placement.where[id] != Where::Nowhere) return true;
  for (const Reader& reader : links.readers(id)) {
    if (placement.uses[reader.node] != Int8Use::Passing || reader.slot != 0) continue;
    for (const TensorId next : graph.nodes[reader.node].outputs)
      if (next != kNone && goes_rounded(graph, links, placement, next)) return true;
  }
  return false;
}

}  // namespace

std::vector<LayerRounding> layer_rounding(const Model& model, const std::vector<QuantLayer>& layers,
                                          const StaysFloat& floats) {
  const Links links(model);
  const Placement placement = place_int8(model, links, layers, floats);
  const Graph& graph = model.graph();
  std::vector<LayerRounding> found;
  found.reserve(layers.size());
  for (const QuantLayer& layer : layers)
    found.push_back({placement.int8[layer.main] || comes_rounded(graph, placement, layer.input),
                     goes_rounded(graph, links, placement, layer.linear) ||
                         goes_rounded(graph, links, placement, layer.output)});
  return found;
}

std::string_view name_of(QuantPart::Kind kind) {
  return kind == QuantPart::Kind::Weights ? "weights" : "tensor";
}

std::vector<QuantPart> quant_parts(const Model& model, const std::vector<QuantLayer>& layers,
                                   const StaysFloat& floats) {
  const Placement placement = place_int8(model, Links(model), layers, floats);
  PartLabels labels(model, layers);
  // Sorted by the node that they belong to; inputs of the network come first.
  std::multimap<std::int64_t, QuantPart> found;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (!placement.int8[layers[l].main]) continue;
    QuantPart part;
    part.label = fmt::format("{}{}", layers[l].path, kWeights);
    part.layer = l;
    found.emplace(layers[l].main, std::move(part));
  }
  const bool all = floats == StaysFloat{};
  const std::vector<TensorId> usual =
      all ? std::vector<TensorId>{} : place_int8(model, Links(model), layers, {}).roots();
  for (const TensorId id : placement.roots()) {
    QuantPart part;
    part.kind = QuantPart::Kind::Tensor;
    part.tensor = id;
    part.origin = all ? id : origin_of(model.graph(), placement, usual, id);
    part.label = labels.of(part.origin);
    part.layer = labels.layer_that_makes(part.origin);
    for (std::size_t l = 0; l < layers.size(); ++l)
      if (placement.int8[layers[l].main] && placement.root[layers[l].input] == id)
        part.readers.push_back(l);
    const NodeId producer = model.graph().tensors[id].producer;
    found.emplace(producer == kNone ? -1 : std::int64_t{producer}, std::move(part));
  }
  std::vector<QuantPart> parts;
  for (auto& [node, part] : found) parts.push_back(std::move(part));
  return parts;
}

Result<StaysFloat> stays_float(const Model& model, const std::vector<QuantLayer>& layers,
                               const std::vector<std::string>& words) {
  Words all(model, layers);
  for (const std::string& word : words)
    if (auto status = all.add(word); !status) return failure(status);
  return all.take();
}

}  // namespace strata
