// From a model in floats to one in int8, step by step: quantize_model MODEL [ENGINE]
// The samples are random, so the numbers mean nothing; set `data.path` to a folder of your own.
#include <cstdio>
#include <string>
#include <string_view>

#include "strata/report/quantize.h"
#include "strata/report/sensitivity.h"
#include "strata/task/calibrate.h"
#include "strata/task/quantize.h"
#include "strata/task/sensitivity.h"

namespace {

strata::Status run(const std::string& model, const std::string& engine) {
  strata::DataRequest data;
  data.data = {.samples = 4, .random = true};

  // Finds ranges of activations. If it is stopped and started again, it resumes where ranges.json
  // ends.
  strata::CalibrateRequest calibrate{{model}, data, {.engine = engine}};
  calibrate.output = "ranges.json";
  if (auto done = strata::run_calibrate(calibrate); !done) return failure(done);

  // Which layers break when they are quantized?
  strata::SensitivityRequest sensitivity{{model}, data, {.engine = engine}};
  sensitivity.ranges = calibrate.output;
  const auto scores = strata::run_sensitivity(sensitivity);
  if (!scores) return failure(scores);
  std::fputs(strata::sensitivity_to_table(scores->run, 5).c_str(), stdout);

  // Writes the model, keeping in floats those layers that the answers need.
  strata::QuantizeRequest quantize{{model}, {}, {.engine = engine}};
  quantize.ranges = calibrate.output;  // answers are judged on the samples after its own
  quantize.keep_float = {"auto"};
  quantize.target.min_sqnr = -100;  // random answers cannot meet a real target
  quantize.time = false;
  quantize.output = "int8.onnx";
  const auto report = strata::run_quantize(quantize);
  if (!report) return failure(report);
  std::fputs(strata::quantize_text(*report, {}).c_str(), stdout);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  // The jobs start this program again: what an engine does to its process does not end ours.
  if (argc == 2 && std::string_view(argv[1]) == "worker")
    return strata::worker_main(strata::kWorkerFd, strata::kWorkerFd);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL [ENGINE]\n", argv[0]);
    return 2;
  }
  const auto done = run(argv[1], argc > 2 ? argv[2] : "onnxruntime");
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
