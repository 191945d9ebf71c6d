// A network in whole numbers of 8 bits, as pairs of QuantizeLinear and DequantizeLinear
// around what engines then run on their int8 kernels: activations uint8 by tensor, weights
// int8 by channel and symmetric, biases int32.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/quant/channels.h"
#include "strata/quant/layers.h"
#include "strata/quant/range.h"
#include "strata/write/onnx.h"

namespace strata {

using TensorRanges = std::map<std::string, Range, std::less<>>;  // by the tensor's name

// What is not rounded.
struct StaysFloat {
  std::vector<bool> layers = {};  // by layer of find_quant_layers(); empty: none
  // Activations by name. What would read them as whole numbers, or can only give them as whole
  // numbers, runs in floats.
  std::set<std::string, std::less<>> tensors = {};
  bool operator==(const StaysFloat&) const = default;
};

struct QdqPlan {
  TensorRanges ranges;  // at least of all quant_tensors()
  StaysFloat keep_float;
  FillElements fill = {};  // elements that the model does not have
  // Weights of 7 bits, for processors whose products of 8 bits are cut off at 16.
  bool reduce_range = false;
  WeightChoice weights = WeightChoice::MinMax;
};

struct QuantizedModel {
  Model model;
  std::vector<bool> int8;  // by layer
  // Names of the layers' nodes, in their order. Nodes without a name of their own have got one.
  std::vector<std::vector<std::string>> nodes;
  // Nodes of the original that stay in floats, of the operators that quantizers change:
  // what ONNX Runtime's quantize_static is given as nodes_to_exclude.
  std::vector<std::string> excluded;
  std::size_t int8_nodes = 0;  // beside those of layers: Add, MaxPool, …
};

// The tensors whose ranges a plan needs, whichever layers it keeps in floats.
std::vector<TensorId> quant_tensors(const Model& model, const std::vector<QuantLayer>& layers);

// Norms are folded into the layers that become int8. The result is made of views into
// `model`, which must outlive it. A model that has Q/DQ or int8 operators already, one with
// nothing to quantize and one in an operator set that is too old are refused.
Result<QuantizedModel> quantized(const Model& model, const std::vector<QuantLayer>& layers,
                                 const QdqPlan& plan);

// A sentence if the model is one that quantized() refuses for what it already is.
Status check_not_quantized(const Model& model);

// Whether this processor, by its instructions, cuts off sums of two products of a uint8 and
// an int8 at 16 bits: x86 without VNNI.
bool cuts_off_products(const std::vector<std::string>& isa);

}  // namespace strata
