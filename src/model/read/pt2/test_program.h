// A small exported program for tests, written by hand: y = relu(x), with parts that tests replace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "read/zip/test_zip.h"

namespace strata::pt2::test {

using unzip::test::zipped;

struct ProgramParts {
  std::string version = R"({"major": 8, "minor": 20})";
  std::string target = "torch.ops.aten.relu.default";
  std::string arguments = R"([{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}])";
  std::string size = R"({"as_int": 3})";  // of the only axis
  std::string specs = R"([{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}])";
};

inline std::string program(const ProgramParts& parts = {}) {
  const std::string type = R"({"dtype": 7, "sizes": [)" + parts.size +
                           R"(], "requires_grad": false, "strides": [{"as_int": 1}]})";
  return R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}],)"
         R"( "outputs": [{"as_tensor": {"name": "y"}}], "nodes": [{"target": ")" +
         parts.target + R"(", "inputs": )" + parts.arguments +
         R"(, "outputs": [{"as_tensor": {"name": "y"}}], "metadata": {"stack_trace":)"
         R"( "File \"a.py\", line 1\n", "nn_module_stack": "k,,Net"}}],)"
         R"( "tensor_values": {"x": )" +
         type + R"(, "y": )" + type + R"(}, "sym_int_values": {}}, "signature": {"input_specs": )" +
         parts.specs +
         R"(, "output_specs": []}, "module_call_graph": []},)"
         R"( "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": )" +
         parts.version + R"(, "torch_version": "2.13.0"})";
}

// An archive of PyTorch 2.9 or newer.
inline std::string archive(const std::string& json, bool deflated = false) {
  return zipped({{"m/models/model.json", json, deflated}, {"m/archive_format", "pt2"}}, true);
}

}  // namespace strata::pt2::test
