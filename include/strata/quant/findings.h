// What the layers that lose most have in common: sentences with their evidence.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/quant/layers.h"

namespace strata {

struct Finding {
  std::string group;                // `exit convolutions of MBConv: a norm, no activation`
  std::vector<std::size_t> layers;  // of the group, or the one that stands out
  double median = 0;                // of their drops
  double elsewhere = 0;             // median of the drops of all other layers
  std::size_t others = 0;           // how many these are
  // That layers picked at random have ranks as high: rank-sum, by permutation, times the
  // number of groups that were looked at. 1 where the group is too small for it to say much.
  double p = 1;
  std::string sentence;
};

// Groups of layers by kind and place whose drops are clearly above those of the others:
// - two layers or more, with a median of twice that elsewhere or more, and p ≤ 0.05; or
//   every one of them with ten times the median elsewhere or more;
// - and single layers with ten times the median elsewhere or more that no such group has.
// Once a group is found its layers are set aside, so that a second finding is not the first
// one in other words. `drops` is by layer; nullopt: not known. Fewer than four known layers
// show nothing.
std::vector<Finding> find_patterns(const std::vector<QuantLayer>& layers,
                                   std::span<const std::optional<double>> drops);

// What a layer is by kind and place, in words: `exit of MBConv, pointwise, no activation`.
std::string layer_words(const QuantLayer& layer);

}  // namespace strata
