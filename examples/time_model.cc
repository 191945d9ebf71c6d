// Prints how long a model takes, and which layers take the time: time_model MODEL [ENGINE]
#include <cstdio>
#include <string>
#include <string_view>

#include "strata/report/report.h"
#include "strata/task/stat.h"

namespace {

strata::Status run(const std::string& path, const std::string& engine) {
  strata::StatRequest request{{path}};
  request.time.emplace();
  request.time->engine = {.engine = engine, .threads = 1};
  request.time->seconds = 1;
  const auto outcome = strata::run_stat(request);
  if (!outcome) return failure(outcome);
  std::fputs(strata::to_table(*outcome->shown).c_str(), stdout);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "worker")  // the process that runs the engine
    return strata::worker_main(strata::kWorkerFd, strata::kWorkerFd);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL [ENGINE]\n", argv[0]);
    return 2;
  }
  const auto done = run(argv[1], argc > 2 ? argv[2] : "onnxruntime");
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
