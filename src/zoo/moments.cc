#include "zoo/moments.h"

#include <algorithm>
#include <cmath>

namespace strata::zoo {

namespace {

double relu(double x) { return std::max(x, 0.0); }
double leaky(double x) { return x > 0 ? x : 0.1 * x; }
double relu6(double x) { return std::clamp(x, 0.0, 6.0); }
double elu(double x) { return x > 0 ? x : std::expm1(x); }
double selu(double x) { return 1.0507 * (x > 0 ? x : 1.6733 * std::expm1(x)); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double hard_sigmoid(double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }
double hyperbolic(double x) { return std::tanh(x); }
double error(double x) { return std::erf(x); }
double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }
double silu(double x) { return x * sigmoid(x); }
double hardswish(double x) { return x * hard_sigmoid(x); }
double mish(double x) { return x * std::tanh(softplus(x)); }
double gelu(double x) { return x * (0.5 + 0.5 * std::erf(x * 0.7071067811865476)); }
double exponential(double x) { return std::exp(std::min(x, 20.0)); }
double absolute(double x) { return std::fabs(x); }

struct Curve {
  std::string_view op;
  double (*f)(double);
};
constexpr Curve kCurves[] = {
    {"Abs", absolute},
    {"Clip", relu6},
    {"Elu", elu},
    {"Erf", error},
    {"Exp", exponential},
    {"Gelu", gelu},
    {"FastGelu", gelu},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hardswish},
    {"LeakyRelu", leaky},
    {"Mish", mish},
    {"PRelu", leaky},
    {"QuickGelu", silu},
    {"Relu", relu},
    {"Selu", selu},
    {"Sigmoid", sigmoid},
    {"Softplus", softplus},
    {"Swish", silu},
    {"Tanh", hyperbolic},
};

bool is_norm(std::string_view op) {
  return op.find("Normalization") != op.npos && op != "BatchNormalization" &&
         op != "LpNormalization";
}

Moments sum(const Moments& a, const Moments& b, double sign) {
  return {a.mean + sign * b.mean, a.square + b.square + 2 * sign * a.mean * b.mean};
}

// A mean over elements that belong together, but not all: their variance shrinks,
// though not as that of independent ones.
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

Moments after_silu(const Moments& x) { return through(silu, x); }
Moments after_hardswish(const Moments& x) { return through(hardswish, x); }

Moments moments_after(const Node& node, std::span<const Moments> inputs) {
  const std::string_view op = node.op;
  const Moments& x = inputs[0];
  for (const Curve& curve : kCurves)
    if (curve.op == op) return through(curve.f, x);
  if (is_norm(op)) return {};
  if (op == "Add" || op == "Sum") {
    Moments total = x;
    for (const Moments& next : inputs.subspan(1)) total = sum(total, next, 1);
    return total;
  }
  if (op == "Sub" && inputs.size() == 2) return sum(x, inputs[1], -1);
  if (op == "Mul" && inputs.size() == 2)
    return {x.mean * inputs[1].mean, x.square * inputs[1].square};
  if (op == "Div" && inputs.size() == 2) return {};  // a norm that is written out
  if (op == "MatMul" && inputs.size() == 2) return x.shares ? inputs[1] : Moments{};
  if (op == "Concat") {
    Moments mix = {0, 0};
    for (const Moments& next : inputs) mix.mean += next.mean, mix.square += next.square;
    const auto count = static_cast<double>(inputs.size());
    return {mix.mean / count, mix.square / count};
  }
  if (op == "Softmax") return {0, 1, true};
  if (op == "MaxPool" || op == "GlobalMaxPool" || op == "ReduceMax")
    return {x.mean + 0.5 * std::sqrt(x.variance()), 1.5 * x.square};
  if (op == "AveragePool") return averaged(x, 0.5);
  if (op == "GlobalAveragePool" || op == "ReduceMean") return averaged(x, 0.1);
  if (op == "LSTM" || op == "GRU" || op == "RNN") return {0, 0.2};
  return x;  // moves elements, or is not known
}

}  // namespace strata::zoo
