// The work that all attention operators have in common, whatever surrounds it.
#pragma once

#include "ops/cost_context.h"

namespace strata {

struct Attend {
  Expr batch;
  Expr heads;    // number of query heads, even if several of them share keys and values
  Expr queries;  // length of the query sequence
  Expr keys;     // length of the key sequence, including what is cached
  Expr head;     // size of a query and of a key
  Expr value_head;
  int score_additions = 0;  // masks and biases added to the scores
};

// Q·Kᵀ, scaling, masks, softmax and the product with the values, for every pair of query and key.
// Pairs that a causal mask hides are counted, because dense kernels compute them.
void add_attention(CostContext& c, const Attend& sizes);

// Rotates this many elements by their positions: two products and a sum each.
void add_rotation(CostContext& c, const Expr& count);

}  // namespace strata
