// The kinds of layer that counting conventions know, after torch.nn.
#pragma once

#include <cstdint>

namespace strata {

enum class LayerKind : std::uint8_t {
  Other,  // none of these kinds
  Conv,
  ConvTranspose,
  Linear,
  BatchNorm,
  LayerNorm,
  GroupNorm,
  InstanceNorm,
  ReLU,
  ReLU6,
  LeakyReLU,
  PReLU,
  ELU,
  GELU,
  SiLU,
  Hardswish,
  Hardsigmoid,
  Sigmoid,
  Tanh,
  Softmax,
  MaxPool,
  AvgPool,
  AdaptiveAvgPool,
  AdaptiveMaxPool,
  Dropout,
  Flatten,
  Embedding,
  Upsample,
  Recurrent,
  Attention,
  MatMul,       // a product of two activations, between modules
  Elementwise,  // sum, product, … of activations, between modules
  Unknown,      // an operator that strata does not know; no convention has a rule for it
};

}  // namespace strata
