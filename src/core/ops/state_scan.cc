// Operators that mix tokens by a state of fixed size: Mamba, the gated delta rule, linear
// attention, RWKV, and the short convolutions around them. A scan multiplies and adds element by
// element as it goes through the tokens, so its work is in FLOPs and not in MACs.
#include <array>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/registry.h"
#include "ops/serving.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Work for each token: so much for each element of the state, of the output, and of the heads.
struct ScanKind {
  std::string_view name;
  struct Each {
    int muls = 0, adds = 0, specials = 0;
  };
  Each state, output, head;
};

// The sums over a state's columns have one addition less than products: -1 for each output.
constexpr std::array kScans = {
    // h = exp(Δ·A)·h + (Δ·x)·B; y = C·h + D·x, a decay for each element of the state.
    ScanKind{"mamba", {4, 2, 1}, {2, 0, 0}, {}},
    // The same, where heads share a decay.
    ScanKind{"mamba2", {3, 2, 0}, {2, 0, 0}, {1, 0, 1}},
    // S = exp(g)·S; S += k·β·(v − k·S); y = q·S.
    ScanKind{"delta", {4, 3, 0}, {1, -1, 0}, {0, 0, 1}},
    // S = d·S + k·v; y = q·S.
    ScanKind{"lightning", {3, 2, 0}, {0, -1, 0}, {}},
    // Two exponential averages that share a maximum, one of them with a bonus for the new token.
    ScanKind{"rwkv", {}, {6, 12, 5}, {}},
};

const ScanKind* scan_kind(const NodeView& c) {
  for (const ScanKind& kind : kScans)
    if (kind.name == c.text("kind", "")) return &kind;
  return nullptr;
}

// Input 0 is batch × tokens × anything, input 1 the state that earlier tokens left, if there are
// any; it is output 1 afterwards. `width` is that of output 0, `states` the elements of a
// sequence's state.
Status scan_shape(ShapeContext& c) {
  if (c.rank(0) != 3) return c.error("its input must be batch × tokens × width");
  if (scan_kind(c) == nullptr) return c.error("its kind of scan is not known");
  c.set(0, c.dtype(0), {c.dims(0)[0], c.dims(0)[1], c.integer("width", 1)});
  if (c.has(1)) c.share_type(1, 1);
  return {};
}

void scan_cost(CostContext& c) {
  const ScanKind* kind = scan_kind(c);
  if (kind == nullptr) return c.cannot_tell("its kind of scan is not known");
  const Expr tokens = size_at(c.in(0), 0) * size_at(c.in(0), 1);
  const auto add = [&](std::string_view what, std::int64_t count, const ScanKind::Each& each) {
    if (count == 0) return;
    if (each.muls != 0) c.muls({{"tokens", tokens}, {what, count}, {"products", each.muls}});
    if (each.adds != 0) c.adds({{"tokens", tokens}, {what, count}, {"sums", each.adds}});
    if (each.specials != 0)
      c.specials({{"tokens", tokens}, {what, count}, {"functions", each.specials}});
  };
  add("state", c.integer("states", 0), kind->state);
  add("outputs", c.integer("width", 1), kind->output);
  add("heads", c.integer("heads", 0), kind->head);
}

// ---- CausalConv: tokens × channels, a filter of `kernel` tokens for each channel, a bias, and the
// last columns of earlier tokens.

Status causal_shape(ShapeContext& c) {
  if (c.rank(0) != 3) return c.error("its input must be batch × tokens × channels");
  if (c.has(3)) c.share_type(1, 3);
  return like_input(c);
}

Expr causal_elements(const NodeView& c) {
  return size_from_end(c.in(0), 0) * c.integer("kernel", 1);
}

void causal_cost(CostContext& c) {
  const Expr tokens = size_at(c.in(0), 0) * size_at(c.in(0), 1);
  c.macs({{"tokens", tokens}, {"channels × kernel", causal_elements(c)}});
  if (c.has(2)) c.adds({{"tokens", tokens}, {"biases", size_from_end(c.in(0), 0)}});
}

Expr causal_parameters(const NodeView& c, std::size_t input) {
  return input == 1 ? causal_elements(c) : c.in_elements(input);
}

constexpr Example kScan[] = {
    // 3 tokens, 8 channels with a state of 16 each: 128 elements of state.
    {"bf16[1,3,8], _, bf16[1,3,8], bf16[8,16], bf16[8]",
     "kind=\"mamba\" width=8 states=128",
     "bf16[1,3,8]",
     {.macs = 0, .flops = 3 * (128 * 7 + 8 * 2)}},
    // 2 heads of 4 keys × 4 values.
    {"bf16[1,3,24], f32[1,32]",
     "kind=\"delta\" width=8 states=32 heads=2",
     "bf16[1,3,8], f32[1,32]",
     {.macs = 0, .flops = 3 * (32 * 7 + 8 * (1 - 1) + 2)}},
};
constexpr Example kCausal[] = {
    {"bf16[1,5,8], bf16[8,4], bf16[8]",
     "kernel=4",
     "bf16[1,5,8]",
     {.macs = 5 * 32, .flops = 2 * 5 * 32 + 40}},
};

constexpr OpRule kStateScanRules[] = {
    {.name = "StateScan",
     .domain = kServing,
     .shape = scan_shape,
     .cost = scan_cost,
     .examples = kScan},
    {.name = "CausalConv",
     .domain = kServing,
     .shape = causal_shape,
     .cost = causal_cost,
     .examples = kCausal,
     .parameters = causal_parameters},
};

}  // namespace

std::span<const OpRule> state_scan_rules() { return kStateScanRules; }

}  // namespace strata
