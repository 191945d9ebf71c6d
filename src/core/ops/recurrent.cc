// Recurrent layers. Inputs: X, W (directions, gates·hidden, input), R (directions, gates·hidden,
// hidden), biases, sequence lengths, initial states. Shorter sequences of a batch are counted as if
// they were as long as the longest.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

struct Sizes {
  Expr sequence, batch, input, directions, hidden;
};

Sizes sizes_of(const NodeView& c) {
  const bool batch_first = c.integer("layout", 0) != 0;
  Sizes sizes;
  sizes.sequence = size_at(c.in(0), batch_first ? 1 : 0);
  sizes.batch = size_at(c.in(0), batch_first ? 0 : 1);
  sizes.input = size_at(c.in(1), 2);
  if (!sizes.input.is_number()) sizes.input = size_at(c.in(0), 2);
  sizes.directions = c.text("direction", "forward") == "bidirectional" ? 2 : 1;
  sizes.hidden = size_at(c.in(2), 2);
  if (!sizes.hidden.is_number())
    if (const auto given = c.integer("hidden_size")) sizes.hidden = *given;
  return sizes;
}

template <int gates>
Status check(const ShapeContext& c, const Sizes& sizes) {
  if (c.rank(0) != 3 || c.rank(1) != 3 || c.rank(2) != 3)
    return c.error(fmt::format("X {}, W {} and R {} must have 3 axes each", strata::text(c.dims(0)),
                               strata::text(c.dims(1)), strata::text(c.dims(2))));
  const Expr rows = sizes.hidden * gates;
  if (clash(c.dims(1)[1], rows) || clash(c.dims(2)[1], rows))
    return c.error(fmt::format("W {} and R {} do not have {} rows, {} for each of {} hidden values",
                               strata::text(c.dims(1)), strata::text(c.dims(2)), rows.text(), gates,
                               sizes.hidden.text()));
  if (clash(c.dims(0)[2], sizes.input))
    return c.error(fmt::format("X has {} values a step where W is for {}", c.dims(0)[2].text(),
                               sizes.input.text()));
  if (clash(c.dims(1)[0], sizes.directions))
    return c.error(fmt::format("W is for {} directions where the attribute direction asks for {}",
                               c.dims(1)[0].text(), sizes.directions.text()));
  return {};
}

// Outputs: all hidden states, the last ones and, for an LSTM, the last cell states.
template <int gates>
Status recurrent_shape(ShapeContext& c) {
  const Sizes s = sizes_of(c);
  if (auto ok = check<gates>(c, s); !ok) return ok;
  if (c.integer("layout", 0) != 0) {
    c.set(0, c.dtype(0), {s.batch, s.sequence, s.directions, s.hidden});
    for (std::size_t i = 1; i < 3; ++i) c.set(i, c.dtype(0), {s.batch, s.directions, s.hidden});
  } else {
    c.set(0, c.dtype(0), {s.sequence, s.directions, s.batch, s.hidden});
    for (std::size_t i = 1; i < 3; ++i) c.set(i, c.dtype(0), {s.directions, s.batch, s.hidden});
  }
  return {};
}

// Work per hidden value and step, in addition to the matrix products.
struct Cell {
  int adds, muls, specials;
};

void recurrent_cost(CostContext& c, int gates, Cell cell) {
  const Sizes s = sizes_of(c);
  c.macs({{"steps", s.sequence},
          {"batch", s.batch},
          {"directions", s.directions},
          {"hidden", s.hidden},
          {"input + hidden", s.input + s.hidden},
          {"gates", gates}});
  const Expr values = s.sequence * s.batch * s.directions * s.hidden;
  if (cell.adds > 0) c.adds({{"hidden values", values}, {"additions", cell.adds}});
  if (cell.muls > 0) c.muls({{"hidden values", values}, {"products", cell.muls}});
  c.specials({{"hidden values", values}, {"activations", cell.specials}});
}

// The biases of W and R can be summed beforehand: one addition per gate.
void rnn_cost(CostContext& c) { recurrent_cost(c, 1, {c.has(3) ? 1 : 0, 0, 1}); }

// C = f·C + i·c, H = o·h(C); peepholes add a product with C to three gates.
void lstm_cost(CostContext& c) {
  const int peepholes = c.has(7) ? 3 : 0;
  recurrent_cost(c, 4, {1 + (c.has(3) ? 4 : 0) + peepholes, 3 + peepholes, 5});
}

// H = (1 - z)·h + z·H, with r·H or r·(R·H) inside h; the latter needs the bias of R separately.
void gru_cost(CostContext& c) {
  const bool reset_after = c.integer("linear_before_reset", 0) != 0;
  recurrent_cost(c, 3, {2 + (c.has(3) ? 3 + (reset_after ? 1 : 0) : 0), 3, 3});
}

constexpr Example kRnn[] = {
    // 2·3·5·(4+5) MACs; 30 hidden values with an addition and an activation.
    {"f32[2,3,4], f32[1,5,4], f32[1,5,5], f32[1,10]",
     "hidden_size=5",
     "f32[2,1,3,5], f32[1,3,5]",
     {.macs = 270, .flops = 600}},
};

constexpr Example kLstm[] = {
    // 30 hidden values: 4 gates with 9 MACs, then 1 addition, 3 products, 5 activations.
    {"f32[2,3,4], f32[1,20,4], f32[1,20,5]",
     "hidden_size=5",
     "f32[2,1,3,5], f32[1,3,5], f32[1,3,5]",
     {.macs = 1080, .flops = 2430}},
    {"f32[2,3,4], f32[2,20,4], f32[2,20,5], f32[2,40]",
     "hidden_size=5 direction=\"bidirectional\"",
     "f32[2,2,3,5], _, f32[2,3,5]",
     {.macs = 2160}},
    {"f32[B,S,4], f32[1,20,4], f32[1,20,5]", "hidden_size=5 layout=1",
     "f32[B,S,1,5], f32[B,1,5], f32[B,1,5]"},
};

constexpr Example kGru[] = {
    {"f32[2,3,4], f32[1,15,4], f32[1,15,5], f32[1,30]",
     "hidden_size=5 linear_before_reset=1",
     "f32[2,1,3,5], f32[1,3,5]",
     {.macs = 810, .flops = 1980}},
};

constexpr AttributeName kRecurrentAttributes[] = {{Attr::BatchFirst, "layout"}};

constexpr OpRule kRecurrentRules[] = {
    {.name = "RNN",
     .shape = recurrent_shape<1>,
     .cost = rnn_cost,
     .examples = kRnn,
     .settings = slots(4),
     .buffers = slots(5),
     .traits = {.kind = LayerKind::Recurrent, .gates = 1, .attributes = kRecurrentAttributes}},
    {.name = "LSTM",
     .shape = recurrent_shape<4>,
     .cost = lstm_cost,
     .examples = kLstm,
     .settings = slots(4),
     .buffers = slots(5, 6),
     .traits = {.kind = LayerKind::Recurrent, .gates = 4, .attributes = kRecurrentAttributes}},
    {.name = "GRU",
     .shape = recurrent_shape<3>,
     .cost = gru_cost,
     .examples = kGru,
     .settings = slots(4),
     .buffers = slots(5),
     .traits = {.kind = LayerKind::Recurrent, .gates = 3, .attributes = kRecurrentAttributes}},
};

}  // namespace

std::span<const OpRule> recurrent_rules() { return kRecurrentRules; }

}  // namespace strata
