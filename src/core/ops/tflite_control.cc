// Control flow and state of TFLite. Files state the types of what bodies return, and of variables.
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// A handle names a variable, and holds nothing.
void handle_cost(CostContext& c) { c.moves_nothing(); }
// The value of a variable is where the runtime reads it from, and is written to its output.
void read_cost(CostContext& c) {
  const Expr size = bytes(c.out_elements(0), c.out(0).dtype);
  c.reads(size);
  c.writes(size);
}
void assign_cost(CostContext& c) {
  const Expr size = bytes(c.in_elements(1), c.dtype(1));
  c.reads(size);
  c.writes(size);
}

constexpr Example kTfliteHandle[] = {{"", "", "i32[]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteRead[] = {{"i32[]", "", "f32[1,2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteAssign[] = {{"i32[], f32[1,2,3]", "", "", {.macs = 0, .flops = 0}}};

constexpr OpRule tflite_control(std::string_view name, BodyRuns bodies) {
  OpRule rule = tflite(name, "", nullptr, no_arithmetic, {}, {.bodies = bodies});
  rule.settings = bodies == BodyRuns::OneOfThem ? slots(0) : 0;
  rule.takes_unranked = true;
  return rule;
}

constexpr OpRule kTfliteControlRules[] = {
    tflite_control("IF", BodyRuns::OneOfThem),
    tflite_control("WHILE", BodyRuns::AsInferred),
    tflite_control("CALL", BodyRuns::AsInferred),
    tflite_control("CALL_ONCE", BodyRuns::AsInferred),
    // Its body says what a part that the runtime may have a kernel for computes.
    tflite_control("STABLEHLO_COMPOSITE", BodyRuns::AsInferred),
    tflite("VAR_HANDLE", "", nullptr, handle_cost, kTfliteHandle),
    tflite("READ_VARIABLE", "", nullptr, read_cost, kTfliteRead),
    tflite("ASSIGN_VARIABLE", "", nullptr, assign_cost, kTfliteAssign),
};

}  // namespace

std::span<const OpRule> tflite_control_rules() { return kTfliteControlRules; }

}  // namespace strata
