// Reads a model, works out every shape, counts every layer and prints the five
// most expensive ones: profile_model MODEL
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "strata/cost/layers.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace {

struct Ranked {
  std::string layer;
  strata::Expr macs;
};

strata::Result<std::vector<Ranked>> layers_of(const std::string& path) {
  auto model = strata::read_model(path);  // maps the file; weights are not read
  if (!model) return tl::unexpected(model.error());
  const auto inferred = strata::infer(*model);  // every shape; open sizes stay symbols
  if (!inferred) return tl::unexpected(inferred.error());
  const strata::Costs costs = strata::count(*model);  // every node
  const strata::Layers layers = strata::find_layers(*model, costs);

  std::vector<Ranked> rows;
  for (const strata::Layer& layer : layers.list) {
    strata::Expr macs;  // a number, or a formula such as 10838016·N
    for (std::uint32_t node : layers.nodes_of(layer))
      macs += costs.nodes[node].cost.macs * costs.nodes[node].times;
    rows.push_back({strata::layer_path(*model, costs, layer), macs});
  }
  return rows;
}

// Compares formulas with every open size as 1; what is not known comes last.
double with_sizes_of_one(const strata::Expr& expr) {
  return expr.evaluate([](std::string_view) { return 1.0; }).value_or(-1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: profile_model MODEL\n"), 2;
  auto rows = layers_of(argv[1]);
  if (!rows) return std::fprintf(stderr, "%s\n", rows.error().message.c_str()), 1;
  std::stable_sort(rows->begin(), rows->end(), [](const Ranked& a, const Ranked& b) {
    return with_sizes_of_one(a.macs) > with_sizes_of_one(b.macs);
  });
  rows->resize(std::min<std::size_t>(rows->size(), 5));
  for (const Ranked& row : *rows)
    std::printf("%-30s %s MACs\n", row.layer.c_str(), row.macs.text().c_str());
}
