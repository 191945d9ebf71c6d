// The options of commands that run a model on data.
#pragma once

#include <string>

#include "strata/task/data.h"

namespace strata::cli {

class App;

struct DataOptions : DataRequest {
  std::string channels = "rgb";

  // A command that has --seed already keeps its own, and sets data.seed from it.
  void add_to(App& app);
  // Returns the request: either a folder or random samples.
  Result<DataRequest> request() const;
  // Like above; also for no request at all.
  DataRequest request_if_any() const;
};

}  // namespace strata::cli
