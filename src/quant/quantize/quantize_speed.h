// Measures what int8 gains: a model in float and one in int8 take turns.
#pragma once

#include "quantize/layer_speed.h"
#include "strata/quantize/quantize.h"

namespace strata {

class QuantizeSpeed {
 public:
  // Writes inputs to the task's scratch folder. The task must outlive the result.
  static Result<QuantizeSpeed> prepare(const QuantizeTask& task, const Observer& observer);

  // Measures the speedup of the second file, in separate processes that take turns. Without
  // `seconds` in the task, the time depends on how long an inference took when layers were timed.
  Result<BenchResult> compare(const std::string& base, const std::string& other) const;

  // Rows of both models, whose sessions take turns.
  Result<PairTimes> layers(const ModelSource& base, const LayerNames& base_names,
                           const ModelSource& other, const LayerNames& other_names);

 private:
  const QuantizeTask* task_ = nullptr;
  const Observer* observer_ = nullptr;
  std::vector<HostTensor> inputs_;
  std::string inputs_file_;
  double whole_ = 0;  // seconds of an inference of both, once measured
};

}  // namespace strata
