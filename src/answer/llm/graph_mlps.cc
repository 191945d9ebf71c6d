// The MLPs and experts of layers, as modules.
#include "llm/graph_maker.h"

namespace strata::llm {

using build::Var;

Var GraphMaker::mlp(Var x) {
  switch (current().mlp) {
    case Mlp::None:
      return x;
    case Mlp::Gated:
    case Mlp::Plain:
      return feed_forward(x, Part::Mlp, "mlp");
    case Mlp::Experts:
      return experts(x);
    case Mlp::Rwkv:
      return rwkv_mlp(x);
  }
  return x;
}

Var GraphMaker::feed_forward(Var x, Part part, std::string_view name) {
  const Layer& l = current();
  const auto module = net_.module(name, cls("MLP"));
  const bool is_gated = part == Part::Shared ? l.gated_experts : l.mlp == Mlp::Gated;
  if (l.curve > 0) net_.op("strata.Resident", {vector("curve", l.curve)});
  if (!is_gated)
    return linear("down_proj", net_.gelu_tanh("act_fn", linear("up_proj", x, part)), part);
  const Var gate = net_.silu("act_fn", linear("gate_proj", x, part));
  return linear("down_proj", net_.mul(gate, linear("up_proj", x, part)), part);
}

Var GraphMaker::experts(Var x) {
  const Layer& l = current();
  const auto module = net_.module("mlp", cls("SparseMoeBlock"));
  const Var scores = linear("router", x, Part::Router);
  Var y = l.expert_input > 0 ? linear("latent_in", x, Part::Shared) : x;
  {
    const auto leaf = net_.module("experts", cls("Experts"));
    const auto one = [&](std::string_view name, std::int64_t rows, std::int64_t columns) {
      const auto inner = net_.module(name, "Linear");
      return stored(matrix(name, Part::Experts), {l.experts, rows, columns});
    };
    const auto bias = [&](const char* name, std::int64_t width) {
      return l.expert_bias ? net_.weight(name, {l.experts, width}) : Var{};
    };
    const std::int64_t hidden = l.expert_input > 0 ? l.expert_input : network_.hidden;
    const Var gate = l.gated_experts ? one("gate_proj", l.ffn, hidden) : Var{};
    const Var up = one("up_proj", l.ffn, hidden), down = one("down_proj", hidden, l.ffn);
    y = net_.op("strata.Experts",
                {y, scores, gate, up, down, l.gated_experts ? bias("gate_bias", l.ffn) : Var{},
                 bias("up_bias", l.ffn), bias("down_bias", hidden)},
                {{"chosen", l.chosen}, {"width", l.ffn}});
  }
  if (l.expert_input > 0) y = linear("latent_out", y, Part::Shared);
  if (l.shared == 0) return y;
  Var shared = feed_forward(x, Part::Shared, "shared_expert");
  if (l.shared_gate)
    shared = net_.mul(shared, net_.sigmoid(linear("shared_gate", x, Part::Router)));
  return net_.add(y, shared);
}

Var GraphMaker::rwkv_mlp(Var x) {
  const auto module = net_.module("feed_forward", cls("FeedForward"));
  const auto mixed = [&](const char* name) { return net_.mul(x, vector(name, network_.hidden)); };
  const Var key = net_.relu("act_fn", linear("ffn_key", mixed("time_mix_key"), Part::Mlp));
  const Var gate = net_.sigmoid(linear("ffn_receptance", mixed("time_mix_receptance"), Part::Mlp));
  return net_.mul(gate, linear("ffn_value", net_.mul(key, key), Part::Mlp));
}

}  // namespace strata::llm
