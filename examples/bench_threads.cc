// Compares one thread with two, and says how certain the result is: bench_threads MODEL [ENGINE]
#include <cstdio>
#include <string>
#include <string_view>

#include "strata/bench/child.h"
#include "strata/task/bench.h"

int main(int argc, char** argv) {
  // Each variant is measured in processes of its own, which are copies of this program.
  if (argc == 2 && std::string_view(argv[1]) == "worker")
    return strata::worker_main(strata::kWorkerFd, strata::kWorkerFd);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL [ENGINE]\n", argv[0]);
    return 2;
  }
  const auto engine = strata::parse_engine_style(argc > 2 ? argv[2] : "onnxruntime");
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().message.c_str());
    return 2;
  }
  strata::BenchRequest request;
  request.models = {{.source = argv[1]}};
  request.engines = {*engine};
  request.threads = {1, 2};
  request.method.max_seconds = 10;

  strata::Observer observer;
  observer.progress = [](std::string_view stage, double share) {
    std::fprintf(stderr, "\r%.*s %3.0f %%\x1b[K", static_cast<int>(stage.size()), stage.data(),
                 100 * share);
  };
  const auto run = strata::run_bench(request, observer);
  std::fputs("\r\x1b[K", stderr);
  if (!run) {
    std::fprintf(stderr, "%s\n", run.error().message.c_str());
    return 1;
  }
  std::fputs(strata::bench_to_table(*run).c_str(), stdout);
  return 0;
}
