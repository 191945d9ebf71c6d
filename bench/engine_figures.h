// Networks with weights and bounds for figures, shared by the benchmarks of engines.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "or_exit.h"
#include "strata/bench/bench.h"
#include "strata/build/weights.h"
#include "strata/data/inputs.h"
#include "strata/measure/timing.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace bench {

// nullopt if the engine was not built: then there is nothing to measure.
inline std::optional<strata::Engine> engine() {
  auto found = strata::load_engine("onnxruntime");
  if (found) return std::move(*found);
  fmt::print("not measured: {}\n", found.error().message);
  return std::nullopt;
}

// A network of the zoo in the form that an engine takes.
struct Subject {
  strata::build::Network network;
  std::string bytes;
  std::vector<strata::HostTensor> inputs;

  strata::ModelSource source() const { return {"", strata::ModelBytes{bytes}}; }
};

inline std::string bytes_of(const strata::Model& model) {
  strata::WriteOptions write;
  write.fill = strata::build::random_weights(model, 0);
  return or_exit(strata::onnx_bytes(model, write));
}

inline Subject subject(std::string_view name) {
  auto network = or_exit(strata::zoo::build(name));
  std::string bytes = bytes_of(network.model);
  auto inputs = or_exit(strata::random_inputs(network.model, 0));
  return {std::move(network), std::move(bytes), std::move(inputs)};
}

// `12.3 ms`
inline std::string milliseconds(double seconds) { return fmt::format("{:.2f} ms", 1e3 * seconds); }

// `1.0012 [0.9987, 1.0040]`
inline std::string ratio_text(const strata::SpeedUp& ratio) {
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", ratio.median, ratio.interval.low,
                     ratio.interval.high);
}

inline void print_head(std::string_view title) {
  fmt::print("{}\n  {:<50} {:>26}  {:<16} {}\n", title, "what", "figure", "bound", "verdict");
}
inline void print_row(std::string_view what, std::string_view figure, std::string_view bound = "",
                      std::string_view verdict = "") {
  fmt::print("  {:<50} {:>26}  {:<16} {}\n", what, figure, bound, verdict);
}
// A bound is met if the figure is within it, and clearly met if its interval is.
inline std::string_view verdict(double figure, double low, double high) {
  return figure >= low && figure <= high ? "kept" : "MISSED";
}
inline std::string_view verdict(const strata::SpeedUp& ratio, double low, double high) {
  if (ratio.interval.low >= low && ratio.interval.high <= high) return "kept";
  if (ratio.interval.high < low || ratio.interval.low > high) return "MISSED";
  return ratio.median >= low && ratio.median <= high ? "kept, not surely" : "missed, not surely";
}

}  // namespace bench
