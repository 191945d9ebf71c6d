// The job that profiles a file which strata cannot read by itself: an engine runs it once, in a
// process of its own, and records what it does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/task/engine.h"
#include "strata/task/model.h"
#include "strata/task/worker.h"

namespace strata {

struct RecordRequest {
  ModelRequest model;
  EngineRequest engine = {.engine = "torch", .threads = 1};
  std::vector<std::string> inputs = {};  // `[NAME=]FILE`; empty: random elements
  std::uint64_t seed = 0;                // for random inputs
  std::string program = {};              // starts the process (strata/task/worker.h)
};

// The request with its recording, which load_model() then reads. Shapes come from the sizes of the
// model, and inputs are those of recorded_inputs(). If it is stopped, the process is ended at once:
// Code::Cancelled.
Result<ModelRequest> record_model(const RecordRequest& request, const Observer& observer = {});

// The inputs of such a model: the files, and random elements for shapes that have none. They are
// the same whenever they are made, so that a run takes the way that was recorded.
Result<std::vector<HostTensor>> recorded_inputs(const InferOptions& sizes,
                                                const std::vector<std::string>& files,
                                                std::uint64_t seed);

}  // namespace strata
