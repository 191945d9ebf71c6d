// Measures the time to sketch an activation, in nanoseconds per element.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "strata/calibrate/sketch.h"

namespace {

using Clock = std::chrono::steady_clock;
using Values = std::vector<float>;

// The best of many runs, because the machine has other work to do.
template <class Run>
double ns_per_element(std::size_t elements, const Run& run) {
  double best = 1e9;
  const auto end = Clock::now() + std::chrono::milliseconds(300);
  while (Clock::now() < end) {
    const auto start = Clock::now();
    run();
    const std::chrono::duration<double, std::nano> took = Clock::now() - start;
    best = std::min(best, took.count() / static_cast<double>(elements));
  }
  return best;
}

void row(const std::string& name, const Values& values, strata::SketchOptions options = {},
         std::int64_t inner = 1) {
  strata::Sketch sketch(options);
  const double add =
      ns_per_element(values.size(), [&] { static_cast<void>(sketch.add(values, inner)); });
  volatile float sink = 0;
  const double read = ns_per_element(values.size(), [&] {
    float sum = 0;
    for (std::size_t i = 0; i < values.size(); i += 16) sum += values[i];  // every cache line
    sink = sum;
  });
  fmt::print("{:<28} {:>9} {:>8.2f} {:>8.2f} {:>8.1f}\n", name, values.size(), add, read,
             static_cast<double>(sketch.heap_bytes()) / 1024);
}

}  // namespace

int main() {
  fmt::print("{:<28} {:>9} {:>8} {:>8} {:>8}\n", "data", "elements", "ns add", "ns read", "KB");
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const std::size_t count : {49 * 512, 28 * 28 * 128, 112 * 112 * 64, 2048 * 4096}) {
    Values values(count), rectified(count), capped(count), heavy(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = normal(random);
      rectified[i] = std::max(values[i], 0.0F);
      capped[i] = std::min(rectified[i] * 10, 6.0F);
      heavy[i] = std::exp(2 * values[i]);
    }
    row("normal", values);
    row("normal, after ReLU", rectified);
    row("normal, after ReLU6", capped);
    row("log-normal", heavy);
    row("one number", Values(count, 6.0F));
    row("zeros", Values(count, 0.0F));
    if (count % (49 * 64) == 0) row("normal, 64 channels", values, {.channels = 64}, 49);
    if (count % 64 == 0) row("normal, 64 channels last", values, {.channels = 64}, 1);
  }
}
