#include "cost/dataflow.h"

#include <algorithm>

#include "cost/activations.h"

namespace strata {

namespace {

struct ReadBy {
  TensorId buffer;
  std::uint32_t step;
  NodeId node;
};

class Finder {
 public:
  Finder(const Model& model, const Costs& costs, const Layers& layers)
      : graph_(model.graph()), costs_(costs), layers_(layers), activations_(model, costs) {}

  Dataflow find() {
    find_steps();
    walk();
    add_buffers();
    return std::move(result_);
  }

 private:
  bool is_own(const Executed& executed) const { return executed.graph == &graph_; }
  bool moves_nothing(const Executed& executed) const {
    return executed.cost->view || costs_.quantized.passes(*executed.graph, executed.node);
  }

  void find_steps() {
    layer_of_node_.resize(costs_.nodes.size());
    for (std::uint32_t l = 0; l < layers_.list.size(); ++l)
      for (std::uint32_t node : layers_.nodes_of(layers_.list[l])) layer_of_node_[node] = l;
    // The layer that runs each layer: itself if it has a node in the network's graph.
    std::vector<std::uint32_t> runs(layers_.list.size(), kNone);
    std::vector<Step> by_layer(layers_.list.size());
    std::uint32_t owner = kNone;
    for (std::uint32_t i = 0; i < costs_.nodes.size(); ++i) {
      const Executed& executed = costs_.nodes[i];
      const std::uint32_t layer = layer_of_node_[i];
      if (is_own(executed)) {
        owner = layer;
        by_layer[layer].layer = runs[layer] = layer;
        by_layer[layer].last = std::max(by_layer[layer].last, executed.node);
      } else if (runs[layer] == kNone) {
        runs[layer] = owner;
      }
      const bool works = !moves_nothing(executed) && !executed.cost->folded;
      by_layer[runs[layer]].computes = by_layer[runs[layer]].computes || works;
    }
    for (const Step& step : by_layer)
      if (step.layer != kNone) result_.steps.push_back(step);
    std::sort(result_.steps.begin(), result_.steps.end(),
              [](const Step& a, const Step& b) { return a.last < b.last; });
    std::vector<std::uint32_t> index(layers_.list.size(), kNone);
    for (std::uint32_t s = 0; s < result_.steps.size(); ++s) index[result_.steps[s].layer] = s;
    for (std::uint32_t run_by : runs)
      result_.step_of_layer.push_back(run_by == kNone ? kNone : index[run_by]);
  }

  void read(const Graph& graph, TensorId tensor, std::uint32_t step, NodeId node) {
    if (tensor == kNone) return;
    const std::uint32_t id = activations_.id(graph, tensor);
    if (!activations_.is_activation(id) || &activations_.graph_of(id) != &graph_) return;
    reads_.push_back({root_[activations_.tensor_of(id)], step, node});
  }

  void make(TensorId tensor, std::uint32_t step, NodeId node) {
    if (!activations_.is_activation(activations_.id(graph_, tensor))) return;
    buffer_of_[tensor] = static_cast<std::uint32_t>(result_.buffers.size());
    result_.buffers.push_back({.tensor = tensor, .maker = step, .made = node});
  }

  void walk() {
    root_.resize(graph_.tensors.size());
    for (TensorId t = 0; t < root_.size(); ++t) root_[t] = t;
    buffer_of_.assign(graph_.tensors.size(), kNone);
    for (TensorId input : graph_.inputs) make(input, kNone, kNone);
    std::uint32_t step = kNone;
    NodeId own = kNone;
    for (std::uint32_t i = 0; i < costs_.nodes.size(); ++i) {
      const Executed& executed = costs_.nodes[i];
      const Node& node = executed.get();
      if (is_own(executed)) step = result_.step_of_layer[layer_of_node_[i]], own = executed.node;
      const bool is_view = is_own(executed) && moves_nothing(executed) && !executed.cost->folded &&
                           !node.inputs.empty() && node.inputs[0] != kNone;
      // A folded node reads shapes at most, not elements.
      for (std::size_t slot = is_view ? 1 : 0; slot < node.inputs.size(); ++slot)
        if (!executed.cost->folded && node.inputs[slot] != kNone)
          read(*executed.graph,
               costs_.quantized.read_by(*executed.graph, executed.node, node.inputs[slot]), step,
               own);
      for_each_body(node, [&](const Graph& body) {
        for (TensorId output : body.outputs) read(body, output, step, own);
      });
      if (!is_own(executed)) continue;
      for (std::size_t slot = 0; slot < node.outputs.size(); ++slot) {
        const TensorId output = node.outputs[slot];
        if (output == kNone) continue;
        // A view of a constant, or of known elements, is made here.
        if (is_view && slot == 0 && buffer_of_[root_[node.inputs[0]]] != kNone)
          root_[output] = root_[node.inputs[0]];
        else
          make(output, step, own);
      }
    }
    for (TensorId output : graph_.outputs)
      if (output != kNone && buffer_of_[root_[output]] != kNone)
        result_.buffers[buffer_of_[root_[output]]].is_output = true;
  }

  void add_buffers() {
    std::stable_sort(reads_.begin(), reads_.end(), [&](const ReadBy& a, const ReadBy& b) {
      return std::pair(buffer_of_[a.buffer], a.step) < std::pair(buffer_of_[b.buffer], b.step);
    });
    auto at = reads_.begin();
    for (std::uint32_t b = 0; b < result_.buffers.size(); ++b) {
      Buffer& buffer = result_.buffers[b];
      buffer.first_reader = static_cast<std::uint32_t>(result_.readers.size());
      for (; at != reads_.end() && buffer_of_[at->buffer] == b; ++at) {
        buffer.last_read =
            buffer.last_read == kNone ? at->node : std::max(buffer.last_read, at->node);
        const bool is_new = buffer.readers == 0 || result_.readers.back() != at->step;
        if (at->step == buffer.maker || !is_new) continue;
        result_.readers.push_back(at->step);
        ++buffer.readers;
      }
    }
  }

  const Graph& graph_;
  const Costs& costs_;
  const Layers& layers_;
  Activations activations_;
  std::vector<std::uint32_t> layer_of_node_;  // indexed like Costs::nodes
  std::vector<TensorId> root_;                // the tensor whose memory a view shares
  std::vector<std::uint32_t> buffer_of_;      // indexed by tensor
  std::vector<ReadBy> reads_;
  Dataflow result_;
};

}  // namespace

Dataflow find_dataflow(const Model& model, const Costs& costs, const Layers& layers) {
  return Finder(model, costs, layers).find();
}

}  // namespace strata
