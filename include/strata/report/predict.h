// Predictions as a document, and the formula behind one layer's time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/cost/layers.h"
#include "strata/document/document.h"
#include "strata/predict/predict.h"

namespace strata {

struct BatchTime {
  double batch = 1;
  double seconds = 0, low = 0, high = 0, compute_share = 0;
};

struct PredictedDevice {
  Predictor predictor;
  std::shared_ptr<const std::vector<FusedKernel>> kernels;
  DeviceTime time;
  double weight_bytes = 0, activation_bytes = 0;  // in its precision, at the batch that was asked
  std::vector<BatchTime> batches = {};            // empty: other batches are not known
};

struct PredictSource {
  const Model& model;
  const Costs& costs;
  const Layers& layers;
  std::span<const PredictedDevice> devices;  // at least one
  std::optional<std::int64_t> batch;
  std::span<const std::string> notes;
};

// One device: a row for each kernel. Several: a row for each device.
Document predict_document(const PredictSource& source);

// The formula of each kernel that a layer runs in, with its numbers, on every device.
Result<std::string> explain_prediction(const PredictSource& source, std::string_view layer);

// The path of the layer that each kernel of the first device belongs to; empty: of none.
std::vector<std::string> kernel_layers(const PredictSource& source);

// True if weights and activations fit, of a microcontroller in flash and RAM; nullopt: the device
// does not say how much it holds.
std::optional<bool> fits(const PredictedDevice& device);

}  // namespace strata
