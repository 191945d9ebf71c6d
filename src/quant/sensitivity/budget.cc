#include "sensitivity/budget.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {

namespace {

constexpr double kFirstRound = 0.67;  // share of the budget
constexpr double kOwnWay = 4;         // times worse than the one that stands for it
constexpr double kFar = std::numeric_limits<double>::infinity();

// The interval of a layer that stands for another one, shifted by the difference between the two on
// the samples that both have.
std::optional<Interval> moved(Quality quality, const Interval& interval, double from, double to) {
  const auto if_finite = [](double low, double high) -> std::optional<Interval> {
    if (!std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
    return Interval{low, high};
  };
  switch (quality) {
    case Quality::Sqnr:
      return if_finite(interval.low + to - from, interval.high + to - from);
    case Quality::Kl:
      return if_finite(interval.low * to / from, interval.high * to / from);
    case Quality::Cosine: {
      const double factor = (1 - to) / (1 - from);
      return if_finite(1 - (1 - interval.low) * factor, 1 - (1 - interval.high) * factor);
    }
    default:
      return std::nullopt;
  }
}

class Halving {
 public:
  Halving(const BudgetTask& task, LayerTrials& trials) : task_(task), trials_(trials) {
    out_.samples.assign(task.share.size(), 0);
    out_.like = task.like;
  }

  Result<BudgetSpent> run();

 private:
  struct Place {
    std::size_t layer;
    double drop;
    Interval interval;  // of the value
  };
  using Scores = std::span<const SampleScore>;

  std::size_t layers() const { return task_.share.size(); }
  bool is_member(std::size_t layer) const { return out_.like[layer] != layer; }
  bool ended() const { return trials_.ended(task_.leave_one_out ? 0.5 : 1); }
  // The scores used so far; an earlier run may have more.
  Scores scores(std::size_t layer) const {
    const Scores all = trials_.so_far().layers[layer].alone;
    return all.first(std::min(all.size(), out_.samples[layer]));
  }
  Scores scores(std::size_t layer, std::size_t count) const {
    return scores(layer).first(std::min(count, scores(layer).size()));
  }
  std::optional<double> drop_of(Scores scores) const {
    return strata::drop_of(task_.quality, scores, trials_.so_far().baseline);
  }
  double cost_of(std::size_t layer, std::size_t want) const {
    const std::size_t have = out_.samples[layer];
    const std::size_t more = want > reached_ ? want - reached_ : 0;
    return task_.share[layer] * static_cast<double>(want - have) + static_cast<double>(more);
  }
  double round_cost(std::size_t count) const;
  Status grow(std::size_t layer, std::size_t want);
  Status first_round();
  Status part_ways();
  Place place_of(std::size_t layer, double amount) const;
  std::vector<Place> ranking() const;
  std::vector<std::size_t> contested() const;
  Status leave_out();

  const BudgetTask& task_;
  LayerTrials& trials_;
  BudgetSpent out_;
  std::size_t reached_ = 0;  // samples with a reference
};

double Halving::round_cost(std::size_t count) const {
  double sum = 2 * static_cast<double>(count);  // one in float, one with all layers rounded
  for (std::size_t l = 0; l < layers(); ++l)
    sum += task_.share[l] * static_cast<double>(is_member(l) ? 1 : count);
  return sum;
}

Status Halving::grow(std::size_t layer, std::size_t want) {
  if (want <= out_.samples[layer]) return {};
  out_.passes += cost_of(layer, want);
  reached_ = std::max(reached_, want);
  if (auto status = trials_.alone(layer, want); !status) return status;
  out_.samples[layer] = std::min(want, trials_.so_far().layers[layer].alone.size());
  return {};
}

Status Halving::first_round() {
  out_.least = round_cost(1);
  out_.first = std::min(kFirstSamples, task_.samples);
  while (out_.first > 1 && round_cost(out_.first) > kFirstRound * task_.allowed) --out_.first;
  reached_ = out_.first;
  out_.passes = 2 * static_cast<double>(out_.first);
  // It is not known how far a time budget will go, so all layers get a first sample before any gets
  // more.
  std::vector<std::size_t> counts = {out_.first};
  if (task_.timed && out_.first > 1) counts.insert(counts.begin(), 1);
  for (const std::size_t count : counts) {
    if (ended()) break;
    if (auto status = trials_.joint(count); !status) return status;
    for (std::size_t l = 0; l < layers() && !ended(); ++l)
      if (auto status = grow(l, is_member(l) ? 1 : count); !status) return status;
  }
  return {};
}

Status Halving::part_ways() {
  for (std::size_t l = 0; l < layers() && !ended(); ++l) {
    if (!is_member(l)) continue;
    const auto own = drop_of(scores(l));
    const auto other = drop_of(scores(out_.like[l], scores(l).size()));
    if (own && other && *own <= kOwnWay * *other) continue;
    out_.like[l] = l;
    if (out_.passes + cost_of(l, std::max(out_.first, out_.samples[l])) > task_.allowed) continue;
    if (auto status = grow(l, out_.first); !status) return status;
  }
  return {};
}

Halving::Place Halving::place_of(std::size_t layer, double amount) const {
  const Scores own = scores(layer);
  Place place{layer, amount, {-kFar, kFar}};
  if (const auto interval = value_interval(task_.quality, own)) {
    place.interval = *interval;
    return place;
  }
  // With too few samples for an interval, the layer may be anywhere, unless another one stands for
  // it.
  if (!is_member(layer)) return place;
  const std::size_t other = out_.like[layer];
  const auto interval = value_interval(task_.quality, scores(other));
  const auto to = score_of(task_.quality, own);
  const auto from = score_of(task_.quality, scores(other, own.size()));
  if (!interval || !to || !from) return place;
  if (const auto shifted = moved(task_.quality, *interval, *from, *to)) {
    place.interval = *shifted;
    const auto on_all = drop_of(scores(other)), on_same = drop_of(scores(other, own.size()));
    if (on_all && on_same && *on_same > 0) place.drop *= *on_all / *on_same;
  }
  return place;
}

std::vector<Halving::Place> Halving::ranking() const {
  std::vector<Place> places;
  for (std::size_t l = 0; l < layers(); ++l)
    if (const auto amount = drop_of(scores(l))) places.push_back(place_of(l, *amount));
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.drop > b.drop; });
  return places;
}

