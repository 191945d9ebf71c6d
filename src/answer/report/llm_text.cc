#include "report/llm_text.h"

#include <cmath>

#include <fmt/format.h>

#include "strata/base/number_text.h"

namespace strata {

namespace {

// Two or three significant digits, grouped: `1,240`, `43`, `0.10`.
std::string rounded(double number) {
  if (number >= 1000) {
    const double step = std::pow(10, std::floor(std::log10(number)) - 2);
    return grouped(static_cast<std::int64_t>(std::round(number / step) * step));
  }
  if (number >= 100) return fmt::format("{:.0f}", number);
  // Two digits, also where the last one is 0.
  return number >= 10 ? fmt::format("{:.0f}", number) : fmt::format("{:#.2g}", number);
}

}  // namespace

std::string gib_text(double bytes) {
  constexpr double kMi = 1024.0 * 1024, kGi = kMi * 1024;
  if (bytes >= 100 * kGi) return fmt::format("{:.1f} GiB", bytes / kGi);
  if (bytes >= kGi) return fmt::format("{:.2f} GiB", bytes / kGi);
  return fmt::format("{:.2f} MiB", bytes / kMi);
}

std::string tokens_text(double tokens) {
  return tokens >= llm::kEndless ? "any" : grouped(static_cast<std::int64_t>(tokens));
}

std::string range_text(const Estimate& estimate, double factor) {
  const std::string low = rounded(estimate.low * factor), high = rounded(estimate.high * factor);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

Estimate rate_of(const Estimate& seconds, double factor) {
  return {
      .value = factor / seconds.value, .low = factor / seconds.high, .high = factor / seconds.low};
}

std::string seconds_range(const Estimate& seconds) {
  if (seconds.high >= 0.1) return range_text(seconds) + " s";
  return range_text(seconds, 1e3) + " ms";
}

std::string devices_text(const llm::Answer& answer) {
  if (answer.count == 1) return "one " + answer.title;
  return fmt::format("{} × {}", answer.count, answer.title);
}

Members llm_model_facts(const llm::Network& network) {
  const llm::Parameters parameters = parameters_of(network);
  const llm::PairMacs pairs = pair_macs(network);
  return {{"path", FilePath{network.name}},
          {"architecture", network.architecture},
          {"parameters", parameters.all},
          {"active_parameters", parameters.active},
          {"layers", network.layers.size()},
          {"hidden", network.hidden},
          {"vocabulary", network.vocab},
          {"max_context", network.max_context > 0 ? Cell(network.max_context) : Cell()},
          {"weights", network.weights},
          {"linear_macs_per_token", linear_macs(network)},
          {"attention_macs_per_pair", pairs.full},
          {"attention_macs_per_window_pair", pairs.windowed}};
}

}  // namespace strata
