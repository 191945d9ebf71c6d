// The layers of a network that can be computed in integers: a convolution or a product with a
// stored matrix, together with the norm and the activation that follow it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/layers.h"
#include "strata/graph/graph.h"

namespace strata {

// The part a layer plays in its block, judged by its surroundings.
enum class LayerRole : std::uint8_t {
  Plain,
  BlockExit,         // no activation, and the block's sum or the next block follows
  Shortcut,          // no activation; it runs beside a block and feeds the block's sum
  AttentionInput,    // no activation, and a product of two activations follows
  AttentionScaling,  // a pointwise AttentionInput with no norm, directly after another such layer
};
// `plain`, `block exit`, `shortcut`, `attention input`, `attention scaling`
std::string_view name_of(LayerRole role);

// The block that a BlockExit ends, judged by the layer before it.
enum class BlockKind : std::uint8_t {
  None,
  MBConv,       // a depthwise convolution, then a pointwise one
  FusedMBConv,  // a full convolution that widens, then a pointwise one
  Residual,     // any other block that ends in a sum
};
std::string_view name_of(BlockKind kind);  // `MBConv`, `fused MBConv`, `residual`; empty for None

struct QuantLayer {
  // `features.0.0`. Unlike the path of a layer of `stat`, it is unique: `attn.MatMul_1` if the
  // module has several layers, `head.conv#2` for a second call.
  std::string path;
  std::string block;                  // `stage1:0:2`, if the network has such names
  std::string block_kind;             // `fmb`, taken from the same names
  LayerKind kind = LayerKind::Other;  // Conv, ConvTranspose, Linear

  NodeId main = kNone;        // Conv, ConvTranspose, Gemm, MatMul
  NodeId bias_add = kNone;    // the Add of a stored bias after a MatMul
  NodeId norm = kNone;        // BatchNormalization, or an Add of a per-channel bias after a Conv
  std::vector<NodeId> nodes;  // all of its nodes, in running order

  TensorId input = kNone;   // the activation that the main node reads
  TensorId weight = kNone;  // as the main node reads it
  TensorId bias = kNone;    // likewise, or as bias_add reads it
  TensorId linear = kNone;  // after bias and norm, before the activation
  TensorId output = kNone;  // output of the last node: `linear` if there is no activation

  LayerKind activation = LayerKind::Other;  // Other: none, unless has_activation
  bool has_norm = false;                    // a BatchNormalization
  bool has_activation = false;
  bool neither() const { return !has_norm && !has_activation; }

  std::int64_t weight_axis = 0;  // the axis of output channels
  std::int64_t groups = 1;
  std::vector<std::int64_t> kernel;  // empty for Linear
  bool depthwise = false;            // one group per channel
  bool pointwise = false;            // the window is one element; any number of groups
  bool first = false;                // no other layer is between it and the inputs
  bool last = false;                 // no other layer is between it and the outputs
  LayerRole role = LayerRole::Plain;
  BlockKind exit_of = BlockKind::None;
};

// `Conv+BatchNormalization+Relu`: its operators, without the arithmetic around them.
std::string operators_text(const Model& model, const QuantLayer& layer);

// The layers of the network's own graph, in running order; bodies of control flow are left as they
// are. Types must have been inferred. Weights must be f32 and stored.
std::vector<QuantLayer> find_quant_layers(const Model& model);

// Why find_quant_layers() found none, as a sentence. It names the nodes whose bodies contain
// layers.
std::string why_no_layers(const Model& model);

// The layers that the names refer to. A name is a path, a block (`stage1:0:2`), the name of a node,
// a module that contains layers (`features.0`), or a pattern with * and ?. A name that matches
// nothing is an error that lists what there is.
Result<std::vector<bool>> select_layers(const Model& model, const std::vector<QuantLayer>& layers,
                                        const std::vector<std::string>& names);

}  // namespace strata