std::vector<std::size_t> Halving::contested() const {
  const std::vector<Place> places = ranking();
  const auto overlap = [](const Place& a, const Place& b) {
    return a.interval.low <= b.interval.high && b.interval.low <= a.interval.high;
  };
  std::vector<std::size_t> out;
  const std::size_t top = task_.top;
  for (std::size_t i = 0; i < places.size(); ++i) {
    // Inside the top the order matters; beyond it, only which layers might belong to the top.
    const bool above = i > 0 && i <= top && overlap(places[i - 1], places[i]);
    const bool below = i + 1 < places.size() && i < top && overlap(places[i], places[i + 1]);
    const bool reaches = i >= top && overlap(places[top - 1], places[i]);
    if (above || below || reaches) out.push_back(places[i].layer);
  }
  return out;
}

Status Halving::leave_out() {
  const std::vector<Place> places = ranking();
  std::vector<std::size_t> best;
  double share = 0;
  for (std::size_t i = 0; i < std::min(places.size(), task_.top); ++i) {
    best.push_back(places[i].layer);
    share += task_.share[places[i].layer];
  }
  // The network with all layers rounded is a reference here, which must be run beyond the first
  // samples.
  const auto cost = [&](std::size_t count) {
    const std::size_t more = count > out_.first ? count - out_.first : 0;
    const std::size_t floats = count > reached_ ? count - reached_ : 0;
    return share * static_cast<double>(count) + static_cast<double>(more + floats);
  };
  std::size_t most = task_.samples;
  while (most > 1 && cost(most) > task_.allowed) --most;
  for (std::size_t count = std::min(kFirstSamples, most);; count = std::min(2 * count, most)) {
    for (const std::size_t layer : best) {
      if (trials_.ended(1)) return {};
      if (auto status = trials_.left_out(layer, count); !status) return status;
    }
    if (auto status = trials_.joint(count); !status) return status;
    if (count == most) return {};
  }
}

Result<BudgetSpent> Halving::run() {
  if (auto status = first_round(); !status) return failure(status);
  if (auto status = part_ways(); !status) return failure(status);
  for (bool more = true; more && !ended();) {
    more = false;
    for (const std::size_t layer : contested()) {
      const std::size_t have = out_.samples[layer];
      const std::size_t want = std::min(task_.samples, 2 * have);
      if (want == have || out_.passes + cost_of(layer, want) > task_.allowed || ended()) continue;
      if (auto status = grow(layer, want); !status) return failure(status);
      more = true;
    }
  }
  if (task_.leave_one_out)
    if (auto status = leave_out(); !status) return failure(status);
  return std::move(out_);
}

}  // namespace

Result<BudgetSpent> spend_budget(const BudgetTask& task, LayerTrials& trials) {
  return Halving(task, trials).run();
}

}  // namespace strata
