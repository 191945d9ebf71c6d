// Models with weights for the tests of engines, and inputs for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/build/builder.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"

namespace strata::test {

// The engines beside the tests that open ONNX files, and those that open TorchScript files. They
// are told by their names: to open one of these takes half a second.
std::vector<std::string> onnx_engines();
std::vector<std::string> script_engines();

// A network of the zoo as an ONNX file in memory, with random weights.
std::string zoo_bytes(std::string_view name_and_arguments);
// The bytes of a network that was built by hand.
std::string bytes_of(build::Builder net);
std::string bytes_of(const Model& model);

// Elements for every input, from its port and the given open sizes; equal seeds give equal
// elements.
std::vector<HostTensor> inputs_for(const std::vector<Port>& ports, std::uint64_t seed = 1,
                                   std::int64_t open_size = 1);

// Checks how nodes are assigned to kernels: every node must be in one list of sources, or absent.
struct Assignment {
  std::size_t kernels = 0;  // different ones
  std::size_t assigned = 0, absent = 0;
  std::vector<std::string> mistakes;  // sentences; none if all is well
};
Assignment check_assignment(const Model& model, const std::vector<Kernel>& kernels,
                            const std::vector<Session::Absent>& absent);

}  // namespace strata::test
