#include "ops/curves.h"

#include <algorithm>
#include <cmath>

namespace strata::curve {

double absolute(double x) { return std::fabs(x); }
double elu(double x) { return x > 0 ? x : std::expm1(x); }
double error_function(double x) { return std::erf(x); }
double exponential(double x) { return std::exp(std::min(x, 20.0)); }
double gelu(double x) { return x * (0.5 + 0.5 * std::erf(x * 0.7071067811865476)); }
double hard_sigmoid(double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }
double hard_swish(double x) { return x * hard_sigmoid(x); }
double leaky_relu(double x) { return x > 0 ? x : 0.1 * x; }
double mish(double x) { return x * std::tanh(softplus(x)); }
double relu(double x) { return std::max(x, 0.0); }
double relu6(double x) { return std::clamp(x, 0.0, 6.0); }
double selu(double x) { return 1.0507 * (x > 0 ? x : 1.6733 * std::expm1(x)); }
double shrink(double x) { return std::fabs(x) > 0.5 ? x : 0; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double silu(double x) { return x * sigmoid(x); }
double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }
double softsign(double x) { return x / (1 + std::fabs(x)); }
double tanh(double x) { return std::tanh(x); }
double thresholded_relu(double x) { return x > 1 ? x : 0; }

}  // namespace strata::curve
