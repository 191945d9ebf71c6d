// Compares the outputs of two forms of one network on samples, in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/sensitivity/sensitivity.h"
#include "strata/task/data.h"
#include "strata/task/engine.h"
#include "strata/task/model.h"

namespace strata {

struct JudgeRequest {
  ModelRequest floats;
  std::string other;  // the other form, a file
  DataRequest data;
  EngineRequest engine = {};
  std::string program = {};  // starts the process (strata/task/worker.h)
};

Result<std::vector<SampleScore>> judge_outputs(const JudgeRequest& request,
                                               const Observer& observer);

// The process's side.
Result<std::vector<SampleScore>> run_judge_job(const JudgeRequest& request,
                                               const Observer& observer);

}  // namespace strata
