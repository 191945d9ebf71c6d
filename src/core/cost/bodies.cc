#include "cost/bodies.h"

#include <algorithm>

#include "ops/registry.h"

namespace strata {

namespace {

double at_one(const Expr& expr) {
  return expr.evaluate([](std::string_view) { return std::optional(1.0); }).value_or(0);
}

}  // namespace

std::vector<BodyRun> body_runs(const Node& node) {
  std::vector<BodyRun> runs;
  const BodyRuns how = traits_of(node).bodies;
  for (const Attribute& attribute : node.attributes) {
    const auto* body = std::get_if<Graph*>(&attribute.value);
    if (body == nullptr || *body == nullptr) continue;
    runs.push_back({*body, how != BodyRuns::Unknown ? (*body)->runs : Expr::unknown(), false});
  }
  // Both branches of an If can run, but only one does.
  const auto possible =
      std::count_if(runs.begin(), runs.end(), [](const BodyRun& run) { return !run.times.is(0); });
  for (BodyRun& run : runs) run.alternative = how == BodyRuns::OneOfThem && possible > 1;
  return runs;
}

bool is_larger(const NodeCost& a, const NodeCost& b) {
  const double flops_a = at_one(a.flops()), flops_b = at_one(b.flops());
  if (flops_a != flops_b) return flops_a > flops_b;
  return at_one(a.read_bytes + a.write_bytes) > at_one(b.read_bytes + b.write_bytes);
}

}  // namespace strata
