// Nodes grouped into layers: each call of a leaf module is one layer, and so is each operation
// between modules (a residual add, a mean). In a file without module names, every node is a layer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/cost/cost.h"
#include "strata/graph/layer_kind.h"

namespace strata {

struct Layer {
  LayerKind kind = LayerKind::Other;
  bool functional = false;  // an operation between modules, not a module
  ScopeId scope = 0;
  std::uint32_t call = 0;              // 0 for the first call of its path
  std::uint32_t first = 0, count = 0;  // its nodes: a range of Layers::members
  std::uint32_t main = 0;              // the node that determines its kind: index into Costs::nodes
};

struct Layers {
  std::vector<Layer> list;             // in the order they first run
  std::vector<std::uint32_t> members;  // indices into Costs::nodes
  std::span<const std::uint32_t> nodes_of(const Layer& layer) const {
    return std::span(members).subspan(layer.first, layer.count);
  }
};

Layers find_layers(const Model& model, const Costs& costs);

// `Conv2d`, `BatchNorm2d`, `ReLU6`: the class that the file states, or the torch.nn name that fits;
// for an operation outside of modules, the operator's own name.
std::string layer_type(const Model& model, const Costs& costs, const Layer& layer);
// `features.0.0`; for an operation between modules, the path of the module that contains it and the
// node's own name (`layer1.0.Add`).
std::string layer_path(const Model& model, const Costs& costs, const Layer& layer);

// The tensors that enter and leave each layer: activations that it reads from outside, and its own
// that others read or the network returns. Values that depend on shapes alone are left out. Ids
// refer to the graph of the layer's main node.
class LayerEdges {
 public:
  LayerEdges(const Model& model, const Costs& costs, const Layers& layers);
  std::span<const TensorId> inputs(std::size_t layer) const { return range(2 * layer); }
  std::span<const TensorId> outputs(std::size_t layer) const { return range(2 * layer + 1); }

 private:
  std::span<const TensorId> range(std::size_t i) const {
    return std::span(ids_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }
  std::vector<TensorId> ids_;
  std::vector<std::uint32_t> starts_;
};

}  // namespace strata
