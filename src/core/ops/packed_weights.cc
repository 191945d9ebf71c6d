// Products with weights whose bytes are known and whose layout is not: blocks of GGUF, fp8 and
// 4-bit matrices with their scales. A packed matrix is a tensor of bytes; attributes say its sizes.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/serving.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// ---- PackedLinear: rows, the matrix, a bias.

Expr linear_elements(const NodeView& c) {
  return size_from_end(c.in(0), 0) * c.integer("outputs", 1);
}

Status packed_linear_shape(ShapeContext& c) {
  if (c.rank(0) < 1) return c.error("its input has no axis to multiply");
  Dims dims = c.dims(0);
  dims.back() = c.integer("outputs", 1);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void packed_linear_cost(CostContext& c) {
  const Expr rows = product_of(c.in(0), 0, c.rank(0) - 1);
  c.macs({{"rows", rows}, {"inputs × outputs", linear_elements(c)}});
  if (c.has(2)) c.adds({{"rows", rows}, {"biases", c.integer("outputs", 1)}});
}

Expr packed_linear_parameters(const NodeView& c, std::size_t input) {
  return input == 1 ? linear_elements(c) : c.in_elements(input);
}

// ---- PackedEmbedding: the table, indices, and any tensor of the type that it returns.

Status packed_embedding_shape(ShapeContext& c) {
  Dims dims = c.dims(1);
  dims.push_back(c.integer("width", 1));
  c.set(0, c.dtype(2), std::move(dims));
  return {};
}

// Reads one row for each index.
void packed_embedding_cost(CostContext& c) {
  const Expr row = share_of(bytes(c.in_elements(0), c.dtype(0)), c.integer("entries", 1));
  c.reads(bytes(c.in_elements(1), c.dtype(1)) + c.in_elements(1) * row);
}

Expr packed_embedding_parameters(const NodeView& c, std::size_t input) {
  if (input != 0) return c.in_elements(input);
  return Expr(c.integer("entries", 1)) * c.integer("width", 1);
}

// ---- Experts: tokens, scores of experts, matrices of gates (or none), up and down, and their
// biases.

constexpr std::size_t kGate = 2, kDown = 4;

Expr expert_elements(const NodeView& c) {
  return size_from_end(c.in(0), 0) * c.integer("width", 1);
}

// The weights of an expert are read if a token goes there: at most `chosen` for each token.
void routed_cost(CostContext& c) {
  const Expr experts = size_from_end(c.in(1), 0), hidden = size_from_end(c.in(0), 0);
  const Expr tokens = product_of(c.in(0), 0, c.rank(0) - 1);
  const Expr chosen = c.integer("chosen", 1), width = c.integer("width", 1);
  add_work(c, {"Softmax", {tensor_of(c.in(1))}}, {{c.in(1)}});
  c.adds({{"tokens", tokens}, {"comparisons of experts", experts}});
  Expr read = 0;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    if (!c.has(i)) continue;
    const Expr all = bytes(c.in_elements(i), c.dtype(i));
    read += i < 2 ? all : share_of(all, experts) * min(experts, tokens * chosen);
  }
  c.reads(read);
  for (std::size_t i = kGate; i <= kDown; ++i) {
    if (!c.has(i)) continue;
    c.macs({{"tokens", tokens}, {"experts of each", chosen}, {"weights", expert_elements(c)}});
    if (c.has(i + 3))
      c.adds({{"tokens", tokens},
              {"experts of each", chosen},
              {"biases", share_of(c.in_elements(i + 3), experts)}});
  }
  const Expr inner = tokens * chosen * width;
  add_elementwise(c, "Sigmoid", inner);
  c.muls({{"inner values", inner}, {"activation and gate", c.has(kGate) ? 2 : 1}});
  c.muls({{"tokens", tokens}, {"experts of each", chosen}, {"weighted", hidden}});
  c.adds({{"tokens", tokens}, {"experts less 1", chosen - 1}, {"summed", hidden}});
}

Expr routed_parameters(const NodeView& c, std::size_t input) {
  if (input < kGate || input > kDown) return c.in_elements(input);
  return expert_elements(c) * size_from_end(c.in(1), 0);
}

// ---- Resident: weights that are loaded and that no token of text passes.

Status resident_shape(ShapeContext& c) {
  c.set(0, c.dtype(0), {Expr(0)});
  return {};
}

Expr resident_parameters(const NodeView& c, std::size_t input) {
  const std::int64_t elements = c.integer("elements", 0);
  return elements > 0 ? Expr(elements) : c.in_elements(input);
}

constexpr Example kPackedLinear[] = {
    // 144 bytes of Q4_K for each 256 weights.
    {"f32[1,3,256], u8[9216]", "outputs=64", "f32[1,3,64]", {.macs = 3 * 256 * 64}},
};
constexpr Example kPackedEmbedding[] = {
    {"u8[4500], i64[1,3], f32[]", "entries=100 width=80", "f32[1,3,80]", {.macs = 0}},
};
constexpr Example kExperts[] = {
    // 10 tokens through 2 of 4 experts of three matrices of 8 × 16.
    {"bf16[1,10,8], bf16[1,10,4], bf16[4,16,8], bf16[4,16,8], bf16[4,8,16]",
     "chosen=2 width=16",
     "bf16[1,10,8]",
     {.macs = 10 * 2 * 3 * 128}},
};
constexpr Example kResident[] = {
    {"bf16[1000]", "", "bf16[0]", {.macs = 0, .flops = 0}},
};

constexpr OpRule kPackedWeightRules[] = {
    {.name = "PackedLinear",
     .domain = kServing,
     .shape = packed_linear_shape,
     .cost = packed_linear_cost,
     .examples = kPackedLinear,
     .parameters = packed_linear_parameters,
     .traits = {.kind = LayerKind::Linear, .product = Product::Other, .weights = 1, .bias = 2}},
    {.name = "PackedEmbedding",
     .domain = kServing,
     .shape = packed_embedding_shape,
     .cost = packed_embedding_cost,
     .examples = kPackedEmbedding,
     .settings = slots(1, 2),
     .parameters = packed_embedding_parameters,
     .traits = {.kind = LayerKind::Embedding}},
    {.name = "Experts",
     .domain = kServing,
     .shape = like_input,
     .cost = routed_cost,
     .examples = kExperts,
     .parameters = routed_parameters},
    {.name = "Resident",
     .domain = kServing,
     .shape = resident_shape,
     .cost = [](CostContext& c) { c.moves_nothing(); },
     .examples = kResident,
     .parameters = resident_parameters},
};

}  // namespace

std::span<const OpRule> packed_weight_rules() { return kPackedWeightRules; }

}  // namespace strata
