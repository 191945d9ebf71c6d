#include "base/student.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// P(|T| ≤ t). With t = √ν tan θ, the density becomes cos^(ν-1) θ, which is smooth over a bounded
// range: Simpson's rule is accurate to 1e-9.
double inside(double t, double freedom) {
  constexpr int kSteps = 64;  // even
  const double end = std::atan(t / std::sqrt(freedom));
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::exp((freedom - 1) * std::log(std::cos(end * i / kSteps)));
  }
  const double area = sum * end / kSteps / 3;
  const double log_whole =
      std::log(std::sqrt(M_PI) / 2) + std::lgamma(freedom / 2) - std::lgamma((freedom + 1) / 2);
  return area / std::exp(log_whole);
}

}  // namespace

double student_quantile(double freedom) {
  freedom = std::clamp(freedom, 1.0, 1e5);
  double low = 0, high = 16;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (inside(middle, freedom) < 0.95 ? low : high) = middle;
  }
  return high;
}

}  // namespace strata
