// The engine of a job: which one it is, and how it runs.
#pragma once

#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"

namespace strata {

struct EngineRequest {
  std::string engine = "onnxruntime";
  std::string path = {};              // folders to search for engines, separated by `:`
  std::string device = {};            // `cpu`, `cuda:0`; empty: the engine's own choice
  std::string provider = {};          // the engine's own backend
  std::vector<std::string> own = {};  // the engine's own options: KEY=VALUE
  int threads = 0;                    // 0: one for each core
  StrataOptimization optimization = STRATA_OPT_ALL;  // how far the engine may change the model

  Result<Engine> load() const;
  Result<SessionOptions> session() const;
};

}  // namespace strata
