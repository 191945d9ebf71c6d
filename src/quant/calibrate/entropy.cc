// The range that loses the least information about |x|, in the sense of Kullback and Leibler, after
// Migacz, "8-bit inference with TensorRT" (2017). The exact definition:
//
// - h[j] counts the elements with j·w ≤ |x| < (j+1)·w, zeros left out, because they are
//   kept exactly whatever the range. w is the power of two of which the largest |x| has
//   at least 2048 and less than 4096. The sketch has these counts exactly. Let there
//   be J bins, the last of which holds the largest |x|.
// - There are L = 2^(bits-1) levels for |x|; 2^bits if the scheme is not symmetric and all
//   elements have one sign.
// - For every i from L to J: p[0..i) is h[0..i), and p[i-1] also has all elements beyond.
//   Level k holds the bins from floor(k·i/L) to floor((k+1)·i/L). q[j] is 0 where p[j] is,
//   else the sum of h over the level of j divided by the number of bins in it where p is
//   not 0.
// - The loss is Σ P log(P/Q) with P = p/Σp and Q = q/Σq; infinite if some q[j] is 0 where
//   p[j] is not.
// - T = i·w of the least loss, the first if there are several, but at most the largest
//   |x|. Where J < L (from 12 bits on), T is the largest |x|.
//
// A scheme that is not symmetric gets the elements' own range, cut at -T and T.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "calibrate/choices.h"
#include "calibrate/sketch_grid.h"
#include "calibrate/sketch_state.h"

namespace strata {

namespace {

// Sums over the first bins, so that a level costs the same whatever its size.
struct Sums {
  double elements = 0;
  double occupied = 0;     // bins that are not empty
  double information = 0;  // Σ h log h
};

double information(double count) { return count == 0 ? 0 : count * std::log(count); }

std::vector<Sums> sums_of(const std::vector<double>& bins) {
  std::vector<Sums> sums(bins.size() + 1);
  for (std::size_t j = 0; j < bins.size(); ++j)
    sums[j + 1] = {sums[j].elements + bins[j], sums[j].occupied + (bins[j] != 0 ? 1 : 0),
                   sums[j].information + information(bins[j])};
  return sums;
}

// The loss of keeping the first `kept` bins, times the number of all elements.
double loss(const std::vector<double>& bins, const std::vector<Sums>& sums, std::size_t kept,
            std::size_t levels) {
  const double all = sums.back().elements, inside = sums[kept].elements;
  const double beyond = all - inside, last = bins[kept - 1];
  double total = sums[kept].information - information(last) + information(last + beyond);
  for (std::size_t k = 0; k < levels; ++k) {
    const std::size_t first = k * kept / levels, end = (k + 1) * kept / levels;
    const double elements = sums[end].elements - sums[first].elements;
    double occupied = sums[end].occupied - sums[first].occupied;
    double weight = elements;
    if (end == kept) {
      weight += beyond;
      if (last == 0 && beyond != 0) ++occupied;
    }
    if (weight == 0) continue;
    if (elements == 0) return std::numeric_limits<double>::infinity();
    total -= weight * std::log(elements / occupied);
  }
  return total + all * std::log(inside / all);
}

// The histogram of |x| without zeros; the last bin is not empty.
std::vector<double> linear_histogram(const Sketch& sketch, const SketchGrid& grid) {
  std::vector<double> bins(kStepsPerSign);
  std::size_t used = 0;
  sketch.parts().counters.for_each([&](std::uint32_t position, std::uint64_t count) {
    const float least = std::bit_cast<float>(grid.first_of(position) & 0x7fffffff);
    const auto bin = static_cast<std::size_t>(double{least} / grid.step);
    bins[bin] += static_cast<double>(count);
    used = std::max(used, bin + 1);
  });
  bins.resize(used);
  return bins;
}

}  // namespace

Range entropy_range(const Sketch& sketch, const Scheme& scheme) {
  const float min = *sketch.min(), max = *sketch.max();
  const SketchGrid grid(min, max);
  const std::vector<double> bins = linear_histogram(sketch, grid);
  const bool one_sided = !scheme.symmetric && (min >= 0 || max <= 0);
  const std::size_t levels = std::size_t{1} << (one_sided ? scheme.bits : scheme.bits - 1);
  const std::vector<Sums> sums = sums_of(bins);
  double side = std::max(-min, max);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t kept = levels; kept <= bins.size(); ++kept) {
    const double lost = loss(bins, sums, kept, levels);
    if (lost >= least) continue;
    least = lost;
    side = std::min<double>(static_cast<double>(kept) * grid.step, std::max(-min, max));
  }
  const auto end = static_cast<float>(side);
  if (scheme.symmetric) return {-end, end};
  return {std::clamp(min, -end, 0.0F), std::clamp(max, 0.0F, end)};
}

}  // namespace strata
