// Compares two forms of one network on the same samples.
#pragma once

#include "strata/measure/timing.h"
#include "strata/sensitivity/sensitivity.h"

namespace strata {

// Measures how far the outputs of `other` are from those of `floats`, sample by sample.
Result<std::vector<SampleScore>> compare_models(const Engine& engine, const ModelSource& floats,
                                                const ModelSource& other, const Dataset& data,
                                                const SessionOptions& session,
                                                const std::atomic<bool>* stop = nullptr,
                                                const std::function<void(double)>& progress = {},
                                                SampleSpan samples = {});

}  // namespace strata
