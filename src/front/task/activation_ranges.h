// Ranges of activations for run_sensitivity(): from a file, or from the samples themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/calibrate/calibrate.h"
#include "strata/calibrate/range.h"
#include "strata/calibrate/ranges_file.h"
#include "strata/sensitivity/sensitivity.h"

namespace strata {

struct ActivationRanges {
  TensorRanges ranges;
  ActivationSqnr sqnr;  // of the tensors when they are rounded
  std::string words;    // `minmax of the same 64 samples`
};

struct RangesWanted {
  const Model& model;
  std::string name;                    // of the model, in messages
  std::vector<TensorId> tensors;       // of its main graph
  std::optional<RangeOptions> choice;  // nullopt: the file's, or min-max
  int bits = 8;
};

// `percentile 99.9`
std::string choice_words(const RangeOptions& choice);

// Returns the ranges of all tensors that were watched.
Result<TensorRanges> ranges_of(const Calibration& calibration, const RangeOptions& choice);

// Chooses ranges from a file of run_calibrate().
Result<ActivationRanges> ranges_from_file(const RangesWanted& wanted, const std::string& path);

// Chooses ranges after a pass over all samples of `data`; nullopt if it was stopped. `layers`
// provides names for the tensors in messages.
Result<std::optional<ActivationRanges>> ranges_from_samples(
    const RangesWanted& wanted, const std::vector<QuantLayer>& layers, const Engine& engine,
    const SessionOptions& session, const ModelSource& source, const Dataset& data,
    const Observer& observer);

}  // namespace strata
