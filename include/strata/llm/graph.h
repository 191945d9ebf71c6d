// The graph of a language model, from its list of layers: what `stat` and its relatives count.
#pragma once

#include <string>

#include "strata/base/result.h"
#include "strata/build/builder.h"
#include "strata/llm/network.h"

namespace strata::llm {

struct GraphSizes {
  Expr batch = 1;
  Expr sequence = Expr::symbol("sequence");  // new tokens
  Expr past = 0;                             // cached tokens; their caches are inputs, unless 0
};

// Parameters, bytes and multiply-accumulates are those of the records. Attention, states and packed
// weights are operators of strata's own, which no engine runs. `weights` is the name of a scheme
// (strata/llm/weights.h); empty: as the network's files say.
Result<build::Network> build_graph(const Network& network, const GraphSizes& sizes,
                                   std::string_view weights = {});

// Says in a sentence how the work of a serving engine differs from that of transformers, for a
// prompt or for a step after `past` tokens.
std::string served_note(const Network& network, double past, double tokens);

}  // namespace strata::llm
