// The trunk of a ResNet, which detectors and segmenters also use.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "strata/zoo/zoo.h"

namespace strata::zoo {

// A norm over channels as a module of this name.
using NormLayer = Var (*)(Builder& net, std::string_view name, Var x);
Var plain_norm(Builder& net, std::string_view name, Var x);  // BatchNorm2d

struct ResNetShape {
  bool bottleneck = true;  // 1×1, 3×3, 1×1 with four times the channels; otherwise two 3×3
  std::array<std::int64_t, 4> blocks = {3, 4, 6, 3};
  std::int64_t groups = 1;
  std::int64_t group_width = 64;  // channels per group in the first stage's 3×3
  NormLayer norm = plain_norm;
};

// conv1 to layer4 in the open module. Returns the outputs of the four stages, at 1/4, 1/8, 1/16 and
// 1/32 of the image. By default, it is ResNet-50.
std::array<Var, 4> resnet_trunk(Builder& net, Var x, const ResNetShape& shape = {});

}  // namespace strata::zoo
