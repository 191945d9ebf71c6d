// The report of run_quantize() on the model that it wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/quantize/quantize.h"
#include "strata/report/report.h"

namespace strata {

// Advice to the caller's users, as the ends of sentences; an empty one adds nothing. The program
// names its options here.
struct QuantizeAdvice {
  std::string keep_auto = {};     // the answers are bad
  std::string keep_output = {};   // outputs are rounded beside layers in float
  std::string more_samples = {};  // there are too few to choose and judge on different ones
  std::string more_time = {};     // the time was too short for an interval
};

struct QuantizeReport {
  std::string model, hash, engine, output, exclude;
  std::string ranges;           // in words: `minmax of 100 samples in ranges.json`
  bool random_data = false;     // samples, of ranges or held out
  bool random_weights = false;  // of the zoo
  bool reduced_range = false;
  bool automatic = false;
  std::int64_t float_bytes = 0;
  QuantizeOutcome outcome;
  QuantizeAdvice advice = {};
};

// Warnings that must come first: bad answers, a broken promise. Empty if there are none.
std::vector<std::string> quantize_warnings(const QuantizeReport& report);

// Layers as a table, with their times if these are known; docs/quantization.md has the names.
Document quantize_document(const QuantizeReport& report);

std::string quantize_text(const QuantizeReport& report, const TableStyle& style);
// A line for each layer, for each row that the rest of the time is in, for the total and for each
// activation.
std::string quantize_csv(const QuantizeReport& report);
std::string quantize_json(const QuantizeReport& report);

// Returns the speedup of the whole model, if both were compared.
std::optional<SpeedUp> whole_speed_up(const QuantizeOutcome& outcome);

}  // namespace strata
