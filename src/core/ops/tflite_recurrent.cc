// Recurrent layers of TFLite. Weights have a row for each cell, and states are variables.
#include "ops/sizes.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// The inputs of an LSTM in one direction, counted from its first weights.
enum LstmSlot : std::size_t {
  kInputGate = 0,  // weights of the data: of the input gate, the forget gate, the cell, the output
  kForgetGate = 1,
  kStateWeights = 4,  // the same four for the state
  kPeepholes = 8,     // three vectors
  kBiases = 11,
  kProjection = 15,
  kProjectionBias = 16,
};

Expr all_elements(const CostContext& c, std::size_t first, std::size_t count) {
  Expr all = 0;
  for (std::size_t i = first; i < first + count; ++i)
    if (c.has(i)) all += c.in_elements(i);
  return all;
}
bool has_any(const CostContext& c, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i)
    if (c.has(i)) return true;
  return false;
}

// Items of the batch, once for each step.
Expr steps_of(const CostContext& c) {
  return c.ranked(0) && c.rank(0) > 0 ? product_of(c.in(0), 0, c.rank(0) - 1) : Expr::unknown();
}

// C = f·C + i·c, H = o·h(C). A layer without an input gate has i = 1 - f.
void lstm_direction(CostContext& c, std::size_t first) {
  const Expr rows = steps_of(c), cells = size_at(c.in(first + kForgetGate), 0);
  const bool has_input_gate = c.has(first + kInputGate);
  c.macs({{"steps", rows}, {"weights of the data", all_elements(c, first, 4)}});
  c.macs({{"steps", rows}, {"weights of the state", all_elements(c, first + kStateWeights, 4)}});
  if (c.has(first + kProjection))
    c.macs({{"steps", rows}, {"weights of the projection", c.in_elements(first + kProjection)}});
  const Expr values = rows * cells;
  const std::int64_t gates = has_input_gate ? 4 : 3;
  std::int64_t peepholes = 0;
  for (std::size_t i = 0; i < 3; ++i) peepholes += c.has(first + kPeepholes + i) ? 1 : 0;
  const std::int64_t biases = has_any(c, first + kBiases, 4) ? gates : 0;
  c.adds({{"cells", values}, {"additions", 1 + biases + peepholes + (has_input_gate ? 0 : 1)}});
  c.muls({{"cells", values}, {"products", 3 + peepholes}});
  c.specials({{"cells", values}, {"activations", has_input_gate ? 5 : 4}});
  if (c.has(first + kProjectionBias))
    c.adds({{"steps", rows}, {"projection biases", c.in_elements(first + kProjectionBias)}});
}

void tflite_lstm_cost(CostContext& c) {
  lstm_direction(c, 1);
  if (has_any(c, 20, 4)) c.at_least("the norms of its gates are not counted");
}
// A second set of weights for the other direction; weights of a second input are not counted apart.
void both_lstm_cost(CostContext& c) {
  lstm_direction(c, 1);
  lstm_direction(c, 18);
  if (c.has(39)) {
    const Expr rows = steps_of(c);
    c.macs({{"steps", rows}, {"weights of the second input", all_elements(c, 40, 8)}});
  }
}

// Weights of the data, of the state, and a bias.
void rnn_direction(CostContext& c, std::size_t first) {
  const Expr rows = steps_of(c);
  c.macs({{"steps", rows}, {"weights of the data", c.in_elements(first)}});
  c.macs({{"steps", rows}, {"weights of the state", c.in_elements(first + 1)}});
  const Expr values = rows * size_at(c.in(first), 0);
  if (c.has(first + 2)) c.adds({{"cells", values}});
  c.specials({{"cells", values}, {"activations", 1}});
}
void tflite_rnn_cost(CostContext& c) { rnn_direction(c, 1); }
void both_rnn_cost(CostContext& c) {
  rnn_direction(c, 1);
  rnn_direction(c, 5);
  if (c.has(9))
    c.macs({{"steps", steps_of(c)}, {"weights of the second input", all_elements(c, 10, 2)}});
}

// Filters of rank one: a product with the data, and a product along the time that is kept.
void svdf_cost(CostContext& c) {
  const Expr rows = steps_of(c);
  c.macs({{"rows", rows}, {"weights of the data", c.in_elements(1)}});
  c.macs({{"rows", rows}, {"weights of the time", c.in_elements(2)}});
  const std::int64_t rank = c.integer("rank", 1);
  if (rank > 1) c.adds({{"outputs", c.out_elements(0)}, {"sums of a filter", rank - 1}});
  if (c.has(3)) c.adds({{"outputs", c.out_elements(0)}});
  fused_activation(c);
}

// All axes but the last, and as many values as the state has.
template <std::size_t projection, std::size_t weights>
Status states_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  if (dims.empty()) return c.error("its input needs an axis");
  const TypeInfo& last = projection != 0 && c.has(projection) ? c.in(projection) : c.in(weights);
  dims[dims.size() - 1] = size_at(last, 0);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status svdf_shape(ShapeContext& c) {
  const std::int64_t rank = c.integer("rank", 1);
  if (c.rank(0) != 2 || c.rank(1) != 2 || rank < 1)
    return c.error("its input and its weights need two axes, and its rank is at least 1");
  c.set(0, c.dtype(0), {c.dims(0)[0], floor_div(c.dims(1)[0], rank)});
  return {};
}

