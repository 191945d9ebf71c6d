// A network on its samples, as what parts of it are run on and compared with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "strata/engine/engine.h"
#include "strata/measure/dataset.h"

namespace strata {

// The network, or a changed one: its outputs, and activations at the cuts. Samples are run
// when they are first asked for, and kept.
class Reference {
 public:
  using Sample = std::vector<HostTensor>;

  // `kept`: names of activations.
  Reference(const Dataset& data, const Model& model, std::vector<std::string> kept);

  Status open(const Engine& engine, const ModelBytes& bytes, SessionOptions options);

  // True if it had to be run.
  Result<bool> prepare(std::size_t sample);
  // Of one that is prepared.
  Sample outputs(std::size_t sample) const { return chosen(sample, outputs_); }
  // What a tail is given: activations, and inputs of the network.
  Result<Sample> at(std::size_t sample, const std::vector<std::string>& names) const;

 private:
  Sample chosen(std::size_t sample, const std::vector<std::string>& names) const;

  const Dataset& data_;
  std::vector<std::string> kept_, outputs_, inputs_;
  std::optional<Session> session_;
  std::vector<std::map<std::string, HostTensor>> samples_;
};

}  // namespace strata
