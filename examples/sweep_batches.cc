// Runs one benchmark for each batch and keeps the results in a file: sweep_batches MODEL [ENGINE]
// If called again, it runs what is missing in sweep.jsonl.
#include <cstdio>
#include <string>
#include <string_view>

#include "strata/bench/child.h"
#include "strata/task/bench.h"
#include "strata/task/sweep.h"

int main(int argc, char** argv) {
  // The processes of a benchmark are copies of this program.
  if (argc == 2 && std::string_view(argv[1]) == "worker")
    return strata::worker_main(strata::kWorkerFd, strata::kWorkerFd);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL [ENGINE]\n", argv[0]);
    return 2;
  }
  const std::string model = argv[1], engine = argc > 2 ? argv[2] : "onnxruntime";
  strata::SweepRequest sweep;
  for (const char* batch : {"1", "2"})
    sweep.jobs.push_back({model + " batch " + batch, {model, batch}});
  sweep.output = "sweep.jsonl";
  // This function decides what the arguments of a job mean.
  sweep.run = [&](const strata::SweepJob& job, const std::atomic<bool>* stop) {
    strata::SweepAnswer answer;
    strata::BenchRequest request;
    request.models = {{.source = job.arguments[0]}};
    request.batches = {std::stoi(job.arguments[1])};
    request.method.max_seconds = 5;
    const auto style = strata::parse_engine_style(engine);
    if (style) request.engines = {*style};
    const auto run = strata::run_bench(request, {.stop = stop});
    if (run)
      answer.json = strata::bench_to_json(*run);
    else
      answer.error = run.error().message;
    answer.interrupted = run && !run->complete;
    return answer;
  };
  const auto done = strata::run_sweep(sweep);
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return 1;
  }
  std::fputs(strata::sweep_to_table(done->results).c_str(), stdout);
  return done->all_failed ? 1 : 0;
}
