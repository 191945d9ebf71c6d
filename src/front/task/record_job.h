// The request to the process that records a model, and its answer.
#pragma once

#include <string>

#include "strata/task/record.h"

namespace strata {

// The recording.
Result<std::string> run_record_job(const RecordRequest& request, const Observer& observer);

}  // namespace strata
