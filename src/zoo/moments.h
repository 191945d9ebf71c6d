// How large the activations of a network are, roughly: enough to choose weights
// that neither let them vanish nor grow.
#pragma once

#include <span>
#include <string_view>

#include "strata/graph/graph.h"

namespace strata::zoo {

// Mean of the elements and of their squares.
struct Moments {
  double mean = 0;
  double square = 1;
  bool shares = false;  // parts of a whole, as softmax gives

  double variance() const { return square > mean * mean ? square - mean * mean : 0; }
};

// Of f(x) for normal x.
Moments through(double (*f)(double), const Moments& x);

// What an operator makes of its inputs; weights among them are taken for 1, but for
// the linear layers, whose output the caller knows. `inputs` has at least one.
Moments moments_after(const Node& node, std::span<const Moments> inputs);

// x·sigmoid(x), which networks write as two operators.
Moments after_silu(const Moments& x);
Moments after_hardswish(const Moments& x);

}  // namespace strata::zoo
