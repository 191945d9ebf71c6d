#include "build/moments.h"

#include <cmath>

#include "ops/curves.h"
#include "ops/registry.h"

namespace strata::build {

namespace {

Moments sum(const Moments& a, const Moments& b, double sign) {
  return {a.mean + sign * b.mean, a.square + b.square + 2 * sign * a.mean * b.mean};
}

// A mean over some of the elements that belong together: their variance shrinks, though less than
// that of independent elements.
Moments averaged(const Moments& x, double left) {
  return {x.mean, x.mean * x.mean + left * x.variance()};
}

}  // namespace

Moments through(double (*f)(double), const Moments& x) {
  constexpr int kSteps = 64;
  constexpr double kReach = 4;
  const double deviation = std::sqrt(x.variance());
  double weights = 0;
  Moments out = {0, 0};
  for (int i = 0; i <= kSteps; ++i) {
    const double z = kReach * (2.0 * i / kSteps - 1);
    const double weight = std::exp(-z * z / 2);
    const double y = f(x.mean + deviation * z);
    weights += weight;
    out.mean += weight * y;
    out.square += weight * y * y;
  }
  out.mean /= weights;
  out.square /= weights;
  return out;
}

Moments after_silu(const Moments& x) { return through(curve::silu, x); }
Moments after_hardswish(const Moments& x) { return through(curve::hard_swish, x); }

Moments moments_after(const Node& node, std::span<const Moments> inputs) {
  const Traits& traits = traits_of(node);
  const Moments& x = inputs[0];
  if (traits.curve != nullptr) return through(traits.curve, x);
  if (traits.norm.how == Normalizes::ByInput) return {};
  if (traits.kind == LayerKind::Recurrent) return {0, 0.2};
  const bool two = inputs.size() == 2;
  switch (traits.op) {
    case Op::Add:
    case Op::Sum: {
      Moments total = x;
      for (const Moments& next : inputs.subspan(1)) total = sum(total, next, 1);
      return total;
    }
    case Op::Sub:
      return two ? sum(x, inputs[1], -1) : x;
    case Op::Mul:
      return two ? Moments{x.mean * inputs[1].mean, x.square * inputs[1].square} : x;
    case Op::Div:
      return two ? Moments{} : x;  // a norm that is written out
    case Op::MatMul:
      if (!two) return x;
      return x.shares ? inputs[1] : Moments{};
    case Op::Concat: {
      Moments mix = {0, 0};
      for (const Moments& next : inputs) mix.mean += next.mean, mix.square += next.square;
      const auto count = static_cast<double>(inputs.size());
      return {mix.mean / count, mix.square / count};
    }
    case Op::Softmax:
      return {0, 1, true};
    case Op::MaxPool:
    case Op::GlobalMaxPool:
    case Op::ReduceMax:
      return {x.mean + 0.5 * std::sqrt(x.variance()), 1.5 * x.square};
    case Op::AveragePool:
      return averaged(x, 0.5);
    case Op::GlobalAveragePool:
    case Op::ReduceMean:
      return averaged(x, 0.1);
    default:
      return x;  // moves elements, or is unknown
  }
}

}  // namespace strata::build
