// Recurrent layers of PyTorch. One node has all layers of a module; ONNX has one for each.
#include "ops/aten_rows.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// ONNX's GRU resets after the product, as PyTorch's does.
const Attribute kResetAfter[] = {{"linear_before_reset", std::int64_t{1}}};

// One layer in one direction, of inputs [steps, batch, size].
void add_layer(CostContext& c, std::string_view op, Dims inputs, const TypeInfo& of_input,
               const TypeInfo& of_hidden, bool biases) {
  const DType type = c.dtype(0);
  const Expr hidden = size_at(of_hidden, 1), gates = size_at(of_hidden, 0);
  const Dims states = {inputs[0], 1, inputs[1], hidden};
  Part part{.op = op,
            .inputs = {tensor_of(type, std::move(inputs)),
                       tensor_of(type, {1, gates, size_at(of_input, 1)}),
                       tensor_of(type, {1, gates, hidden}),
                       biases ? tensor_of(type, {1, gates * 2}) : Tensor()},
            .attributes = kResetAfter};
  add_work(c, part, {{TypeInfo::tensor(type, states)}});
}

// input, the states, and for each layer and direction: weights that the input meets, weights that
// the state meets, and perhaps a bias for each.
void layers_cost(CostContext& c, std::string_view op, std::size_t states) {
  if (c.rank(0) < 2) return c.cannot_tell("the sizes of the input are not known");
  const bool biases = c.integer("has_biases", 0) != 0;
  const std::size_t each = biases ? 4 : 2, first = 1 + states;
  const Dims& x = c.dims(0);
  const bool batched = x.size() == 3, batch_first = c.integer("batch_first", 0) != 0;
  const Expr steps = x[batched && batch_first ? 1 : 0];
  const Expr batch = batched ? x[batch_first ? 0 : 1] : Expr(1);
  for (std::size_t at = first; at + each <= c.input_count(); at += each)
    add_layer(c, op, {steps, batch, size_at(c.in(at), 1)}, c.in(at), c.in(at + 1), biases);
}
void lstm_layers_cost(CostContext& c) { layers_cost(c, "LSTM", 2); }
void gru_layers_cost(CostContext& c) { layers_cost(c, "GRU", 1); }
void rnn_layers_cost(CostContext& c) { layers_cost(c, "RNN", 1); }

// A single step.
void cell_cost(CostContext& c, std::string_view op, std::size_t states) {
  const std::size_t first = 1 + states;
  const Expr batch = c.rank(0) == 2 ? c.dims(0)[0] : Expr(1);
  add_layer(c, op, {1, batch, size_from_end(c.in(0), 0)}, c.in(first), c.in(first + 1),
            c.has(first + 2));
}
void lstm_cell_cost(CostContext& c) { cell_cost(c, "LSTM", 2); }
void gru_cell_cost(CostContext& c) { cell_cost(c, "GRU", 1); }
void rnn_cell_cost(CostContext& c) { cell_cost(c, "RNN", 1); }

// oneDNN runs one layer in one direction: input [steps, batch, size], four weights, of which the
// last two are biases, and the states. `mode` says which kind of layer it is.
constexpr std::string_view kModes[] = {"RNN", "RNN", "LSTM", "GRU"};
void one_layer_cost(CostContext& c) {
  const std::int64_t mode = c.integer("mode", -1);
  if (mode < 0 || mode > 3) return c.cannot_tell("its kind of layer is not known");
  if (c.rank(0) != 3) return c.cannot_tell("the sizes of the input are not known");
  add_layer(c, kModes[mode], c.dims(0), c.in(1), c.in(2), c.integer("has_biases", 0) != 0);
}

