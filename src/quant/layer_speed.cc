#include "quant/layer_speed.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace strata {

namespace {

// Runs of one row: kernels that are its own, added up run by run.
struct Runs {
  std::vector<double> seconds;
  int kernels = 0;

  void add(const std::vector<double>& more) {
    ++kernels;
    seconds.resize(std::max(seconds.size(), more.size()), 0);
    for (std::size_t i = 0; i < more.size(); ++i) seconds[i] += more[i];
  }
};

// What recording adds is taken off, and of a short kernel nothing may be left.
RowTime time_of(const Runs& runs, double resolution) {
  if (runs.seconds.empty()) return {};
  const Summary summary = summarize(runs.seconds);
  if (!(summary.median > 0)) return {};
  RowTime out{summary.median, summary.interval};
  if (out.interval)
    out.interval = Interval{std::max(0.0, out.interval->low - runs.kernels * resolution),
                            out.interval->high + runs.kernels * resolution};
  return out;
}

void widen(RowTime& row, const RowTime& other) {
  if (row.median < 0 || other.median < 0) return;
  if (!row.interval || !other.interval) {
    row.interval = std::nullopt;
    return;
  }
  row.interval = Interval{std::min(row.interval->low, other.interval->low),
                          std::max(row.interval->high, other.interval->high)};
}

template <class Times, class Each>
void each_row(Times& times, const Each& each) {
  for (auto& row : times.layers) each(row);
  for (auto* row : {&times.other, &times.conversions, &times.layout}) each(*row);
}

}  // namespace

std::vector<std::vector<std::string>> layer_node_names(const Model& model,
                                                       const std::vector<QuantLayer>& layers) {
  const std::vector<std::string> keys = node_keys(model);  // the main graph's come first
  std::vector<std::vector<std::string>> names;
  for (const QuantLayer& layer : layers) {
    auto& own = names.emplace_back();
    for (const NodeId node : layer.nodes) own.push_back(keys[node]);
  }
  return names;
}

RunTimes rows_of(const Timing& timing, const std::vector<std::vector<std::string>>& names,
                 double resolution, int threads) {
  std::unordered_map<std::string_view, std::size_t> layer_of;
  for (std::size_t l = 0; l < names.size(); ++l)
    for (const std::string& name : names[l])
      if (!name.empty()) layer_of.emplace(name, l);
  std::vector<Runs> layers(names.size());
  Runs other, conversions, layout;
  for (const KernelTimes& kernel : timing.kernels) {
    Runs* row = kernel.kernel.kind == KernelKind::Layout ? &layout : &other;
    if (kernel.kernel.op == "QuantizeLinear" || kernel.kernel.op == "DequantizeLinear")
      row = &conversions;
    else
      for (const std::string& node : kernel.kernel.sources)
        if (const auto layer = layer_of.find(node); layer != layer_of.end()) {
          row = &layers[layer->second];
          break;
        }
    row->add(kernel.seconds);
  }
  RunTimes out;
  out.whole = timing.runs.empty() ? 0 : summarize(timing.runs).median;
  for (const Runs& runs : layers) out.layers.push_back(time_of(runs, resolution));
  out.other = time_of(other, resolution);
  out.conversions = time_of(conversions, resolution);
  out.layout = time_of(layout, resolution);
  out.disturbed = timing.contention.wall_seconds > 0 && timing.contention.disturbed(threads);
  double sum = 0;
  each_row(out, [&](RowTime& row) {
    sum += std::max(row.median, 0.0);
    if (out.disturbed) row.interval = std::nullopt;
  });
  out.outside.median = out.whole - sum;
  return out;
}

Result<RunTimes> run_times(const Engine& engine, const ModelSource& source,
                           const std::vector<HostTensor>& inputs,
                           const std::vector<std::vector<std::string>>& names,
                           const TimingOptions& options) {
  auto timing = time_model(engine, source, inputs, options);
  if (!timing) return tl::unexpected(timing.error());
  return rows_of(*timing, names, static_cast<double>(engine.kernel_resolution_ns()) * 1e-9,
                 std::max(1, options.session.threads));
}

RunTimes calmer_of(const RunTimes& one, const RunTimes& two) {
  if (one.disturbed != two.disturbed) return one.disturbed ? two : one;
  RunTimes out = one.whole <= two.whole ? one : two;
  const RunTimes& rest = one.whole <= two.whole ? two : one;
  for (std::size_t l = 0; l < std::min(out.layers.size(), rest.layers.size()); ++l)
    widen(out.layers[l], rest.layers[l]);
  widen(out.other, rest.other);
  widen(out.conversions, rest.conversions);
  widen(out.layout, rest.layout);
  return out;
}

void scale_to(RunTimes& times, double whole) {
  if (!(times.whole > 0) || !(whole > 0)) return;
  const double factor = whole / times.whole;
  const auto scale = [&](RowTime& row) {
    if (row.median > 0) row.median *= factor;
    if (row.interval)
      row.interval = Interval{row.interval->low * factor, row.interval->high * factor};
  };
  each_row(times, scale);
  times.outside.median *= factor;
  times.whole = whole;
}

std::optional<RowSpeedUp> speed_up(const RowTime& floats, const RowTime& written) {
  if (!(floats.median > 0) || !(written.median > 0)) return std::nullopt;
  RowSpeedUp out;
  out.ratio = floats.median / written.median;
  if (floats.interval && written.interval)
    out.interval =
        Interval{floats.interval->low / written.interval->high,
                 written.interval->low > 0 ? floats.interval->high / written.interval->low
                                           : std::numeric_limits<double>::infinity()};
  return out;
}

double seconds_saved(const RowTime& floats, const RowTime& written) {
  const auto found = speed_up(floats, written);
  if (!found) return 0;
  const double likely = floats.median - written.median;
  if (found->sure() || !found->interval) return likely;
  return std::max(likely, floats.interval->high - written.interval->low);
}

}  // namespace strata
