#include "strata/calibrate/sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "calibrate/sketch_grid.h"
#include "calibrate/sketch_state.h"

namespace strata {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Far more than can be run, and the sum of two does not overflow.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 62;

std::optional<std::uint64_t> sum(std::initializer_list<std::uint64_t> counts) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts)
    if (count > kMostElements || (total += count) > kMostElements) return std::nullopt;
  return total;
}

// The sum over all positions; nullopt: too many.
std::optional<std::uint64_t> total(const PagedCounters& counters) {
  std::optional<std::uint64_t> all = 0;
  counters.for_each([&](std::uint32_t, std::uint64_t count) {
    if (all) all = sum({*all, count});
  });
  return all;
}

// The bin of a position, clipped to the smallest and largest element. If `low` is above
// `high`, no element can be there.
SketchBin bin_of(std::uint32_t position, std::uint64_t count, const SketchGrid& grid, float min,
                 float max) {
  const double inner = std::bit_cast<float>(grid.first_of(position));
  const bool negative = std::signbit(inner);
  const double outer = inner + (negative ? -1 : 1) * grid.width_of(position);
  return {std::max<double>(std::min(inner, outer), min),
          std::min<double>(std::max(inner, outer), max), count};
}

Status check_channels(const SketchParts& parts) {
  if (parts.channel_max.size() != parts.channel_min.size())
    return failure("the sketch has not as many maxima as minima of channels");
  float low = kInfinity, high = -kInfinity;
  for (std::size_t i = 0; i < parts.channel_min.size(); ++i) {
    const float min = parts.channel_min[i], max = parts.channel_max[i];
    const bool none = min == kInfinity && max == -kInfinity;
    if (!none && !(std::isfinite(min) && std::isfinite(max) && min <= max))
      return failure(
          fmt::format("channel {} of the sketch has a minimum and maximum that no data has", i));
    low = std::min(low, min);
    high = std::max(high, max);
  }
  if (!parts.channel_min.empty() && (low != parts.min || high != parts.max))
    return failure("the channels of the sketch do not reach its minimum and maximum");
  return {};
}

// Checks minimum, maximum and counters against each other; there must be finite elements.
bool counters_fit(const SketchParts& parts) {
  if (!std::isfinite(parts.min) || !std::isfinite(parts.max) || parts.min > parts.max) return false;
  if (parts.zeros != 0 && (parts.min > 0 || parts.max < 0)) return false;
  const SketchGrid grid(parts.min, parts.max);
  for (const float end : {parts.min, parts.max}) {
    const auto bits = std::bit_cast<std::uint32_t>(end);
    if ((end == 0 ? parts.zeros : parts.counters.at(grid.position(bits))) == 0) return false;
  }
  bool fits = true;
  parts.counters.for_each([&](std::uint32_t position, std::uint64_t count) {
    const std::uint32_t first = grid.first_of(position);
    fits = fits && (first & 0x7fffffff) < grid.end_bits && grid.position(first) == position;
    if (!fits) return;
    const SketchBin bin = bin_of(position, count, grid, parts.min, parts.max);
    fits = bin.low <= bin.high;
  });
  return fits;
}

}  // namespace

SketchParts::SketchParts() : min(kInfinity), max(-kInfinity) {}

Sketch::Sketch(SketchOptions options) : parts_(std::make_unique<SketchParts>()) {
  const auto channels = static_cast<std::size_t>(std::max<std::int64_t>(options.channels, 0));
  parts_->channel_min.assign(channels, kInfinity);
  parts_->channel_max.assign(channels, -kInfinity);
}

Sketch::Sketch(const Sketch& other) : parts_(std::make_unique<SketchParts>(*other.parts_)) {}
Sketch& Sketch::operator=(const Sketch& other) {
  if (this != &other) parts_ = std::make_unique<SketchParts>(*other.parts_);
  return *this;
}
Sketch::Sketch(Sketch&&) noexcept = default;
Sketch& Sketch::operator=(Sketch&&) noexcept = default;
Sketch::~Sketch() = default;
bool Sketch::operator==(const Sketch& other) const { return *parts_ == *other.parts_; }

std::uint64_t Sketch::zeros() const { return parts_->zeros; }
std::uint64_t Sketch::nans() const { return parts_->nans; }
std::uint64_t Sketch::infinities() const {
  return parts_->positive_infinities + parts_->negative_infinities;
}
std::int64_t Sketch::channels() const {
  return static_cast<std::int64_t>(parts_->channel_min.size());
}

