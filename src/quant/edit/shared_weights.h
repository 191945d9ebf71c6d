// Models in memory that share their weights: modified networks and tails of networks
// are opened again and again, and only what differs is written.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "strata/engine/engine.h"
#include "strata/write/onnx.h"

namespace strata {

// The views point into the model that it was made from, and into the SharedWeights.
struct SharedModel {
  std::string model;
  std::vector<ModelBytes::Stored> stored;
  ModelBytes bytes() const { return {model, stored}; }
};

class SharedWeights {
 public:
  // `original` is the network that all others are made from; it must outlive this object. `fill`
  // gives elements that it does not have, and is asked once for each.
  SharedWeights(const Model& original, const FillElements& fill)
      : original_(original), fill_(fill) {}

  // The model without the elements of its large stored tensors. `changed` must live as long
  // as the result is used.
  Result<SharedModel> write(Model& changed);

 private:
  Result<std::string_view> elements_of(const TensorData& data);

  const Model& original_;
  const FillElements& fill_;
  std::map<std::string, std::string, std::less<>> filled_;  // by name
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> files_;
};

}  // namespace strata
