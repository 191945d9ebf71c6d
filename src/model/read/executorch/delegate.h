// Parts of a program that another library runs. XNNPACK's are opened; others are one node each.
#pragma once

#include <cstdint>
#include <span>

#include "read/executorch/plan.h"

namespace strata::executorch {

// `args` are the values that the call is given, inputs before outputs; `number` counts the calls.
void read_delegate(PlanReader& plan, const Table& delegate, std::span<const std::int32_t> args,
                   std::uint32_t number);

}  // namespace strata::executorch
