#include "strata/task/engines.h"

#include <algorithm>

#include <fmt/format.h>

#include "strata/engine/engine.h"
#include "task/try_engine.h"

namespace strata {

Result<std::vector<TriedEngine>> run_engines(const EnginesRequest& request,
                                             const Observer& observer) {
  std::vector<std::string> names = engine_names(request.path);
  if (!request.name.empty())
    names = {request.name};
  else if (std::find(names.begin(), names.end(), "onnxruntime") == names.end())
    names.emplace_back("onnxruntime");
  std::vector<TriedEngine> all;
  for (const std::string& name : names) {
    if (observer.stopped()) break;
    observer.show(name, static_cast<std::int64_t>(all.size()),
                  static_cast<std::int64_t>(names.size()));
    auto engine = try_engine({.name = name,
                              .path = request.path,
                              .precisions = {"fp32", "fp16", "bf16", "int8"},
                              .seconds = request.seconds,
                              .program = request.program},
                             observer);
    if (!engine && engine.error().code == Code::Cancelled) break;
    if (!engine && !request.name.empty()) return failure(engine);
    if (engine && !engine->failed.empty() && !request.name.empty())
      return failure(fmt::format("{} {}", name, engine->failed));
    all.push_back(engine ? std::move(*engine)
                         : TriedEngine{.name = name, .missing = observer.phrased(engine.error())});
  }
  return all;
}

}  // namespace strata
