// The data of run_quantize(): ranges, and samples to judge answers on, from which no range comes.
#pragma once

#include "strata/calibrate/ranges_file.h"
#include "strata/task/quantize.h"

namespace strata {

class QuantizeSamples {
 public:
  // Reads the file of ranges, or calibrates. All arguments must outlive the result.
  static Result<QuantizeSamples> find(const QuantizeRequest& request, const Model& model,
                                      const Observer& observer);

  const TensorRanges& ranges() const { return ranges_; }
  bool random() const { return random_; }
  const std::string& words() const { return words_; }  // `minmax of 100 samples of ranges.json`

  // At most `most` samples, after those that ranges come from. An error if there are none.
  Result<Dataset> held_out(std::int64_t most) const;

 private:
  QuantizeSamples(const QuantizeRequest& request, const Model& model, const Observer& observer)
      : request_(&request), model_(&model), observer_(&observer), data_(request.data) {}
  Result<Calibration> calibrated();
  Result<Calibration> read();
  Status find_data(const Calibration& calibration);

  const QuantizeRequest* request_;
  const Model* model_;
  const Observer* observer_;
  DataRequest data_;
  std::int64_t used_ = 0;  // samples of data_ that ranges come from
  bool has_own_ = false;   // none of data_ was calibrated on
  TensorRanges ranges_;
  bool random_ = false;
  std::string words_;
};

}  // namespace strata
