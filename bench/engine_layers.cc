// Compares the times of layers with runs of the same layers on their own: ResNet-50 in the source
// view. After each inference of the network come runs of its two longest kernels, each as a model
// of one node with the input that it has in the network.
#include <algorithm>
#include <chrono>

#include "engine_figures.h"
#include "strata/base/statistics.h"
#include "strata/profile/profile.h"

namespace {

constexpr int kRuns = 120;        // every second one recorded
constexpr double kWithin = 0.10;  // relative to the layer on its own
constexpr double kOutside = 0.03;

strata::TimingOptions options_for(int runs) {
  strata::TimingOptions options;
  options.session.threads = 1;
  options.session.optimization = STRATA_OPT_NONE;
  options.runs = runs;
  options.warmup = 3;
  return options;
}

// Keeps one node, its weights, its inputs and its outputs.
void cut_to(strata::Model& model, strata::NodeId which) {
  strata::Graph& graph = model.graph();
  strata::Node node = graph.nodes[which];
  std::vector<strata::Tensor> kept;
  const auto keep = [&](std::span<const strata::TensorId> ids, strata::Role role) {
    std::vector<strata::TensorId> now;
    for (const strata::TensorId id : ids) {
      now.push_back(id == strata::kNone ? id : static_cast<strata::TensorId>(kept.size()));
      if (id == strata::kNone) continue;
      strata::Tensor& tensor = kept.emplace_back(graph.tensors[id]);
      tensor.producer = role == strata::Role::Activation ? 0 : strata::kNone;
      if (tensor.role != strata::Role::Initializer) tensor.role = role;
    }
    return model.keep(std::span<const strata::TensorId>(now));
  };
  node.inputs = keep(node.inputs, strata::Role::Input);
  node.outputs = keep(node.outputs, strata::Role::Activation);
  graph.nodes = std::vector{node};
  graph.tensors = std::move(kept);
  graph.inputs.clear();
  graph.outputs.clear();
  for (strata::TensorId id = 0; id < graph.tensors.size(); ++id) {
    if (graph.tensors[id].role == strata::Role::Input) graph.inputs.push_back(id);
    if (graph.tensors[id].role == strata::Role::Activation) graph.outputs.push_back(id);
  }
}

// A node as a model of its own, with the input that it has in the network.
class Isolated {
 public:
  Isolated(const strata::Engine& engine, const bench::Subject& subject, std::string_view name,
           const std::string& key)
      : key_(key) {
    strata::Model model = bench::or_exit(strata::zoo::build(name)).model;
    const auto keys = strata::node_keys(model);
    const auto which = std::find(keys.begin(), keys.end(), key) - keys.begin();
    cut_to(model, static_cast<strata::NodeId>(which));
    const strata::Graph& graph = model.graph();
    std::vector<std::string> names;
    for (const strata::TensorId id : graph.inputs) names.emplace_back(graph.tensors[id].name);
    const strata::TimingOptions options = options_for(1);
    bytes_ = bench::bytes_of(model);
    session_ = bench::or_exit(engine.open(strata::ModelBytes{bytes_}, options.session));
    bench::or_exit(session_->bind(values(engine, subject, names)));
    for (int i = 0; i < 3; ++i) run();
    seconds_.clear();
  }

  const std::string& key() const { return key_; }
  const std::vector<double>& seconds() const { return seconds_; }
  void run() {
    const auto start = std::chrono::steady_clock::now();
    bench::or_exit(session_->run());
    const auto end = std::chrono::steady_clock::now();
    seconds_.push_back(std::chrono::duration<double>(end - start).count());
  }

 private:
  static std::vector<strata::HostTensor> values(const strata::Engine& engine,
                                                const bench::Subject& subject,
                                                const std::vector<std::string>& names) {
    std::vector<strata::HostTensor> found;
    strata::SessionOptions options = options_for(1).session;
    for (const std::string& name : names) {
      const auto given =
          std::find_if(subject.inputs.begin(), subject.inputs.end(),
                       [&](const strata::HostTensor& input) { return input.name == name; });
      if (given != subject.inputs.end())
        found.push_back(*given);
      else
        options.fetch.push_back(name);
    }
    if (options.fetch.empty()) return found;
    auto session = bench::or_exit(engine.open(strata::ModelBytes{subject.bytes}, options));
    bench::or_exit(session.bind(subject.inputs));
    auto trace =
        bench::or_exit(session.run_traced({.kernels = false, .blocks = false, .outputs = true}));
    for (strata::HostTensor& output : trace.outputs)
      if (std::find(options.fetch.begin(), options.fetch.end(), output.name) != options.fetch.end())
        found.push_back(std::move(output));
    return found;
  }

