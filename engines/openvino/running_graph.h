// The graph that OpenVINO runs, and which nodes of the file each of its kernels computes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <openvino/core/model.hpp>

#include "engines/onnxruntime/kernel_types.h"
#include "marks.h"
#include "strata/engine/plugin.h"
#include "strata/graph/graph.h"

namespace strata::openvino {

struct RunningKernel {
  std::string key;        // OpenVINO's name for it, as in profiles
  std::string name;       // the same with names from the file, unique
  std::string op;         // `Convolution`
  std::string primitive;  // `brgconv_avx512_1x1_f32`
  StrataKernelKind kind = STRATA_KERNEL_OTHER;
  std::vector<std::string> sources;  // as node_keys() calls them
  ort::KernelTypes types;
  std::vector<std::vector<std::int64_t>> output_dims;  // empty where a size is open
  bool runs = true;  // false: it takes no time, because its output is its input's memory
};

struct RunningGraph {
  std::vector<RunningKernel> kernels;                       // in running order
  std::vector<std::pair<std::string, std::string>> absent;  // source nodes in no kernel, and why
  std::int64_t weight_bytes = 0;                            // of the constants that it reads
};

// The nodes of a running graph in the order in which they run, and whether one is a kernel: not a
// constant, an input or an output.
std::vector<std::shared_ptr<ov::Node>> ops_in_order(const ov::Model& running);
bool is_kernel(const ov::Node& node);

// `running` is what ov::CompiledModel::get_runtime_model() returns.
RunningGraph read_running_graph(const Model& source, const Marks& marks, const ov::Model& running);

}  // namespace strata::openvino
