// Inputs and outputs of a session in the form of the contract.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "api.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

class Ports {
 public:
  void read(const Ort::Session& session);

  std::span<const StrataPort> inputs() const { return inputs_; }
  std::span<const StrataPort> outputs() const { return outputs_; }
  // For Run: in the order of the ports.
  const std::vector<const char*>& output_names() const { return output_names_; }

 private:
  StrataPort add(const std::string& name, const Ort::TypeInfo& type);

  struct Text {
    std::string name;
    std::vector<std::int64_t> dims;
    std::vector<std::string> symbols;
    std::vector<const char*> symbol_pointers;
  };
  std::deque<Text> texts_;  // what the ports point into
  std::vector<StrataPort> inputs_, outputs_;
  std::vector<const char*> output_names_;
};

}  // namespace strata::ort