constexpr Example kOneLayer[] = {
    // Like kLstm's first example: 30 hidden values, 4 gates with 9 MACs.
    {"f32[2,3,4], f32[20,4], f32[20,5], f32[20], f32[20], f32[3,5], f32[3,5]",
     "mode=2 has_biases=0",
     "f32[2,3,5], f32[3,5], f32[3,5]",
     {.macs = 1080, .flops = 2430}},
    // 3 gates.
    {"f32[2,3,4], f32[15,4], f32[15,5], f32[15], f32[15], f32[3,5], f32[3,5]",
     "mode=3 has_biases=1",
     "f32[2,3,5], f32[3,5], f32[3,5]",
     {.macs = 810, .flops = 1980}},
};
constexpr Example kLstm[] = {
    // 30 hidden values: 4 gates with 9 MACs, then 1 addition, 3 products, 5 activations.
    {"f32[2,3,4], f32[1,3,5], f32[1,3,5], f32[20,4], f32[20,5]",
     "has_biases=0 num_layers=1 bidirectional=0 batch_first=0",
     "f32[2,3,5], f32[1,3,5], f32[1,3,5]",
     {.macs = 1080, .flops = 2430}},
    // A second layer meets inputs of 5 instead of 4: 30·4·(9 + 10).
    {"f32[3,2,4], f32[2,3,5], f32[2,3,5], f32[20,4], f32[20,5], f32[20,5], f32[20,5]",
     "has_biases=0 num_layers=2 bidirectional=0 batch_first=1",
     "f32[3,2,5], f32[2,3,5], f32[2,3,5]",
     {.macs = 2280}},
};
constexpr Example kGru[] = {{"f32[2,3,4], f32[1,3,5], f32[15,4], f32[15,5], f32[15], f32[15]",
                             "has_biases=1 num_layers=1 bidirectional=0 batch_first=0",
                             "f32[2,3,5], f32[1,3,5]",
                             {.macs = 810, .flops = 1980}}};
constexpr Example kRnn[] = {{"f32[2,3,4], f32[1,3,5], f32[5,4], f32[5,5], f32[5], f32[5]",
                             "has_biases=1 num_layers=1 bidirectional=0 batch_first=0",
                             "f32[2,3,5], f32[1,3,5]",
                             {.macs = 270, .flops = 600}}};
constexpr Example kLstmCell[] = {{"f32[3,4], f32[3,5], f32[3,5], f32[20,4], f32[20,5]",
                                  "",
                                  "f32[3,5], f32[3,5]",
                                  {.macs = 540, .flops = 1215}}};
constexpr Example kGruCell[] = {{"f32[3,4], f32[3,5], f32[15,4], f32[15,5], f32[15], f32[15]",
                                 "",
                                 "f32[3,5]",
                                 {.macs = 405, .flops = 990}}};
constexpr Example kRnnCell[] = {{"f32[3,4], f32[3,5], f32[5,4], f32[5,5], f32[5], f32[5]",
                                 "",
                                 "f32[3,5]",
                                 {.macs = 135, .flops = 300}}};

constexpr AttributeName kRecurrentAttributes[] = {{Attr::BatchFirst, "batch_first"}};
// The weights of all layers begin at this input.
constexpr Traits recurrent(std::uint8_t gates, std::uint8_t weights) {
  return {.kind = LayerKind::Recurrent,
          .weights = weights,
          .gates = gates,
          .attributes = kRecurrentAttributes};
}

constexpr OpRule kAtenRecurrentRules[] = {
    aten("lstm.input", lstm_layers_cost, kLstm, recurrent(4, 3)),
    aten("gru.input", gru_layers_cost, kGru, recurrent(3, 2)),
    aten("rnn_tanh.input", rnn_layers_cost, kRnn, recurrent(1, 2)),
    aten("rnn_relu.input", rnn_layers_cost, kRnn, recurrent(1, 2)),
    aten("lstm_cell", lstm_cell_cost, kLstmCell, recurrent(4, 3)),
    aten("gru_cell", gru_cell_cost, kGruCell, recurrent(3, 2)),
    aten("rnn_tanh_cell", rnn_cell_cost, kRnnCell, recurrent(1, 2)),
    aten("rnn_relu_cell", rnn_cell_cost, kRnnCell, recurrent(1, 2)),
    // Torch runs LSTMs with it, and no other layers so far.
    aten("mkldnn_rnn_layer", one_layer_cost, kOneLayer, recurrent(4, 1)),
};

}  // namespace

std::span<const OpRule> aten_recurrent_rules() { return kAtenRecurrentRules; }

}  // namespace strata
