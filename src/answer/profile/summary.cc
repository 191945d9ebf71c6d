#include "profile/summary.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/shortened.h"
#include "profile/roof_place.h"
#include "strata/cost/convention.h"

namespace strata {

namespace {

using Largest = Profile::Summary::Largest;

constexpr std::size_t kSlowest = 5;

std::string name_of_layer(const Analysis& a, std::size_t layer) {
  const Layer& facts = a.layers.list[layer];
  std::string path = layer_path(*a.model, a.costs, facts);
  return shortened(path.empty() ? layer_type(*a.model, a.costs, facts) : path);
}

// The layer with the most, among those whose amount is a number, and its share.
template <class Amount>
std::optional<Largest> largest(const Analysis& a, const Figures& totals, Amount Figures::*amount) {
  const auto total = (totals.*amount).number();
  if (!total || *total <= 0) return std::nullopt;
  std::size_t best = kNone;
  double most = 0;
  for (std::size_t i = 0; i < a.by_layer.size(); ++i) {
    const auto number = ((*a.by_layer[i]).*amount).number();
    if (!number || static_cast<double>(*number) <= most) continue;
    most = static_cast<double>(*number);
    best = i;
  }
  if (best == kNone) return std::nullopt;
  return Largest{name_of_layer(a, best), most / static_cast<double>(*total)};
}

// Names the layers around a kernel that no layer asked for; `next` is the node that ran behind it.
std::string between_text(const Analysis& a, std::uint32_t next) {
  std::size_t before = kNone, behind = kNone;
  for (std::size_t i = 0; i < a.layers.list.size(); ++i) {
    const std::uint32_t main = a.layers.list[i].main;
    if (a.by_layer[i]->seconds.value_or(0) <= 0) continue;
    if (main < next && (before == kNone || a.layers.list[before].main < main)) before = i;
    if (main >= next && (behind == kNone || a.layers.list[behind].main > main)) behind = i;
  }
  if (before == kNone && behind == kNone) return "";
  if (before == kNone) return " before " + name_of_layer(a, behind);
  if (behind == kNone) return " after " + name_of_layer(a, before);
  return fmt::format(" between {} and {}", name_of_layer(a, before), name_of_layer(a, behind));
}

// Adds the conversions of layout that take more time than the last of `slow`.
void add_conversions(const Analysis& a, std::vector<Profile::Summary::Slow>& slow) {
  for (const Row& row : a.attached.timed_beside) {
    const double seconds = row.figures.seconds.value_or(0);
    const bool is_slow = slow.size() < kSlowest ? seconds > 0 : seconds > slow.back().seconds;
    if (!is_slow || row.bound != kLayoutKernel) continue;
    Profile::Summary::Slow one{.layer = shortened(row.layer), .seconds = seconds};
    one.place.bound = "layout conversion" + between_text(a, row.node);
    slow.insert(std::find_if(slow.begin(), slow.end(),
                             [&](const auto& other) { return other.seconds < seconds; }),
                std::move(one));
    if (slow.size() > kSlowest) slow.pop_back();
  }
}

// Data that comes faster than from memory comes from caches. Their speed is not measured: the limit
// is arithmetic if the layer is near it, else the caches, as where each weight is used once.
RoofPlace limit_of(const Figures& figures, const Roofline& roofline) {
  RoofPlace place = place_below(figures, roofline);
  if (place.bound != "memory" || place.percent.value_or(0) <= 100) return place;
  Roofline arithmetic = roofline;
  arithmetic.bytes_per_second = std::numeric_limits<double>::infinity();
  RoofPlace computing = place_below(figures, arithmetic);
  if (computing.bound != "neither") return computing;
  place.bound = kCaches;
  return place;
}

std::vector<Profile::Summary::Slow> slowest(const Analysis& a) {
  std::vector<std::size_t> timed;
  for (std::size_t i = 0; i < a.by_layer.size(); ++i)
    if (a.by_layer[i]->seconds.value_or(0) > 0) timed.push_back(i);
  const std::size_t count = std::min(kSlowest, timed.size());
  std::partial_sort(timed.begin(), timed.begin() + static_cast<std::ptrdiff_t>(count), timed.end(),
                    [&](std::size_t x, std::size_t y) {
                      return std::pair(-*a.by_layer[x]->seconds, x) <
                             std::pair(-*a.by_layer[y]->seconds, y);
                    });
  std::vector<Profile::Summary::Slow> out;
  for (std::size_t n = 0; n < count; ++n) {
    const Figures& figures = a.by_layer[timed[n]];
    Profile::Summary::Slow slow{.layer = name_of_layer(a, timed[n]), .seconds = *figures.seconds};
    // The roof is that of fp32; kernels of other precisions have another one.
    const bool is_fp32 = figures.precisions == 0 || precision_text(figures.precisions) == "fp32";
    if (a.attached.reasons && is_fp32) slow.place = limit_of(figures, *a.attached.reasons);
    out.push_back(std::move(slow));
  }
  add_conversions(a, out);
  return out;
}

}  // namespace

Profile::Summary summary_of(const Analysis& a, const Figures& totals) {
  Profile::Summary out;
  out.params = totals.params;
  out.param_bytes = totals.param_bytes;
  out.counts_macs = (totals.missing >> static_cast<unsigned>(Metric::Macs) & 1U) == 0;
  if (out.counts_macs) {
    out.macs = totals.macs;
    out.macs_work = totals.macs_work;
    out.most_macs = largest(a, totals, &Figures::macs);
  }
  out.most_params = largest(a, totals, &Figures::params);
  if (a.attached.timing) out.slowest = slowest(a);
  return out;
}

}  // namespace strata
