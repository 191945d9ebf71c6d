// Statistics of a list of times. One definition of everything: a quantile is the nearest rank, a
// spread is the median absolute deviation, an interval covers the median with 95 % confidence and
// assumes nothing about the distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

struct Interval {
  double low = 0, high = 0;
};

// The middle sample, or the mean of the two in the middle. Not empty.
double median_of(std::span<const double> samples);
// The median without a copy; changes the order of the samples.
double median_in_place(std::span<double> samples);

// The sample of rank ⌈q·n⌉. Sorted input; not empty.
double nearest_rank(std::span<const double> sorted, double q);
// The number of samples that a quantile needs: with one sample above it allowed, 99 % sure that the
// true quantile lies below the largest but one. p90: 64, p99: 662, p99.9: 6636.
std::size_t samples_needed(double q);

// Order statistics that bracket the median with at least 95 % confidence; nullopt
// below six samples, where no two do.
std::optional<Interval> median_interval(std::span<const double> sorted);

struct Summary {
  std::size_t n = 0;
  double min = 0, max = 0;
  double median = 0;
  double mad = 0;  // median of |x - median|, not scaled
  double mean = 0;
  std::optional<double> stddev;      // of the sample; nullopt below two
  std::optional<double> cv;          // stddev / mean
  std::optional<Interval> interval;  // of the median, 95 %
  std::size_t outliers = 0;          // Tukey: beyond 1.5 interquartile ranges; counted, not dropped
  std::vector<double> sorted;

  // nullopt if the samples do not carry it.
  std::optional<double> percentile(double q) const;
};

// Above this coefficient of variation a result is called noisy.
inline constexpr double kNoisyCv = 0.025;

Summary summarize(std::span<const double> samples);

// The samples of a machine that was left alone go neither up nor down. True if the
// medians of the halves of the last eight differ by less than the spread of one.
bool has_settled(std::span<const double> samples);

}  // namespace strata
