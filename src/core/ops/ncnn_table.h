// The lookup of ncnn's layers, which have a table of their own.
//
// A blob of ncnn has no batch. It is read as a tensor with a first axis of 1, so that images are
// N×C×H×W as elsewhere, and axes are counted from the second one.
#pragma once

#include <span>
#include <string_view>

#include "ops/registry.h"

namespace strata {

inline constexpr std::string_view kNcnn = "ncnn";

std::span<const Family> ncnn_families();
const OpRule* find_ncnn_rule(std::string_view op);

}  // namespace strata
