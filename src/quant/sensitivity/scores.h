// Compares one sample's outputs with those of the network in float.
#pragma once

#include <span>

#include "strata/sensitivity/sensitivity.h"

namespace strata {

// An interval of fewer samples says nothing.
inline constexpr std::size_t kFewestForInterval = 4;

// Outputs are matched by name; an output that `other` lacks counts as the same. `labels`: one for
// each row of an output that looks like class scores, or none.
Result<SampleScore> score_of(std::span<const HostTensor> floats, std::span<const HostTensor> other,
                             std::span<const std::int64_t> labels);
// Like above, with the labels and the command of the options.
Result<SampleScore> judge_sample(const SensitivityOptions& options, const Dataset& data,
                                 std::size_t sample, std::span<const HostTensor> floats,
                                 std::span<const HostTensor> other);

// 95 % of what `a` loses more than `b`, by drop_of(), where both are scores of the same samples: a
// bootstrap that draws the same samples for both. nullopt with fewer than four samples.
std::optional<Interval> drop_difference(Quality quality, std::span<const SampleScore> a,
                                        std::span<const SampleScore> b,
                                        std::span<const SampleScore> baseline);

}  // namespace strata
