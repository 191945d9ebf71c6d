#include "measure/kernel_times.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace strata {

namespace {

// How long Linux lets a process run while others want to, in seconds.
constexpr double kTurn = 0.003;

// The time of a kernel that runs a body includes the kernels of the body, so their time is
// subtracted.
void keep_own_time(std::span<Kernel> run) {
  std::stable_sort(run.begin(), run.end(), [](const Kernel& a, const Kernel& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.duration_ns > b.duration_ns;
  });
  struct Open {
    Kernel* kernel;
    std::int64_t end_ns;
  };
  std::vector<Open> around;
  for (Kernel& kernel : run) {
    const std::int64_t end_ns = kernel.start_ns + kernel.duration_ns;
    while (!around.empty() && around.back().end_ns < end_ns) around.pop_back();
    while (!around.empty() && around.back().end_ns <= kernel.start_ns) around.pop_back();
    if (!around.empty()) around.back().kernel->duration_ns -= kernel.duration_ns;
    around.push_back({&kernel, end_ns});
  }
}

}  // namespace

Status KernelCollector::collect(Session& recording) {
  auto kernels = recording.kernels();
  if (!kernels) return failure(kernels);
  for (std::size_t begin = 0; begin < kernels->size();) {
    std::size_t end = begin;
    while (end < kernels->size() && (*kernels)[end].run == (*kernels)[begin].run) ++end;
    keep_own_time(std::span(*kernels).subspan(begin, end - begin));
    begin = end;
  }
  for (Kernel& kernel : *kernels) {
    const auto counted = std::lower_bound(counted_.begin(), counted_.end(), kernel.run);
    if (counted == counted_.end() || *counted != kernel.run) continue;
    const auto [place, is_new] = places_.try_emplace(kernel.index, timing_.kernels.size());
    const double seconds = 1e-9 * static_cast<double>(kernel.duration_ns) - timing_.probe.inside;
    const std::size_t run = offset_ + static_cast<std::size_t>(counted - counted_.begin());
    events_.resize(std::max(events_.size(), run + 1), 0);
    ++events_[run];
    if (is_new) timing_.kernels.push_back({std::move(kernel), {}});
    std::vector<double>& samples = timing_.kernels[place->second].seconds;
    samples.resize(std::max(samples.size(), run + 1), 0.0);
    samples[run] += std::max(0.0, seconds);  // a kernel of a body may run several times
  }
  return {};
}

void KernelCollector::add(Kernel kernel, std::vector<double> seconds) {
  events_.resize(std::max(events_.size(), seconds.size()), 0);
  for (std::size_t run = 0; run < seconds.size(); ++run) ++events_[run];
  timing_.kernels.push_back({std::move(kernel), std::move(seconds)});
}

void KernelCollector::take_off(const std::vector<double>& waits) {
  std::vector<KernelTimes>& kernels = timing_.kernels;
  std::vector<double> best;
  best.reserve(kernels.size());
  for (const KernelTimes& kernel : kernels)
    best.push_back(*std::min_element(kernel.seconds.begin(), kernel.seconds.end()));
  std::vector<std::size_t> order(kernels.size());
  for (std::size_t run = 0; run < waits.size(); ++run) {
    double left = waits[run];
    if (left <= 0) continue;
    std::iota(order.begin(), order.end(), 0);
    const auto excess = [&](std::size_t k) { return kernels[k].seconds[run] - best[k]; };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return excess(a) > excess(b); });
    for (const std::size_t k : order) {
      const double part = std::min(left, std::max(0.0, excess(k)));
      kernels[k].seconds[run] -= part;
      left -= part;
      if (left <= 0) break;
    }
    // Kernels that others interrupt in every run leave a rest. A kernel shorter than a turn was not
    // interrupted in its best run, and a longer one had to wait as long as it is beyond that.
    double beyond = 0, all = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      beyond += std::max(0.0, best[k] - kTurn);
      all += kernels[k].seconds[run];
    }
    for (std::size_t k = 0; k < kernels.size() && left > 0 && all > 0; ++k) {
      double& seconds = kernels[k].seconds[run];
      const double part = beyond > 0 ? std::max(0.0, best[k] - kTurn) / beyond : seconds / all;
      seconds = std::max(0.0, seconds - left * part);
    }
  }
}

void KernelCollector::finish(const std::vector<double>& wall, const std::vector<double>& waits,
                             const std::vector<bool>& counts, double whole) {
  std::vector<KernelTimes>& kernels = timing_.kernels;
  const std::size_t runs = wall.size();
  for (KernelTimes& kernel : kernels) kernel.seconds.resize(runs, 0.0);
  events_.resize(runs, 0);
  if (runs == 0 || kernels.empty()) return;
  if (waits.size() == runs) take_off(waits);
  std::vector<double> in_kernels;
  std::vector<std::size_t> kept;
  for (std::size_t run = 0; run < runs; ++run) {
    if (!counts[run]) continue;
    kept.push_back(run);
    const double recorded = wall[run] - (waits.size() == runs ? waits[run] : 0);
    const double probes = timing_.probe.total * static_cast<double>(events_[run]);
    const double factor = whole > 0 ? whole / std::max(recorded - probes, 0.5 * recorded) : 1;
    in_kernels.push_back(0);
    for (KernelTimes& kernel : kernels) in_kernels.back() += kernel.seconds[run] *= factor;
  }
  for (KernelTimes& kernel : kernels) {
    std::vector<double> own;
    own.reserve(kept.size());
    for (const std::size_t run : kept) own.push_back(kernel.seconds[run]);
    kernel.seconds = std::move(own);
  }
  // If other processes interfere, every run has kernels that were hit, but no kernel was hit in
  // most runs, so the medians of kernels add up to less than the median of their sum.
  double medians = 0;
  for (const KernelTimes& kernel : kernels) medians += summarize(kernel.seconds).median;
  if (medians <= 0 || whole <= 0) return;
  const double factor = summarize(in_kernels).median / medians;
  for (KernelTimes& kernel : kernels)
    for (double& seconds : kernel.seconds) seconds *= factor;
}

}  // namespace strata
