// The options of commands that run a model on an engine, whatever for.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "strata/task/engine.h"

namespace strata::cli {

struct EngineOptions {
  std::string engine = "onnxruntime";  // NAME, or NAME:KEY=VALUE,…
  std::string path, device, provider;
  std::string threads = "1";
  std::vector<std::string> own;  // KEY=VALUE, as they were once given apart

  // Gives their names, for rules.
  std::vector<std::string> add_to(App& app);
  // Returns the request, with mistakes named by their option.
  Result<EngineRequest> request() const;
};

}  // namespace strata::cli
