// Operators of language models as engines serve them, in a domain of their own: attention that
// reads a cache, logits of the last token, states, and weights in packed types. Graphs that are
// built from the records of a language model's layers consist of them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ops/cost_context.h"

namespace strata {

struct OpRule;

inline constexpr std::string_view kServing = "strata";

// Counts a node as a serving engine computes it, where transformers computes more: causal and
// windowed pairs in place of the full square, the logits of the last token, latent attention on
// its compressed cache. nullopt: the operator's own rule holds.
struct ServedWork {
  Expr macs, flops;
};
std::optional<ServedWork> served_work(const Graph& graph, const Node& node);

std::span<const OpRule> serving_rules();
std::span<const OpRule> packed_weight_rules();
std::span<const OpRule> state_scan_rules();

}  // namespace strata
