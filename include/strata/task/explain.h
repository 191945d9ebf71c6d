// The job behind `strata explain`: the formula behind each number of one layer.
#pragma once

#include <string>

#include "strata/cost/explain.h"
#include "strata/task/model.h"

namespace strata {

struct ExplainRequest {
  ModelRequest model;
  std::string layer;                  // as explain() takes it
  std::string convention = "strata";  // its name, or a JSON file of one
  ExplainStyle style = {};
};

// A layer on constants alone, which does not run with the others, is explained as well.
Result<std::string> run_explain(const ExplainRequest& request);

}  // namespace strata
