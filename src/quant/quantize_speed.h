// What int8 brings: a model in floats and one of int8, by turns.
#pragma once

#include "quant/layer_speed.h"
#include "strata/quant/quantize.h"

namespace strata {

class QuantizeSpeed {
 public:
  // Writes inputs to the task's scratch folder. The task must stay where it is.
  static Result<QuantizeSpeed> prepare(const QuantizeTask& task, const QuantizeObserver& observer);

  // How much faster the second file is, in processes of their own that take turns. Without
  // `seconds` in the task, by how long an inference took when layers were timed.
  Result<BenchResult> compare(const std::string& base, const std::string& other) const;

  // Rows of both models, whose sessions take turns.
  Result<PairTimes> layers(const ModelSource& base, const LayerNames& base_names,
                           const ModelSource& other, const LayerNames& other_names);

 private:
  const QuantizeTask* task_ = nullptr;
  const QuantizeObserver* observer_ = nullptr;
  std::vector<HostTensor> inputs_;
  std::string inputs_file_;
  double whole_ = 0;  // seconds of an inference of both, once measured
};

}  // namespace strata
