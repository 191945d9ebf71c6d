// The results of a network on its samples, which its tails are run on and compared with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "strata/data/dataset.h"
#include "strata/engine/engine.h"

namespace strata {

// Runs the network, or a modified one, and keeps its outputs and its activations at the cuts.
// Samples are run when they are first asked for, and kept.
class Reference {
 public:
  using Sample = std::vector<HostTensor>;

  // `kept`: names of activations.
  Reference(const Dataset& data, const Model& model, std::vector<std::string> kept);

  Status open(const Engine& engine, const ModelBytes& bytes, SessionOptions options);

  // Returns true if the sample had to be run.
  Result<bool> prepare(std::size_t sample);
  // The outputs for a sample that is prepared.
  Sample outputs(std::size_t sample) const { return chosen(sample, outputs_); }
  // The inputs of a tail: activations, and inputs of the network.
  Result<Sample> at(std::size_t sample, const std::vector<std::string>& names) const;

 private:
  Sample chosen(std::size_t sample, const std::vector<std::string>& names) const;

  const Dataset& data_;
  std::vector<std::string> kept_, outputs_, inputs_;
  std::optional<Session> session_;
  std::vector<std::map<std::string, HostTensor>> samples_;
};

}  // namespace strata
