#include "quantize/layer_speed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/registry.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

// Runs of one row: the times of its own kernels, added up for each run.
struct Runs {
  std::vector<double> seconds;
  int kernels = 0;

  void add(const std::vector<double>& more) {
    ++kernels;
    seconds.resize(std::max(seconds.size(), more.size()), 0);
    for (std::size_t i = 0; i < more.size(); ++i) seconds[i] += more[i];
  }
  double median() const { return seconds.empty() ? 0 : summarize(seconds).median; }
};

// A kernel between floats and whole numbers, by the name that engines give it.
bool converts(std::string_view op) {
  Node node;
  node.op = op;
  const Quantized quantized = traits_of(node).quantized;
  return quantized == Quantized::Quantizes || quantized == Quantized::Dequantizes;
}

struct RowRuns {
  std::vector<Runs> layers;
  Runs other, conversions, layout;
};

RowRuns runs_of(const Timing& timing, const LayerNames& names) {
  TextMap<std::string_view, std::size_t> layer_of;
  for (std::size_t l = 0; l < names.size(); ++l)
    for (const std::string& name : names[l])
      if (!name.empty()) layer_of.emplace(name, l);
  RowRuns out;
  out.layers.resize(names.size());
  for (const KernelTimes& kernel : timing.kernels) {
    Runs* row = kernel.kernel.kind == KernelKind::Layout ? &out.layout : &out.other;
    if (converts(kernel.kernel.op))
      row = &out.conversions;
    else
      for (const std::string& node : kernel.kernel.sources)
        if (const auto layer = layer_of.find(node); layer != layer_of.end()) {
          row = &out.layers[layer->second];
          break;
        }
    row->add(kernel.seconds);
  }
  return out;
}

// Rows of one model, with intervals that hold between sessions.
class Rows {
 public:
  Rows(const Timing& timing, double resolution, bool disturbed)
      : timing_(timing), drift_(timing.drift), resolution_(resolution), disturbed_(disturbed) {}

  RunTimes of(const RowRuns& runs) const {
    RunTimes out;
    out.whole = timing_.runs.empty() ? 0 : summarize(timing_.runs).median;
    for (const Runs& layer : runs.layers) out.layers.push_back(time_of(layer));
    out.other = time_of(runs.other);
    out.conversions = time_of(runs.conversions);
    out.layout = time_of(runs.layout);
    double sum = 0;
    for (const RowTime& layer : out.layers) sum += std::max(layer.median, 0.0);
    for (const RowTime* row : {&out.other, &out.conversions, &out.layout})
      sum += std::max(row->median, 0.0);
    // Kernels that are timed one by one may add up to more than a whole run: then it is not known.
    if (sum <= out.whole) out.outside.median = out.whole - sum;
    return out;
  }

 private:
  // The cost of recording has been subtracted, and nothing may be left of a short kernel.
  RowTime time_of(const Runs& runs) const {
    const double median = runs.median();
    if (!(median > 0)) return {};
    RowTime out{median, std::nullopt};
    if (disturbed_) return out;
    out.interval = session_center(runs.seconds, timing_.recorded_sessions, drift_).interval;
    const double unknown = runs.kernels * resolution_;
    if (out.interval)
      out.interval =
          Interval{std::max(0.0, out.interval->low - unknown), out.interval->high + unknown};
    return out;
  }

  const Timing& timing_;
  double drift_, resolution_;
  bool disturbed_;
};

// Computed from sessions that ran side by side; widened by the resolution of the engine's clock.
std::optional<RowSpeedUp> ratio_of(const TimedPair& pair, const Runs& base, const Runs& other,
                                   double resolution, bool disturbed) {
  const double ours = base.median(), theirs = other.median();
  if (!(ours > 0) || !(theirs > 0)) return std::nullopt;
  const TimeRatio found = time_ratio(base.seconds, pair.base.recorded_sessions, other.seconds,
                                     pair.other.recorded_sessions);
  RowSpeedUp out;
  // If a session saw nothing of this row, the medians of all runs are used.
  const bool known = found.withheld.empty();
  out.ratio = known ? found.ratio : ours / theirs;
  if (!known || disturbed) return out;
  const double less = base.kernels * resolution, more = other.kernels * resolution;
  out.interval =
      Interval{found.interval.low * std::max(0.0, ours - less) / ours * theirs / (theirs + more),
               more < theirs ? found.interval.high * (ours + less) / ours * theirs / (theirs - more)
                             : std::numeric_limits<double>::infinity()};
  return out;
}

void scale(RunTimes& times, double whole) {
  if (!(times.whole > 0) || !(whole > 0)) return;
  const double factor = whole / times.whole;
  const auto each = [&](RowTime& row) {
    if (row.median > 0) row.median *= factor;
    if (row.interval)
      row.interval = Interval{row.interval->low * factor, row.interval->high * factor};
  };
  for (RowTime& row : times.layers) each(row);
  for (RowTime* row : {&times.other, &times.conversions, &times.layout}) each(*row);
  each(times.outside);
  times.whole = whole;
}

}  // namespace

LayerNames layer_node_names(const Model& model, const std::vector<QuantLayer>& layers) {
  const std::vector<std::string> keys = node_keys(model);  // the main graph's come first
  LayerNames names;
  for (const QuantLayer& layer : layers) {
    auto& own = names.emplace_back();
    for (const NodeId node : layer.nodes) own.push_back(keys[node]);
  }
  return names;
}

PairTimes rows_of(const TimedPair& pair, const LayerNames& base_names,
                  const LayerNames& other_names, double resolution) {
  const RowRuns base = runs_of(pair.base, base_names), other = runs_of(pair.other, other_names);
  PairTimes out;
  for (const Timing* timing : {&pair.base, &pair.other})
    out.disturbed = out.disturbed || !timing->center.withheld.empty();
  out.base = Rows(pair.base, resolution, out.disturbed).of(base);
  out.other = Rows(pair.other, resolution, out.disturbed).of(other);
  const auto ratio = [&](const Runs& one, const Runs& two) {
    return ratio_of(pair, one, two, resolution, out.disturbed);
  };
  for (std::size_t l = 0; l < std::min(base.layers.size(), other.layers.size()); ++l)
    out.layers.push_back(ratio(base.layers[l], other.layers[l]));
  out.others = ratio(base.other, other.other);
  out.conversions = ratio(base.conversions, other.conversions);
  out.layout = ratio(base.layout, other.layout);
  return out;
}

void scale_to(PairTimes& times, double base_whole, double other_whole) {
  const double before = times.other.whole > 0 ? times.base.whole / times.other.whole : 0;
  scale(times.base, base_whole);
  scale(times.other, other_whole);
  const double after = times.other.whole > 0 ? times.base.whole / times.other.whole : 0;
  if (!(before > 0) || !(after > 0)) return;
  const double factor = after / before;
  const auto each = [&](std::optional<RowSpeedUp>& row) {
    if (!row) return;
    row->ratio *= factor;
    if (row->interval)
      row->interval = Interval{row->interval->low * factor, row->interval->high * factor};
  };
  for (auto& row : times.layers) each(row);
  for (auto* row : {&times.others, &times.conversions, &times.layout}) each(*row);
}

double seconds_saved(const RowTime& floats, const RowTime& written,
                     const std::optional<RowSpeedUp>& speed_up) {
  if (!speed_up) return 0;
  const double likely = floats.median - written.median;
  if (speed_up->sure() || !speed_up->interval) return likely;
  return std::max(likely, floats.median * (1 - 1 / speed_up->interval->high));
}

}  // namespace strata