Result<Sketch> Sketch::from_parts(SketchParts parts) {
  const auto placed = total(parts.counters);
  if (!placed || !sum({*placed, parts.zeros, parts.nans, parts.positive_infinities,
                       parts.negative_infinities}))
    return failure("the sketch counts more than 2^62 elements");
  const bool empty = *placed == 0 && parts.zeros == 0;
  if (empty ? parts.min != kInfinity || parts.max != -kInfinity : !counters_fit(parts))
    return failure("the sketch has a minimum and maximum that do not fit its counts");
  if (Status status = check_channels(parts); !status) return failure(status);
  Sketch sketch;
  *sketch.parts_ = std::move(parts);
  return sketch;
}

Status Sketch::merge(const Sketch& other) {
  if (channels() != other.channels())
    return failure(fmt::format("a sketch of {} channels and one of {} cannot be merged", channels(),
                               other.channels()));
  if (!sum({count(), other.count()})) return failure("the sketches count more than 2^62 elements");
  const SketchParts& theirs = *other.parts_;
  const SketchGrid their_grid(theirs.min, theirs.max);
  reach(std::min(parts_->min, theirs.min), std::max(parts_->max, theirs.max));
  const SketchGrid grid(parts_->min, parts_->max);
  theirs.counters.for_each([&](std::uint32_t position, std::uint64_t elements) {
    parts_->counters.add(grid.position(their_grid.first_of(position)), elements);
  });
  parts_->zeros += theirs.zeros;
  parts_->nans += theirs.nans;
  parts_->positive_infinities += theirs.positive_infinities;
  parts_->negative_infinities += theirs.negative_infinities;
  for (std::size_t i = 0; i < parts_->channel_min.size(); ++i) {
    parts_->channel_min[i] = std::min(parts_->channel_min[i], theirs.channel_min[i]);
    parts_->channel_max[i] = std::max(parts_->channel_max[i], theirs.channel_max[i]);
  }
  return {};
}

// Moves the counts of steps that a larger |x| makes too fine to their positions in the new grid.
void Sketch::reach(float min, float max) {
  const SketchGrid old(parts_->min, parts_->max);
  parts_->min = min + 0.0F;  // turns negative zero into zero
  parts_->max = max + 0.0F;
  const SketchGrid grid(min, max);
  if (grid.octave == old.octave) return;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> steps;
  parts_->counters.for_each([&](std::uint32_t position, std::uint64_t elements) {
    if (position >= kFirstStep) steps.emplace_back(old.first_of(position), elements);
  });
  for (std::uint32_t page = kFirstStep / PagedCounters::kPageSize; page < PagedCounters::kPages;
       ++page)
    parts_->counters.clear_page(page);
  for (const auto& [bits, elements] : steps) parts_->counters.add(grid.position(bits), elements);
}

std::uint64_t Sketch::finite() const { return *total(parts_->counters) + parts_->zeros; }
std::uint64_t Sketch::count() const { return finite() + nans() + infinities(); }

std::optional<float> Sketch::min() const {
  return parts_->min == kInfinity ? std::nullopt : std::optional(parts_->min);
}
std::optional<float> Sketch::max() const {
  return parts_->min == kInfinity ? std::nullopt : std::optional(parts_->max);
}

std::vector<SketchBin> Sketch::bins() const {
  std::vector<SketchBin> positive, negative;
  const SketchGrid grid(parts_->min, parts_->max);
  parts_->counters.for_each([&](std::uint32_t position, std::uint64_t elements) {
    const bool below_zero = std::signbit(std::bit_cast<float>(grid.first_of(position)));
    (below_zero ? negative : positive)
        .push_back(bin_of(position, elements, grid, parts_->min, parts_->max));
  });
  std::vector<SketchBin> all(negative.rbegin(), negative.rend());
  if (parts_->zeros != 0) all.push_back({0, 0, parts_->zeros});
  all.insert(all.end(), positive.begin(), positive.end());
  return all;
}

std::size_t Sketch::heap_bytes() const {
  return parts_->counters.heap_bytes() +
         (parts_->channel_min.capacity() + parts_->channel_max.capacity()) * sizeof(float);
}

}  // namespace strata
