#include "cost/bodies.h"

#include <algorithm>

namespace strata {

namespace {

double at_one(const Expr& expr) {
  return expr.evaluate([](std::string_view) { return std::optional(1.0); }).value_or(0);
}

bool repeats_as_inferred(const Node& node) {
  if (!node.domain.empty()) return false;
  return node.op == "If" || node.op == "Loop" || node.op == "Scan" || node.op == "SequenceMap";
}

}  // namespace

std::vector<BodyRun> body_runs(const Node& node) {
  std::vector<BodyRun> runs;
  for (const Attribute& attribute : node.attributes) {
    const auto* body = std::get_if<Graph*>(&attribute.value);
    if (body == nullptr || *body == nullptr) continue;
    runs.push_back({*body, repeats_as_inferred(node) ? (*body)->runs : Expr::unknown(), false});
  }
  // Of an If, both branches can run, but one does.
  const auto possible =
      std::count_if(runs.begin(), runs.end(), [](const BodyRun& run) { return !run.times.is(0); });
  for (BodyRun& run : runs) run.alternative = node.op == "If" && possible > 1;
  return runs;
}

bool is_larger(const NodeCost& a, const NodeCost& b) {
  const double flops_a = at_one(a.flops()), flops_b = at_one(b.flops());
  if (flops_a != flops_b) return flops_a > flops_b;
  return at_one(a.read_bytes + a.write_bytes) > at_one(b.read_bytes + b.write_bytes);
}

}  // namespace strata
