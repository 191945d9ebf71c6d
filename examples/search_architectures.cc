// A small architecture search: builds networks in code, costs each, and keeps
// those that no other beats in both parameters and MACs. search_architectures
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "strata/build/builder.h"
#include "strata/cost/cost.h"

using strata::build::Builder;
using strata::build::Var;

struct Candidate {
  int width, depth, kernel;
  std::int64_t params = 0, macs = 0;
  bool beats(const Candidate& b) const {
    return params <= b.params && macs <= b.macs && (params < b.params || macs < b.macs);
  }
};

// A plain stack of convolutions, each stage half the size and twice as wide.
static strata::Result<strata::build::Network> describe(const Candidate& candidate) {
  Builder net("Stack");
  Var x = net.input("input", {1, 3, 64, 64});
  for (int stage = 0; stage < 3; ++stage) {
    for (int i = 0; i < candidate.depth; ++i) {
      const auto block = net.module(stage * candidate.depth + i, "Sequential");
      x = net.conv("conv", x, std::int64_t{candidate.width} << stage,
                   {.kernel = candidate.kernel,
                    .stride = i == 0 ? 2 : 1,
                    .pad = candidate.kernel / 2,
                    .bias = false});
      x = net.relu("act", net.batch_norm("norm", x));
    }
  }
  x = net.mean(x, {2, 3});
  net.output("output", net.linear("head", x, 10));
  return std::move(net).finish();
}

int main() {
  std::vector<Candidate> all;
  for (const int width : {8, 12, 16, 24, 32})
    for (const int depth : {1, 2, 3, 4})
      for (const int kernel : {1, 3, 5}) {
        Candidate candidate{width, depth, kernel};
        const auto network = describe(candidate);
        if (!network) return std::fprintf(stderr, "%s\n", network.error().message.c_str()), 1;
        const strata::Costs costs = strata::count(network->model);
        candidate.params = costs.total.params.number().value_or(0);
        candidate.macs = costs.total.macs.number().value_or(0);
        all.push_back(candidate);
      }
  std::printf("%zu candidates; beaten by none:\n", all.size());
  for (const Candidate& one : all)
    if (std::none_of(all.begin(), all.end(), [&](const Candidate& b) { return b.beats(one); }))
      std::printf("  width %2d depth %d kernel %d  %8jd parameters  %10jd MACs\n", one.width,
                  one.depth, one.kernel, std::intmax_t{one.params}, std::intmax_t{one.macs});
}
