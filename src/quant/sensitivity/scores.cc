// Measures of the difference between outputs.
#include "sensitivity/scores.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "data/elements.h"

namespace strata {

namespace {

constexpr int kResamples = 1000;

// True if it looks like class scores, with rows along the last axis.
bool has_rows(const HostTensor& tensor) {
  return (tensor.dims.size() == 2 && tensor.dims[1] > 1) ||
         (tensor.dims.size() == 3 && tensor.dims[2] >= 1000);
}

struct Softmax {
  double most = -std::numeric_limits<double>::infinity(), log_sum = 0;
  explicit Softmax(std::span<const double> row) {
    for (const double x : row) most = std::max(most, x);
    double sum = 0;
    for (const double x : row) sum += std::exp(x - most);
    log_sum = std::log(sum);
  }
  double log_of(double x) const { return x - most - log_sum; }
};

void add_rows(std::span<const double> a, std::span<const double> b, std::size_t width,
              std::span<const std::int64_t> labels, SampleScore& score) {
  const std::size_t rows = a.size() / width;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto one = a.subspan(r * width, width), other = b.subspan(r * width, width);
    const Softmax p(one), q(other);
    for (std::size_t i = 0; i < width; ++i) {
      const double log_p = p.log_of(one[i]);
      if (std::isinf(log_p)) continue;  // 0 · log 0
      score.kl += std::exp(log_p) * (log_p - q.log_of(other[i]));
    }
    const auto top = std::max_element(one.begin(), one.end()) - one.begin();
    const auto other_top = std::max_element(other.begin(), other.end()) - other.begin();
    ++score.rows;
    score.same += top == other_top ? 1 : 0;
    if (labels.size() == rows) {
      ++score.labelled;
      score.right += other_top == labels[r] ? 1 : 0;
    }
  }
}

SampleScore sum_of(std::span<const SampleScore> samples) {
  SampleScore sum;
  double command = 0;
  std::size_t commands = 0;
  for (const SampleScore& one : samples) {
    sum.signal += one.signal;
    sum.noise += one.noise;
    sum.product += one.product;
    sum.other += one.other;
    sum.kl += one.kl;
    sum.rows += one.rows;
    sum.same += one.same;
    sum.right += one.right;
    sum.labelled += one.labelled;
    if (one.command) {
      command += *one.command;
      ++commands;
    }
  }
  if (commands > 0) sum.command = command / static_cast<double>(commands);
  return sum;
}

constexpr std::pair<Quality, std::string_view> kNames[] = {
    {Quality::Sqnr, "sqnr"}, {Quality::Cosine, "cosine"},     {Quality::Kl, "kl"},
    {Quality::Top1, "top1"}, {Quality::Accuracy, "accuracy"}, {Quality::Command, "command"}};

}  // namespace

Result<SampleScore> score_of(std::span<const HostTensor> floats, std::span<const HostTensor> other,
                             std::span<const std::int64_t> labels) {
  SampleScore score;
  for (const HostTensor& one : floats) {
    const auto twin = std::find_if(other.begin(), other.end(),
                                   [&](const HostTensor& each) { return each.name == one.name; });
    const HostTensor& two = twin == other.end() ? one : *twin;
    if (two.dims != one.dims) return failure(Code::OutputShape, {.name = in_quotes(one.name)});
    const std::vector<double> a = elements_of(one), b = elements_of(two);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!std::isfinite(a[i]) && a[i] == b[i]) continue;  // masked in both
      if (!std::isfinite(a[i]) || !std::isfinite(b[i]))
        return failure(
            fmt::format("the output {} has NaN or infinity in it, and cannot be compared",
                        in_quotes(one.name)));
      score.signal += a[i] * a[i];
      score.noise += (a[i] - b[i]) * (a[i] - b[i]);
      score.product += a[i] * b[i];
      score.other += b[i] * b[i];
    }
    if (has_rows(one) && !a.empty())
      add_rows(a, b, static_cast<std::size_t>(one.dims.back()), labels, score);
  }
  return score;
}

Result<SampleScore> judge_sample(const SensitivityOptions& options, const Dataset& data,
                                 std::size_t sample, std::span<const HostTensor> floats,
                                 std::span<const HostTensor> other) {
  std::span<const std::int64_t> labels;
  if (options.labels) {
    const auto batch = static_cast<std::size_t>(data.batch());
    labels = std::span(*options.labels).subspan(sample * batch, batch);
  }
  auto score = score_of(floats, other, labels);
  if (!score || !options.command) return score;
  auto said = options.command(floats, other);
  if (!said) return failure(said);
  score->command = *said;
  return score;
}

std::string_view name_of(Quality quality) {
  for (const auto& [each, text] : kNames)
    if (each == quality) return text;
  return "?";
}

std::optional<Quality> quality_from_name(std::string_view text) {
  for (const auto& [each, own] : kNames)
    if (own == text) return each;
  return std::nullopt;
}

std::string_view unit_of(Quality quality) {
  switch (quality) {
    case Quality::Sqnr:
      return "dB";
    case Quality::Kl:
      return "nats";
    case Quality::Top1:
    case Quality::Accuracy:
      return "%";
    case Quality::Cosine:
    case Quality::Command:
      break;
  }
  return "";
}

