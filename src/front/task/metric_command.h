// A command of the user that judges outputs.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "strata/base/result.h"
#include "strata/engine/engine.h"

namespace strata {

using JudgeOutputs =
    std::function<Result<double>(std::span<const HostTensor>, std::span<const HostTensor>)>;

// Runs `command` by /bin/sh with the paths of two .npz files, $1 with the outputs in float
// and $2 with those to judge, and takes the number that it prints. A command without a $ gets
// both paths at its end. It does not see Ctrl-C.
Result<double> run_metric_command(const std::string& command, const std::string& floats,
                                  const std::string& other);

// Writes both outputs to files and has the command judge them.
Result<JudgeOutputs> judge_by_command(const std::string& command);

}  // namespace strata