  std::string key_, bytes_;
  std::optional<strata::Session> session_;
  std::vector<double> seconds_;
};

// The last row of the profile, as a share of its total.
double outside_share(const bench::Subject& subject, const strata::Timing& timing) {
  strata::ProfileOptions options;
  options.columns = "layer,time";
  options.timing = &timing;
  const auto profile = bench::or_exit(
      strata::make_profile(subject.network.model, subject.network.inference, options));
  return std::get<double>(profile.rows.back().cells[1].value) /
         std::get<double>(profile.totals.cells[1].value);
}

// Seconds of a kernel as they were in each recorded run, not scaled to the unrecorded ones; the
// time that a run spends outside kernels is neglected.
std::vector<double> unscaled(const strata::Timing& timing, const strata::KernelTimes& kernel) {
  const double probes = timing.probe.total * static_cast<double>(timing.kernels.size());
  std::vector<double> seconds;
  for (std::size_t run = 0; run < timing.recorded.size(); ++run) {
    double all = 0;
    for (const strata::KernelTimes& other : timing.kernels) all += other.seconds[run];
    seconds.push_back(kernel.seconds[run] / all * (timing.recorded[run] - probes));
  }
  return seconds;
}

double fastest(const std::vector<double>& samples) { return strata::summarize(samples).min; }

// Ordered by their fastest runs, which a busy machine disturbs least.
std::vector<const strata::KernelTimes*> longest(const strata::Timing& timing, std::size_t count) {
  std::vector<std::pair<double, const strata::KernelTimes*>> kernels;
  for (const strata::KernelTimes& kernel : timing.kernels)
    kernels.emplace_back(fastest(unscaled(timing, kernel)), &kernel);
  std::sort(kernels.begin(), kernels.end(), std::greater<>());
  std::vector<const strata::KernelTimes*> found;
  for (std::size_t i = 0; i < std::min(count, kernels.size()); ++i)
    found.push_back(kernels[i].second);
  return found;
}

}  // namespace

int main() {
  const auto engine = bench::engine();
  if (!engine) return 0;
  constexpr std::string_view kName = "resnet50";
  const bench::Subject subject = bench::subject(kName);
  const auto time = [&](const strata::TimingOptions& options) {
    return bench::or_exit(strata::time_model(*engine, subject.source(), subject.inputs, options));
  };
  std::vector<Isolated> alone;
  {
    const strata::Timing first = time(options_for(10));
    for (const strata::KernelTimes* kernel : longest(first, 2))
      alone.emplace_back(*engine, subject, kName, kernel->kernel.sources.at(0));
  }
  strata::TimingOptions options = options_for(kRuns);
  options.progress = [&](const strata::TimingProgress& progress) {
    if (progress.stage != "measuring") return;
    for (Isolated& layer : alone) layer.run();
  };
  const strata::Timing timing = time(options);

  bench::print_head(fmt::format("layers of {}, source view, one thread", kName));
  const double whole = strata::median_of(timing.runs);
  bench::print_row("end to end", bench::milliseconds(whole));
  for (const Isolated& layer : alone)
    for (const strata::KernelTimes& kernel : timing.kernels) {
      if (kernel.kernel.sources != std::vector{layer.key()}) continue;
      bench::print_row(layer.key(), bench::milliseconds(strata::median_of(kernel.seconds)));
      const auto row = [](std::string_view what, double ratio) {
        bench::print_row(what, fmt::format("{:.3f}", ratio), "0.90 to 1.10",
                         bench::verdict(ratio, 1 - kWithin, 1 + kWithin));
      };
      row("  over the same on its own",
          strata::median_of(kernel.seconds) / strata::median_of(layer.seconds()));
      row("  the fastest run of either",
          fastest(unscaled(timing, kernel)) / fastest(layer.seconds()));
    }
  const double outside = outside_share(subject, timing);
  bench::print_row("outside layers", fmt::format("{:.2f} %", 100 * outside), "< 3 %",
                   bench::verdict(outside, -kOutside, kOutside));
  bench::print_row("probe cost inside a kernel",
                   fmt::format("{:.2f} us", 1e6 * timing.probe.inside));
  return 0;
}
