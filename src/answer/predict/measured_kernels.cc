#include "predict/measured_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "strata/base/statistics.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

// Huber's threshold, in logarithms: smaller errors are squared, larger ones count linearly.
constexpr double kSmooth = 0.03;
// Shares of the bandwidth may be above 1, because small tensors stay in caches.
constexpr double kLeastShare = 0.002, kMaxCompute = 1.2, kMaxMemory = 32;
constexpr double kMinLaunch = 1e-7, kMaxLaunch = 1e-4;

// Indices into Costs::nodes by the name that engines have for a node of the main graph.
TextMap<std::string, std::uint32_t> places_of(const Model& model, const Costs& costs) {
  const std::vector<std::string> keys = node_keys(model);
  TextMap<std::string, std::uint32_t> places;
  for (std::uint32_t i = 0; i < costs.nodes.size(); ++i)
    if (costs.nodes[i].graph == &model.graph() && costs.nodes[i].node < keys.size())
      places.emplace(keys[costs.nodes[i].node], i);
  return places;
}

// compute, memory and launch in logarithms
using Constants = std::array<double, 3>;

double seconds_of(const FusedKernel& kernel, const Constants& at, double peak, double bandwidth) {
  const double operations = kernel.macs > 0 ? 2 * kernel.macs : kernel.flops;
  return std::max(operations / (peak * std::exp(at[0])),
                  (kernel.read_bytes + kernel.write_bytes) / (bandwidth * std::exp(at[1]))) +
         std::exp(at[2]);
}

class ClassFit {
 public:
  ClassFit(std::vector<TimedKernel> kernels, double peak, double bandwidth)
      : kernels_(std::move(kernels)), peak_(peak), bandwidth_(bandwidth) {}

  // Tries steps along each constant, and makes them smaller when none helps.
  ClassConstants fit(KernelClass kind) const {
    const Constants low = {std::log(kLeastShare), std::log(kLeastShare), std::log(kMinLaunch)};
    const Constants high = {std::log(kMaxCompute), std::log(kMaxMemory), std::log(kMaxLaunch)};
    Constants best = {};
    double least = std::numeric_limits<double>::infinity();
    for (const double compute : {0.6, 0.1, 0.02})
      for (const double memory : {2.0, 0.5, 0.1}) {
        Constants at = {std::log(compute), std::log(memory), std::log(2e-6)};
        double now = loss(at);
        for (double step = 0.8; step > 0.004;) {
          bool is_better = false;
          for (std::size_t i = 0; i < at.size(); ++i)
            for (const double sign : {1.0, -1.0}) {
              Constants next = at;
              next[i] = std::clamp(next[i] + sign * step, low[i], high[i]);
              if (const double there = loss(next); there < now - 1e-12) {
                at = next;
                now = there;
                is_better = true;
              }
            }
          if (!is_better) step /= 2;
        }
        if (now < least) {
          least = now;
          best = at;
        }
      }
    ClassConstants out{.kind = kind,
                       .compute = std::exp(best[0]),
                       .memory = std::exp(best[1]),
                       .launch_seconds = std::exp(best[2]),
                       .kernels = kernels_.size()};
    std::vector<double> errors;
    for (const TimedKernel& one : kernels_)
      errors.push_back(std::abs(seconds_of(one.kernel, best, peak_, bandwidth_) / one.seconds - 1));
    out.median_error = median_of(errors);
    return out;
  }

 private:
  // Long kernels weigh more, because they decide the time of a network.
  double loss(const Constants& at) const {
    double sum = 0;
    for (const TimedKernel& one : kernels_) {
      const double off = std::log(seconds_of(one.kernel, at, peak_, bandwidth_) / one.seconds);
      sum += std::sqrt(one.seconds) * std::sqrt(off * off + kSmooth * kSmooth);
    }
    return sum;
  }

  std::vector<TimedKernel> kernels_;
  double peak_, bandwidth_;
};

}  // namespace

PlacedTimes place_times(const Model& model, const Costs& costs,
                        std::span<const FusedKernel> kernels, std::span<const EngineKernel> timed) {
  const auto places = places_of(model, costs);
  std::vector<std::uint32_t> kernel_of(costs.nodes.size(), kNone);
  for (std::uint32_t k = 0; k < kernels.size(); ++k)
    for (const std::uint32_t node : kernels[k].nodes) kernel_of[node] = k;
  std::vector<double> seconds(kernels.size(), 0);
  std::vector<bool> shares(kernels.size(), false);
  PlacedTimes out;
  for (const EngineKernel& one : timed) {
    std::vector<std::uint32_t> ours;
    for (const std::string& source : one.sources)
      if (const auto at = places.find(source); at != places.end())
        if (const std::uint32_t kernel = kernel_of[at->second];
            kernel != kNone && std::find(ours.begin(), ours.end(), kernel) == ours.end())
          ours.push_back(kernel);
    if (ours.empty()) {
      out.beside += one.seconds;
    } else if (ours.size() > 1) {
      out.together += one.seconds;
      for (const std::uint32_t kernel : ours) shares[kernel] = true;
    } else {
      seconds[ours.front()] += one.seconds;
    }
  }
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (seconds[k] <= 0) continue;
    if (shares[k])
      out.together += seconds[k];
    else
      out.kernels.push_back({kernels[k], seconds[k]});
  }
  return out;
}

std::vector<ClassConstants> fit_classes(std::span<const TimedKernel> kernels, double peak,
                                        double bandwidth) {
  std::vector<ClassConstants> out;
  for (std::size_t i = 0; i < kKernelClasses; ++i) {
    const auto kind = static_cast<KernelClass>(i);
    std::vector<TimedKernel> own;
    for (const TimedKernel& one : kernels)
      if (one.kernel.kind == kind && one.seconds > 0 && kind != KernelClass::Unknown)
        own.push_back(one);
    if (!own.empty()) out.push_back(ClassFit(std::move(own), peak, bandwidth).fit(kind));
  }
  return out;
}

}  // namespace strata
