// What `strata quantize` knows of the data: ranges, and samples to judge answers on that no
// range comes from.
#pragma once

#include "cli/quantize_run.h"

namespace strata::cli {

class QuantizeSamples {
 public:
  // `model` must stay where it is. Reads the file of ranges, or calibrates.
  static Result<QuantizeSamples> find(const QuantizeRequest& request, const LoadedModel& model);

  const TensorRanges& ranges() const { return ranges_; }
  bool random() const { return random_; }
  const std::string& words() const { return words_; }  // `minmax of 100 samples of ranges.json`

  // At most so many, behind those that ranges come from. An error if there is none.
  Result<Dataset> held_out(std::int64_t most) const;

 private:
  QuantizeSamples(const QuantizeRequest& request, const LoadedModel& model)
      : request_(&request), model_(&model), data_(request.data) {}
  Result<Calibration> calibrated();
  Result<Calibration> read();
  Status find_data(const Calibration& calibration);

  const QuantizeRequest* request_;
  const LoadedModel* model_;
  DataOptions data_;
  std::int64_t used_ = 0;  // samples of data_ that ranges come from
  bool has_own_ = false;   // none of data_ was calibrated on
  TensorRanges ranges_;
  bool random_ = false;
  std::string words_;
};

}  // namespace strata::cli
