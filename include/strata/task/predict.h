// The job behind `strata predict`: predicts the cost of a network on other devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/predict/predict.h"
#include "strata/report/predict.h"
#include "strata/task/model.h"

namespace strata {

struct PredictRequest {
  ModelRequest model;
  std::vector<Device> devices;
  std::optional<Runtime> runtime = {};  // nullopt: eager on GPUs, compiled on the others
  std::string precision = {};           // empty: the usual one of each device
  ChannelOrder channels = ChannelOrder::First;
  bool batches = true;  // also other batches, if the model can have them
};

// It may be moved, but not copied: costs refer to the model.
struct PredictOutcome {
  PredictOutcome() = default;
  PredictOutcome(PredictOutcome&&) = default;
  PredictOutcome& operator=(PredictOutcome&&) = default;

  LoadedModel loaded;
  Costs costs;
  Layers layers;
  std::vector<PredictedDevice> devices;  // the fastest first
  std::optional<std::int64_t> batch;     // first axis of the first input
  std::vector<std::string> notes;

  PredictSource source() const { return {loaded.model, costs, layers, devices, batch, notes}; }
};

// Nothing is run. A device that states no peak for the precision is left out with a note, unless
// none is left.
Result<PredictOutcome> run_predict(const PredictRequest& request, const Observer& observer = {});

}  // namespace strata
