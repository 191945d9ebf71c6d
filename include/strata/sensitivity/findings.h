// Properties that the most sensitive layers share: sentences with their evidence.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/edit/layers.h"

namespace strata {

struct Finding {
  std::string group;                // `exit convolutions of MBConv: a norm, no activation`
  std::vector<std::size_t> layers;  // the layers of the group, or the one that stands out
  double median = 0;                // median of their drops
  double elsewhere = 0;             // median of the drops of all other layers
  std::size_t others = 0;           // the number of those other layers
  // Probability that layers picked at random rank as high: rank-sum, by permutation, times the
  // number of groups that were tested. 1 if the group is too small to say much.
  double p = 1;
  std::string sentence;
};

// Groups of layers by kind and place whose drops are clearly above those of the others:
// - groups of two or more layers whose median is at least twice that of the others, with p ≤ 0.05,
//   or in which every layer has at least ten times the others' median;
// - single layers with at least ten times the others' median that are in no such group.
// Once a group is found, its layers are set aside, so that a second finding does not repeat the
// first in other words. `drops` has one entry per layer; nullopt: not known. With fewer than four
// known layers, nothing is found.
std::vector<Finding> find_patterns(const std::vector<QuantLayer>& layers,
                                   std::span<const std::optional<double>> drops);

// The kind and place of a layer in words: `exit of MBConv, pointwise, no activation`.
std::string layer_words(const QuantLayer& layer);

}  // namespace strata
