// The programs of XNNPACK's delegates: graphs of nodes whose images have their channels last. Nodes
// become those operators of ATen's and TensorFlow Lite's that compute the same.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "read/executorch/plan.h"

namespace strata::executorch {

bool looks_like_xnnpack(std::string_view program);
// Adds the nodes of the program. `scope` is the path of the call: `xnnpack_0`.
void read_xnnpack(PlanReader& plan, std::string_view program, std::span<const std::int32_t> args,
                  std::string_view scope);

}  // namespace strata::executorch
