// Operators of PyTorch that run bodies. Files state the types in bodies, so that only how often
// each body runs is left to find out.
#include "ops/aten_rows.h"
#include "ops/registry.h"

namespace strata {

namespace {

constexpr OpRule control(std::string_view name, BodyRuns bodies) {
  OpRule rule = aten(name, no_arithmetic, {}, {.bodies = bodies});
  rule.domain = kHigherOrder;
  rule.takes_unranked = true;
  return rule;
}

constexpr OpRule kAtenControlRules[] = {
    control("cond", BodyRuns::OneOfThem),
    control("while_loop", BodyRuns::AsInferred),
    control("scan", BodyRuns::AsInferred),
    control("associative_scan", BodyRuns::AsInferred),
    control("map", BodyRuns::AsInferred),
    control("map_impl", BodyRuns::AsInferred),
    control("wrap_with_set_grad_enabled", BodyRuns::AsInferred),
    control("wrap_with_autocast", BodyRuns::AsInferred),
    control("checkpoint", BodyRuns::AsInferred),
    control("invoke_subgraph", BodyRuns::AsInferred),
};

}  // namespace

std::span<const OpRule> aten_control_rules() { return kAtenControlRules; }

}  // namespace strata
