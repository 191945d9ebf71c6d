// Compares what was promised for a plan with what its file gives.
#include <cmath>

#include "base/student.h"
#include "calibrate/ratio_db.h"
#include "strata/quantize/quantize.h"

namespace strata {

namespace {

// dB; a smaller difference comes from kernels that round their sums differently, not from another
// network.
constexpr double kAlike = 0.5;

}  // namespace

// Both are scores of the same samples, so what counts is how their difference varies from sample to
// sample, not how much the samples themselves vary.
std::optional<bool> QuantizeOutcome::kept_promise() const {
  if (got.size() != promised.size() || got.size() < 2) return std::nullopt;
  std::vector<double> ours, theirs;
  double our_sum = 0, their_sum = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ours.push_back(got[i].noise);
    theirs.push_back(promised[i].noise);
    our_sum += got[i].noise;
    their_sum += promised[i].noise;
  }
  if (our_sum == their_sum) return true;
  const auto difference = ratio_db(theirs, ours);
  if (!difference) return std::nullopt;
  const double half = student_quantile(static_cast<double>(got.size()) - 1) * difference->error;
  return std::abs(difference->value) - half <= kAlike;
}

}  // namespace strata
