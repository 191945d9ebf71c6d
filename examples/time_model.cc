// Prints how long a model takes, and which layers take the time: time_model MODEL [ENGINE]
#include <cstdio>
#include <string>

#include "strata/report/report.h"
#include "strata/task/timing.h"

namespace {

strata::Status run(const std::string& path, const std::string& engine) {
  const strata::ModelRequest model{path};
  auto loaded = strata::load_one_item(model);
  if (!loaded) return failure(loaded);
  strata::TimingRequest request;
  request.engine = {.engine = engine, .threads = 1};
  request.seconds = 1;
  const auto timed = strata::run_timing(*loaded, model, request);
  if (!timed) return failure(timed);

  strata::ProfileOptions options;
  if (timed->timing) options.timing = &*timed->timing;
  options.timing_facts = timed->facts;
  const auto profile = strata::make_profile(loaded->model, loaded->inference, options);
  if (!profile) return failure(profile);
  std::fputs(strata::to_table(*profile).c_str(), stdout);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL [ENGINE]\n", argv[0]);
    return 2;
  }
  const auto done = run(argv[1], argc > 2 ? argv[2] : "onnxruntime");
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
