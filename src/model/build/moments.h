// Roughly how large the activations of a network are: enough to choose weights with which they
// neither vanish nor explode.
#pragma once

#include <span>
#include <string_view>

#include "strata/graph/graph.h"

namespace strata::build {

// The mean of the elements and of their squares.
struct Moments {
  double mean = 0;
  double square = 1;
  bool shares = false;  // parts of a whole, as softmax returns

  double variance() const { return square > mean * mean ? square - mean * mean : 0; }
};

// Moments of f(x) for normally distributed x.
Moments through(double (*f)(double), const Moments& x);

// The moments after an operator. Weights among its inputs are taken to be 1, except for linear
// layers, whose output the caller knows. `inputs` has at least one entry.
Moments moments_after(const Node& node, std::span<const Moments> inputs);

// x·sigmoid(x), which networks write as two operators.
Moments after_silu(const Moments& x);
Moments after_hardswish(const Moments& x);

}  // namespace strata::build
