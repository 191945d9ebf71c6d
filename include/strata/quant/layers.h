// The layers of a network that can be computed in whole numbers: a convolution or a
// product with a stored matrix, with the norm and the activation that follow it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/layers.h"
#include "strata/graph/graph.h"

namespace strata {

// What a layer is to the block it stands in, judged by what is around it.
enum class LayerRole : std::uint8_t {
  Plain,
  BlockExit,         // no activation, and the block's sum, or the next block, follows
  Shortcut,          // no activation, beside a block and into its sum
  AttentionInput,    // no activation, and a product of two activations follows
  AttentionScaling,  // a pointwise one of these, with no norm, behind another of these
};
// `plain`, `block exit`, `shortcut`, `attention input`, `attention scaling`
std::string_view name(LayerRole role);

// The block that a BlockExit ends, judged by the layer before it.
enum class BlockKind : std::uint8_t {
  None,
  MBConv,       // a depthwise convolution, then a pointwise one
  FusedMBConv,  // a full convolution that widens, then a pointwise one
  Residual,     // any other that ends in a sum
};
std::string_view name(BlockKind kind);  // `MBConv`, `fused MBConv`, `residual`; empty for None

struct QuantLayer {
  // `features.0.0`; unlike that of a layer of `stat` it is the path of no other one:
  // `attn.MatMul_1` if the module has several, `head.conv#2` for a second call.
  std::string path;
  std::string block;                  // `stage1:0:2`, where the network has such names
  std::string block_kind;             // `fmb`, by the same names
  LayerKind kind = LayerKind::Other;  // Conv, ConvTranspose, Linear

  NodeId main = kNone;        // Conv, ConvTranspose, Gemm, MatMul
  NodeId bias_add = kNone;    // the Add of a stored bias after a MatMul
  NodeId norm = kNone;        // BatchNormalization, or an Add of a bias by channel after a Conv
  std::vector<NodeId> nodes;  // all of it, in running order

  TensorId input = kNone;   // the activation that the main node reads
  TensorId weight = kNone;  // as the main node reads it
  TensorId bias = kNone;    // likewise, or as bias_add does
  TensorId linear = kNone;  // after bias and norm, before the activation
  TensorId output = kNone;  // of the last node: `linear` if there is no activation

  LayerKind activation = LayerKind::Other;  // Other: there is none, unless has_activation
  bool has_norm = false;                    // a BatchNormalization
  bool has_activation = false;
  bool neither() const { return !has_norm && !has_activation; }

  std::int64_t weight_axis = 0;  // of output channels
  std::int64_t groups = 1;
  std::vector<std::int64_t> kernel;  // empty for Linear
  bool depthwise = false;            // as many groups as channels
  bool pointwise = false;            // a window of one element, whatever the groups
  bool first = false;                // no other layer is between it and the inputs
  bool last = false;                 // nor between it and the outputs
  LayerRole role = LayerRole::Plain;
  BlockKind exit_of = BlockKind::None;
};

// `Conv+BatchNormalization+Relu`: its operators that are not arithmetic around them.
std::string operators_text(const Model& model, const QuantLayer& layer);

// In running order, of the network's own graph: bodies of control flow stay as they are.
// Needs inferred types. Weights must be f32 and stored.
std::vector<QuantLayer> find_quant_layers(const Model& model);

// Why it found none, a sentence: names the nodes in whose bodies there are layers.
std::string why_no_layers(const Model& model);

// The layers that the names mean: a path, a block (`stage1:0:2`), the name of a node, a
// module that layers are in (`features.0`), or a pattern with * and ?. A name that means
// none is an error that says what there is.
Result<std::vector<bool>> select_layers(const Model& model, const std::vector<QuantLayer>& layers,
                                        const std::vector<std::string>& names);

}  // namespace strata
