// Where does a split between a small machine and a large one pay: split_model MODEL [LINK in Mbps]
// The speeds are stated here; `profile` of a machine takes times that were measured instead.
#include <cstdio>
#include <cstdlib>

#include "strata/task/payload.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL [LINK]\n", argv[0]);
    return 2;
  }
  const double megabits = argc > 2 ? std::atof(argv[2]) : 50;
  strata::SplitRequest split;
  split.options.link_bytes_per_second = megabits * 1e6 / 8;
  split.options.round_trip_seconds = 0.005;
  split.options.precision = strata::Precision::Fp16;  // floats are sent as fp16
  split.edge = {.speed = strata::MachineSpeed{100e9, 10e9}, .name = "100 GFLOP/s, 10 GB/s"};
  split.server = {.speed = strata::MachineSpeed{10e12, 500e9}, .name = "10 TFLOP/s, 500 GB/s"};

  strata::PayloadRequest request;
  request.model.source = argv[1];
  request.model.sizes.batch = 1;
  request.boundaries = request.cuts = false;
  request.split = split;
  const auto outcome = strata::run_payload(request);
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.error().message.c_str());
    return 1;
  }

  // The answer in numbers, and the report that `strata payload --split` prints.
  const strata::Split& found = *outcome->split;
  const double link = found.options.link_bytes_per_second;
  std::printf("%.1f ms with the best split, %.1f ms on the edge, %.1f ms on the server\n\n",
              1e3 * found.latency(found.best, link), 1e3 * found.latency(found.all_edge, link),
              1e3 * found.latency(found.all_server, link));
  std::fputs(strata::split_text(outcome->source(), *outcome->named_split(), {}).c_str(), stdout);
  return 0;
}
