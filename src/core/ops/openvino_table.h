// OpenVINO's operators that are none of ONNX's own. All others are read as ONNX's.
#pragma once

#include <span>
#include <string_view>

#include "ops/registry.h"

namespace strata {

inline constexpr std::string_view kOpenvino = "openvino";

std::span<const Family> openvino_families();
const OpRule* find_openvino_rule(std::string_view op);

}  // namespace strata
