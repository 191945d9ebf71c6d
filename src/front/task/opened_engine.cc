#include "task/opened_engine.h"

#include <utility>

namespace strata {

Result<OpenedEngine> open_engine(const EngineRequest& request, const LoadedModel& loaded,
                                 const ModelRequest& model, std::uint64_t seed) {
  auto engine = request.load();
  if (!engine) return failure(engine);
  auto session = request.session();
  if (!session) return failure(session);
  auto bytes = engine_model(loaded, model, seed);
  if (!bytes) return failure(bytes);
  return OpenedEngine{std::move(*engine), std::move(*session), std::move(*bytes)};
}

}  // namespace strata
