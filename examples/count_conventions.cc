// Counts one model the way several tools do: count_conventions MODEL [FILE.json]
// FILE.json is a convention of your own (docs/cost-model.md).
#include <cstdio>
#include <string>
#include <vector>

#include "strata/cost/convention.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: count_conventions MODEL [FILE.json]\n"), 2;
  auto model = strata::read_model(argv[1]);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().message.c_str()), 1;
  const auto inferred = strata::infer(*model);
  if (!inferred) return std::fprintf(stderr, "%s\n", inferred.error().message.c_str()), 1;

  // One walk of the graph serves all conventions.
  const strata::Costs costs = strata::count(*model);
  const strata::Layers layers = strata::find_layers(*model, costs);
  std::vector<std::string> names = strata::convention_names();
  if (argc > 2) names.emplace_back(argv[2]);
  for (const std::string& name : names) {
    const auto convention = strata::find_convention(name);
    if (!convention) return std::fprintf(stderr, "%s\n", convention.error().message.c_str()), 1;
    const strata::Metric headline = convention->headline();
    const strata::ConventionCosts counted = strata::count_as(*convention, costs, layers);
    std::printf("%-14s %16s  %s\n", convention->name().c_str(),
                counted.total[headline].text().c_str(), convention->label(headline).c_str());
  }
}
