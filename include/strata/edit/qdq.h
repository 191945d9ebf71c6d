// A network in 8-bit integers, written as pairs of QuantizeLinear and DequantizeLinear around the
// operators that engines then run with their int8 kernels: activations are uint8 per tensor,
// weights are symmetric int8 per channel, and biases are int32.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/calibrate/range.h"
#include "strata/edit/layers.h"
#include "strata/graph/graph.h"
#include "strata/write/onnx.h"

namespace strata {

using TensorRanges = std::map<std::string, Range, std::less<>>;  // the key is the tensor's name

// The parts that are not rounded.
struct StaysFloat {
  std::vector<bool> layers = {};  // one per layer of find_quant_layers(); empty: none
  // Names of activations. An operator that would read them as integers, or can only produce them as
  // integers, runs in float.
  std::set<std::string, std::less<>> tensors = {};
  bool operator==(const StaysFloat&) const = default;
};

struct QdqPlan {
  TensorRanges ranges;  // for at least all quant_tensors()
  StaysFloat keep_float;
  FillElements fill = {};  // gives elements that the model does not store
  // Use 7-bit weights, for processors that saturate sums of 8-bit products at 16 bits.
  bool reduce_range = false;
  WeightChoice weights = WeightChoice::MinMax;
};

struct QuantizedModel {
  Model model;
  std::vector<bool> int8;  // one per layer
  // Names of each layer's nodes, in layer order. Nodes that had no name have been given one.
  std::vector<std::vector<std::string>> nodes;
  // Nodes of the original that stay in float, among the operators that quantizers change: the list
  // to pass to ONNX Runtime's quantize_static as nodes_to_exclude.
  std::vector<std::string> excluded;
  std::size_t int8_nodes = 0;  // in addition to those of layers: Add, MaxPool, …
};

// The tensors that a plan needs ranges for, whichever layers it keeps in float.
std::vector<TensorId> quant_tensors(const Model& model, const std::vector<QuantLayer>& layers);

// Norms are folded into the layers that become int8. The result consists of views into `model`,
// which must outlive it. Refused are a model that already has Q/DQ or int8 operators, one with
// nothing to quantize, and one in an operator set that is too old.
Result<QuantizedModel> quantized(const Model& model, const std::vector<QuantLayer>& layers,
                                 const QdqPlan& plan);

// Fails with a sentence if quantized() would refuse the model because it is already quantized.
Status check_not_quantized(const Model& model);

// True if this processor, judging by its instructions, saturates sums of two uint8 × int8 products
// at 16 bits: x86 without VNNI.
bool cuts_off_products(const std::vector<std::string>& isa);

}  // namespace strata
