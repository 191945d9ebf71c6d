// Profiles that TensorRT's trtexec wrote (--exportProfile), and what they say of the nodes of the
// ONNX file that the engine was built from. Kernels are found by the names of the layers that
// TensorRT fused: `conv1 + relu1`, `PWN(PWN(a), b)`, `{ForeignNode[first...last]}`. Its other
// export
// (--exportLayerInfo, with --profilingVerbosity=detailed) states the nodes of each kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/measure/timing.h"

namespace strata {

bool looks_like_trtexec_profile(std::string_view text);
bool looks_like_trtexec_layers(std::string_view text);

struct TrtexecTiming {
  Timing timing;
  std::vector<std::string> notes;  // what could not be assigned, one sentence each
};
// `layers` is the text of the other export; it may be empty. Errors are sentences without the name
// of a file.
Result<TrtexecTiming> read_trtexec_timing(std::string_view profile, std::string_view layers,
                                          const Model& model);

}  // namespace strata
