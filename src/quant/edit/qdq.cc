#include "strata/edit/qdq.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "edit/float_guard.h"
#include "edit/fold.h"
#include "edit/placement.h"
#include "edit/qdq_nodes.h"
#include "edit/raise_opset.h"
#include "ops/registry.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

constexpr std::int32_t kOpset = 13;  // the first with a scale per channel
constexpr std::size_t kMostNamed = 5;

// ONNX Runtime gives every float reader of whole numbers a DequantizeLinear of its own. From this
// many readers on, a copy (a Sum with one input) is less work.
constexpr std::ptrdiff_t kManyReaders = 3;

class Quantizer {
 public:
  Quantizer(const Model& model, const std::vector<QuantLayer>& layers, const QdqPlan& plan)
      : model_(model),
        graph_(model.graph()),
        layers_(layers),
        plan_(plan),
        links_(model),
        placement_(place_int8(model, links_, layers, plan.keep_float)),
        edit_(model),
        nodes_(edit_),
        guard_(model, links_, placement_, edit_, nodes_, plan.fill) {}

  Result<QuantizedModel> run() {
    if (auto status = find_numbers(); !status) return failure(status);
    if (auto status = raise_opset(edit_, kOpset); !status) return failure(status);
    name_nodes();
    fold_norms();
    for (TensorId id = 0; id < placement_.where.size(); ++id) {
      if (placement_.where[id] == Where::AtProducer) add_at_producer(id);
      if (placement_.where[id] == Where::AtReaders) add_at_readers(id);
    }
    if (auto status = guard_.guard_others(layers_); !status) return failure(status);
    for (const QuantLayer& layer : layers_)
      if (placement_.int8[layer.main])
        if (auto status = quantize_weights(layer); !status) return failure(status);
    return result();
  }

 private:
  Status find_numbers() {
    std::vector<std::string_view> missing;
    for (const TensorId id : placement_.roots()) {
      auto numbers = activation_numbers(graph_, placement_, plan_.ranges, id);
      if (!numbers)
        missing.push_back(graph_.tensors[id].name);
      else
        numbers_[id].numbers = *numbers;
    }
    if (missing.empty()) return {};
    std::string names;
    for (std::size_t i = 0; i < std::min(missing.size(), kMostNamed); ++i)
      names += (i == 0 ? "" : ", ") + in_quotes(missing[i]);
    if (missing.size() > kMostNamed)
      names += fmt::format(" and {} more", missing.size() - kMostNamed);
    return failure(Code::RangesLackPart,
                   {.name = (missing.size() == 1 ? "the tensor " : "the tensors ") + names});
  }

  // Names nodes, so that what an engine says about the written model can be traced to the
  // original's nodes.
  void name_nodes() {
    TextMap<std::string_view, int> uses;
    for (const Graph& graph : model_.graphs)
      for (const Node& node : graph.nodes) ++uses[node.name];
    for (const QuantLayer& layer : layers_) {
      auto& own = names_.emplace_back();
      for (const NodeId n : layer.nodes) {
        const Node& node = graph_.nodes[n];
        if (node.name.empty() || uses[node.name] > 1)
          edit_.set_name(n, fmt::format("{}_{}", layer.path, node.op));
        own.emplace_back(edit_.node(n).name);
      }
    }
  }

  void fold_norms() {
    makers_.resize(graph_.tensors.size(), kNone);
    for (TensorId id = 0; id < graph_.tensors.size(); ++id)
      makers_[id] = graph_.tensors[id].producer;
    for (const QuantLayer& layer : layers_)
      if (placement_.int8[layer.main] && layer.norm != kNone) {
        take_out_norm(edit_, layer);
        makers_[layer.linear] = layer.main;
      }
  }

  // One scale for all tensors that share it.
  const QdqNodes::Scales& scales_of(TensorId id) {
    const TensorId root = placement_.root[id];
    Numbers& numbers = numbers_.at(root);
    if (numbers.scales.scale == kNone)
      numbers.scales = nodes_.scales(graph_.tensors[root].name, numbers.numbers);
    return numbers.scales;
  }