// Both directions side by side, or in two outputs.
template <std::size_t first_weights, std::size_t second_weights, std::size_t first_projection,
          std::size_t second_projection>
Status both_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  if (dims.empty()) return c.error("its input needs an axis");
  const auto values = [&](std::size_t projection, std::size_t weights) {
    return size_at(projection != 0 && c.has(projection) ? c.in(projection) : c.in(weights), 0);
  };
  const Expr one = values(first_projection, first_weights);
  const Expr other = values(second_projection, second_weights);
  const bool merged = c.integer("merge_outputs", 0) != 0;
  dims[dims.size() - 1] = merged ? one + other : one;
  c.set(0, c.dtype(0), dims);
  if (merged) return {};
  dims[dims.size() - 1] = other;
  c.set(1, c.dtype(0), std::move(dims));
  return {};
}

// 12 steps, 8 cells: 4 gates of 5 and of 8 products; 5 additions, 3 products and 5 functions.
constexpr Example kTfliteLstm[] = {
    {"f32[1,12,5], f32[8,5], f32[8,5], f32[8,5], f32[8,5], f32[8,8], f32[8,8], f32[8,8], f32[8,8], "
     "_, _, _, f32[8], f32[8], f32[8], f32[8]",
     "",
     "f32[1,12,8]",
     {.macs = 12 * 416, .flops = 12 * (2 * 416 + 8 * 13)}},
    // Three gates, and a projection of 8 cells to 3 values.
    {"f32[2,5], _, f32[8,5], f32[8,5], f32[8,5], _, f32[8,3], f32[8,3], f32[8,3], _, _, _, _, "
     "f32[8], f32[8], f32[8], f32[3,8]",
     "",
     "f32[2,3]",
     {.macs = 2 * (3 * 8 * 8 + 24)}},
};
constexpr Example kTfliteBothLstm[] = {
    {"f32[1,4,5], f32[2,5], f32[2,5], f32[2,5], f32[2,5], f32[2,2], f32[2,2], f32[2,2], f32[2,2], "
     "_, _, _, f32[2], f32[2], f32[2], f32[2], _, _, "
     "f32[3,5], f32[3,5], f32[3,5], f32[3,5], f32[3,3], f32[3,3], f32[3,3], f32[3,3]",
     "merge_outputs=1",
     "f32[1,4,5]",
     {.macs = 4 * (4 * 2 * 7 + 4 * 3 * 8)}},
};
constexpr Example kTfliteRnn[] = {
    {"f32[1,12,5], f32[8,5], f32[8,8], f32[8]",
     "",
     "f32[1,12,8]",
     {.macs = 12 * 8 * 13, .flops = 12 * 8 * (26 + 2)}},
};
constexpr Example kTfliteBothRnn[] = {
    {"f32[1,4,5], f32[2,5], f32[2,2], f32[2], _, f32[3,5], f32[3,3], f32[3]",
     "",
     "f32[1,4,2], f32[1,4,3]",
     {.macs = 4 * (2 * 7 + 3 * 8)}},
};
// 8 filters of 5 inputs and 10 times, two for each of 4 outputs.
constexpr Example kTfliteSvdf[] = {
    {"f32[1,5], f32[8,5], f32[8,10], f32[4]",
     "rank=2 activation=\"RELU\"",
     "f32[1,4]",
     {.macs = 8 * 15, .flops = 2 * 8 * 15 + 4 * 3}},
};

constexpr OpRule recurrent(std::string_view name, ShapeRule shape, CostRule cost,
                           std::span<const Example> examples, std::uint8_t gates) {
  return tflite(
      name, "", shape, cost, examples,
      {.kind = LayerKind::Recurrent, .product = Product::Other, .weights = 2, .gates = gates});
}

constexpr OpRule kTfliteRecurrentRules[] = {
    recurrent("LSTM", states_shape<16, 2>, tflite_lstm_cost, kTfliteLstm, 4),
    recurrent("UNIDIRECTIONAL_SEQUENCE_LSTM", states_shape<16, 2>, tflite_lstm_cost, kTfliteLstm,
              4),
    recurrent("BIDIRECTIONAL_SEQUENCE_LSTM", both_shape<2, 19, 16, 33>, both_lstm_cost,
              kTfliteBothLstm, 4),
    recurrent("RNN", states_shape<0, 1>, tflite_rnn_cost, kTfliteRnn, 1),
    recurrent("UNIDIRECTIONAL_SEQUENCE_RNN", states_shape<0, 1>, tflite_rnn_cost, kTfliteRnn, 1),
    recurrent("BIDIRECTIONAL_SEQUENCE_RNN", both_shape<1, 5, 0, 0>, both_rnn_cost, kTfliteBothRnn,
              1),
    tflite("SVDF", "", svdf_shape, svdf_cost, kTfliteSvdf,
           {.kind = LayerKind::Recurrent, .product = Product::Other, .weights = 1, .bias = 3}),
};

}  // namespace

std::span<const OpRule> tflite_recurrent_rules() { return kTfliteRecurrentRules; }

}  // namespace strata
