#include "strata/task/engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "strata/machine/machine.h"

namespace strata {

Result<Engine> EngineRequest::load() const { return load_engine(engine, path); }

Result<SessionOptions> EngineRequest::session() const {
  for (const std::string& option : own)
    if (const std::size_t equals = option.find('='); equals == 0 || equals == option.npos)
      return failure(fmt::format("option {} of the engine: write it as KEY=VALUE", option),
                     ErrorKind::Usage);
  SessionOptions session;
  session.device = device;
  session.provider = provider;
  session.options = own;
  session.threads = threads > 0 ? threads : std::max(read_machine().cores, 1);
  session.optimization = optimization;
  return session;
}

}  // namespace strata
