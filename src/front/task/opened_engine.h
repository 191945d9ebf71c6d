// An engine together with a model that it can open, as jobs need them.
#pragma once

#include <cstdint>

#include "strata/task/engine.h"
#include "strata/task/model.h"

namespace strata {

struct OpenedEngine {
  Engine engine;
  SessionOptions session;
  EngineModel model;
};
Result<OpenedEngine> open_engine(const EngineRequest& request, const LoadedModel& loaded,
                                 const ModelRequest& model, std::uint64_t seed);

}  // namespace strata