  // All readers read the dequantized tensor, which keeps the tensor's id and name.
  void add_at_producer(TensorId id) {
    const std::string name(graph_.tensors[id].name);
    const NodeId maker = makers_[id];
    const TypeInfo type = edit_.tensor(id).type;
    const TensorId exact = edit_.add_activation(name + "_exact", type);
    const auto outputs = edit_.node(maker).outputs;
    edit_.set_output(
        maker,
        static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), id) - outputs.begin()),
        exact);
    const TensorId number = nodes_.pair(maker, name, exact, id, scales_of(id));
    guard_.read_by_channel(id, maker, number, numbers_.at(placement_.root[id]).numbers);
    const auto readers = links_.readers(id);
    const auto reads_floats = [&](const Reader& r) {
      return !placement_.reads_int8(r) && !guard_.is_float_conv(r);
    };
    if (std::count_if(readers.begin(), readers.end(), reads_floats) < kManyReaders) return;
    const TensorId copy = edit_.add_activation(name + "_copy", type);
    edit_.insert_after(maker, {.op = "Sum",
                               .name = name + "_Sum",
                               .inputs = std::span<const TensorId>(&id, 1),
                               .output = copy,
                               .scope = edit_.node(maker).scope});
    for (const Reader& reader : readers)
      if (reads_floats(reader)) edit_.set_input(reader.node, reader.slot, copy);
  }

  void add_at_readers(TensorId id) {
    const std::string name(graph_.tensors[id].name);
    const TensorId back = edit_.add_activation(name + "_dequantized", edit_.tensor(id).type);
    nodes_.pair(makers_[id], name, id, back, scales_of(id));
    for (const Reader& reader : links_.readers(id))
      if (placement_.reads_int8(reader)) edit_.set_input(reader.node, reader.slot, back);
  }

  Status quantize_weights(const QuantLayer& layer) {
    const auto weights = layer_weights(model_, layer, plan_.fill);
    if (!weights) return failure(weights);
    const double input_scale = numbers_.at(placement_.root[layer.input]).numbers.scale;
    const auto whole =
        quantized_weights(*weights, layer, plan_.reduce_range ? 7 : 8, plan_.weights, input_scale);
    if (!whole) return failure_in(layer.path, whole);
    const Node& node = edit_.node(layer.main);
    const std::string name = node.name.empty() ? layer.path : std::string(node.name);
    edit_.set_input(
        layer.main, 1,
        nodes_.restored(layer.main, name + "_weight",
                        stored_weight(layer, name, *whole, weights->dims), layer.weight_axis));
    if (whole->bias.empty()) return {};
    const TensorId bias =
        nodes_.restored(layer.main, name + "_bias", nodes_.bias(name + "_bias", *whole), 0);
    // ONNX Runtime merges a MatMul and an Add into a Gemm, and with such a bias into an int8 one.
    if (layer.bias_add == kNone)
      edit_.set_input(layer.main, 2, bias);
    else
      edit_.set_input(layer.bias_add, edit_.node(layer.bias_add).inputs[0] == layer.bias ? 0 : 1,
                      bias);
    return {};
  }

  // A weight that several layers read is stored once.
  QdqNodes::Weight stored_weight(const QuantLayer& layer, const std::string& name,
                                 const WholeWeights& whole, std::span<const std::int64_t> dims) {
    if (layer.norm != kNone) return nodes_.weight(name + "_weight", dims, whole);
    KnownWeight& known = weights_[layer.weight];
    if (known.scales == whole.scales) return known.weight;
    const std::string_view own = stored_input(graph_, layer.weight)->data->name;
    const QdqNodes::Weight weight =
        nodes_.weight(own.empty() ? name + "_weight" : std::string(own), dims, whole);
    known = {weight, whole.scales};
    return weight;
  }

  QuantizedModel result() {
    QuantizedModel out;
    std::vector<bool> in_layer(graph_.nodes.size(), false);
    for (const QuantLayer& layer : layers_) {
      out.int8.push_back(placement_.int8[layer.main]);
      for (const NodeId n : layer.nodes) {
        in_layer[n] = true;
        if (!out.int8.back()) out.excluded.emplace_back(graph_.nodes[n].name);
      }
    }
    const std::vector<bool> constant = constant_tensors(graph_);
    for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
      const Int8Use use = placement_.uses[n];
      if (in_layer[n] || use == Int8Use::None || use == Int8Use::Soft) continue;
      if (constant[graph_.nodes[n].outputs[0]]) continue;
      if (placement_.int8[n])
        ++out.int8_nodes;
      else
        out.excluded.emplace_back(graph_.nodes[n].name);
    }
    std::erase(out.excluded, "");
    out.nodes = std::move(names_);
    out.model = std::move(edit_).finish();
    return out;
  }

  struct Numbers {
    Quantization numbers;
    QdqNodes::Scales scales;
  };
  struct KnownWeight {
    QdqNodes::Weight weight;
    std::vector<float> scales;
  };

  const Model& model_;
  const Graph& graph_;
  const std::vector<QuantLayer>& layers_;
  const QdqPlan& plan_;
  const Links links_;
  const Placement placement_;
  GraphEdit edit_;
  QdqNodes nodes_;
  FloatGuard guard_;
  std::unordered_map<TensorId, Numbers> numbers_;      // by root tensor
  std::unordered_map<TensorId, KnownWeight> weights_;  // by the tensor that layers read
  std::vector<NodeId> makers_;                         // by tensor, after folding norms
  std::vector<std::vector<std::string>> names_;        // of nodes, by layer
};

}  // namespace

std::vector<TensorId> quant_tensors(const Model& model, const std::vector<QuantLayer>& layers) {
  return place_int8(model, Links(model), layers, {}).roots();
}

Status check_not_quantized(const Model& model) {
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes)
      if (traits_of(node).quantized != Quantized::Unknown)
        return failure(Code::QuantizedAlready, {.name = std::string(node.name)},
                       fmt::format("the model is quantized already: node {} is a {}; give the "
                                   "float model that it was made from",
                                   in_quotes(node.name), node.op));
  return {};
}

Result<QuantizedModel> quantized(const Model& model, const std::vector<QuantLayer>& layers,
                                 const QdqPlan& plan) {
  if (auto status = check_not_quantized(model); !status) return failure(status);
  if (layers.empty())
    return failure(Code::NothingToQuantize, {},
                   "the model has no layer that could be quantized: no convolution and no product "
                   "with stored f32 weights");
  return Quantizer(model, layers, plan).run();
}

bool cuts_off_products(const std::vector<std::string>& isa) {
  const auto has = [&](std::string_view word) {
    return std::find(isa.begin(), isa.end(), word) != isa.end();
  };
  const bool x86 = has("sse4_2") || has("avx") || has("avx2");
  return x86 && !has("avx_vnni") && !has("avx512_vnni") && !has("amx_int8");
}

}  // namespace strata
