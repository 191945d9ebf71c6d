// One sample's outputs against those of the network in floats.
#pragma once

#include <span>

#include "strata/quant/sensitivity.h"

namespace strata {

// Outputs are matched by name; one that `other` lacks is the same in both. `labels`: one for
// each row of an output that looks like scores of classes, or none.
Result<SampleScore> score_of(std::span<const HostTensor> floats, std::span<const HostTensor> other,
                             std::span<const std::int64_t> labels);
// The same with the labels and the command of the options.
Result<SampleScore> judge_sample(const SensitivityOptions& options, const Dataset& data,
                                 std::size_t sample, std::span<const HostTensor> floats,
                                 std::span<const HostTensor> other);

}  // namespace strata
