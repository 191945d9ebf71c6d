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
  // What was asked for: either a folder or random samples.
  Result<DataRequest> request() const;
  // The same; also nothing at all.
  DataRequest request_if_any() const;
};

}  // namespace strata::cli
