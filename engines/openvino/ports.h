// Inputs and outputs of a session in the form of the contract.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include <openvino/core/model.hpp>

#include "strata/engine/plugin.h"
#include "strata/graph/graph.h"

namespace strata::openvino {

// ONNX's number for a type of OpenVINO and the other way round; 0 and `dynamic` for those that only
// one of them has.
std::int32_t onnx_type(const ov::element::Type& type);
ov::element::Type ov_type(std::int32_t number);

class Ports {
 public:
  // OpenVINO forgets the names of open sizes, so the file's own inputs are described from `source`.
  void read_inputs(const Model& source);
  void add_output(const std::string& name, const ov::Output<const ov::Node>& output);

  std::span<const StrataPort> inputs() const { return inputs_; }
  std::span<const StrataPort> outputs() const { return outputs_; }

 private:
  struct Text {
    std::string name;
    std::vector<std::int64_t> dims;
    std::vector<std::string> symbols;
    std::vector<const char*> symbol_pointers;
  };
  static StrataPort described(Text& text, std::int32_t dtype, bool ranked);

  std::deque<Text> texts_;  // what the ports point into
  std::vector<StrataPort> inputs_, outputs_;
};

}  // namespace strata::openvino
