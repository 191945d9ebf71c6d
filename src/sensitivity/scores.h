// Compares one sample's outputs with those of the network in floats.
#pragma once

#include <span>

#include "strata/sensitivity/sensitivity.h"

namespace strata {

// Outputs are matched by name; an output that `other` lacks counts as the same. `labels`: one for
// each row of an output that looks like class scores, or none.
Result<SampleScore> score_of(std::span<const HostTensor> floats, std::span<const HostTensor> other,
                             std::span<const std::int64_t> labels);
// The same with the labels and the command of the options.
Result<SampleScore> judge_sample(const SensitivityOptions& options, const Dataset& data,
                                 std::size_t sample, std::span<const HostTensor> floats,
                                 std::span<const HostTensor> other);

}  // namespace strata