std::optional<double> score_of(Quality quality, std::span<const SampleScore> samples) {
  if (samples.empty()) return std::nullopt;
  const SampleScore sum = sum_of(samples);
  switch (quality) {
    case Quality::Sqnr:
      if (!(sum.signal > 0)) return std::nullopt;
      return sum.noise > 0 ? 10 * std::log10(sum.signal / sum.noise)
                           : std::numeric_limits<double>::infinity();
    case Quality::Cosine:
      if (!(sum.signal > 0) || !(sum.other > 0)) return std::nullopt;
      return sum.product / std::sqrt(sum.signal * sum.other);
    case Quality::Kl:
      if (sum.rows == 0) return std::nullopt;
      return sum.kl / static_cast<double>(sum.rows);
    case Quality::Top1:
      if (sum.rows == 0) return std::nullopt;
      return 100 * static_cast<double>(sum.same) / static_cast<double>(sum.rows);
    case Quality::Accuracy:
      if (sum.labelled == 0) return std::nullopt;
      return 100 * static_cast<double>(sum.right) / static_cast<double>(sum.labelled);
    case Quality::Command:
      return sum.command;
  }
  return std::nullopt;
}

namespace {

// Wilson's interval of a percentage. Where all samples are alike, a bootstrap has no width and
// would promise that of eight right answers none will ever be wrong.
Interval wilson(double percent, std::size_t samples) {
  constexpr double kZ = 1.959963984540054;  // 97.5 % of a normal distribution
  const double p = percent / 100, n = static_cast<double>(samples), more = kZ * kZ / n;
  const double middle = (p + more / 2) / (1 + more);
  const double half = kZ / (1 + more) * std::sqrt(p * (1 - p) / n + more / n / 4);
  return {100 * std::max(0.0, middle - half), 100 * std::min(1.0, middle + half)};
}

}  // namespace

std::optional<Interval> value_interval(Quality quality, std::span<const SampleScore> samples,
                                       std::uint64_t seed) {
  if (samples.size() < kFewestForInterval || !score_of(quality, samples)) return std::nullopt;
  std::mt19937_64 random(seed);
  std::vector<double> values;
  std::vector<SampleScore> draw(samples.size());
  for (int i = 0; i < kResamples; ++i) {
    for (SampleScore& one : draw) one = samples[random() % samples.size()];
    if (const auto drawn = score_of(quality, draw)) values.push_back(*drawn);
  }
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const Interval interval{nearest_rank(values, 0.025), nearest_rank(values, 0.975)};
  const bool is_share = quality == Quality::Top1 || quality == Quality::Accuracy;
  if (is_share && interval.low == interval.high) return wilson(interval.low, samples.size());
  return interval;
}

std::optional<double> drop_of(Quality quality, std::span<const SampleScore> samples,
                              std::span<const SampleScore> baseline) {
  if (samples.empty()) return std::nullopt;
  if (quality == Quality::Sqnr || quality == Quality::Cosine) {
    const SampleScore sum = sum_of(samples);
    if (!(sum.signal > 0)) return std::nullopt;
    return sum.noise / sum.signal;
  }
  const auto own = score_of(quality, samples);
  if (!own) return std::nullopt;
  if (quality == Quality::Kl) return own;
  if (quality == Quality::Top1) return (100 - *own) / 100;
  // Scores the same samples in float.
  const auto floats = score_of(quality, baseline.first(std::min(samples.size(), baseline.size())));
  if (!floats) return std::nullopt;
  return quality == Quality::Accuracy ? (*floats - *own) / 100 : *floats - *own;
}

std::optional<Interval> drop_difference(Quality quality, std::span<const SampleScore> a,
                                        std::span<const SampleScore> b,
                                        std::span<const SampleScore> baseline) {
  const std::size_t count = std::min({a.size(), b.size(), baseline.size()});
  if (count < kFewestForInterval) return std::nullopt;
  std::mt19937_64 random;
  std::vector<double> values;
  std::vector<SampleScore> drawn_a(count), drawn_b(count), floats(count);
  for (int i = 0; i < kResamples; ++i) {
    for (std::size_t s = 0; s < count; ++s) {
      const auto draw = static_cast<std::size_t>(random() % count);
      drawn_a[s] = a[draw];
      drawn_b[s] = b[draw];
      floats[s] = baseline[draw];
    }
    const auto one = drop_of(quality, drawn_a, floats), other = drop_of(quality, drawn_b, floats);
    if (one && other) values.push_back(*one - *other);
  }
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Interval{nearest_rank(values, 0.025), nearest_rank(values, 0.975)};
}

std::optional<double> additivity(const Sensitivity& sensitivity, Quality quality) {
  for (const LayerScore& layer : sensitivity.layers)
    if (!drop_of(quality, layer.alone, sensitivity.baseline)) return std::nullopt;
  return additivity_so_far(sensitivity, quality);
}

std::optional<double> additivity_so_far(const Sensitivity& sensitivity, Quality quality) {
  const auto joint = drop_of(quality, sensitivity.joint, sensitivity.baseline);
  if (!joint || !(*joint > 0)) return std::nullopt;
  double sum = 0;
  for (const LayerScore& layer : sensitivity.layers)
    sum += drop_of(quality, layer.alone, sensitivity.baseline).value_or(0);
  return sum / *joint;
}

}  // namespace strata
