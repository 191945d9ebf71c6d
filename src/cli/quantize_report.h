// What `strata quantize` says of its outcome.
#pragma once

#include <string>

#include "cli/quantize_run.h"
#include "strata/report/report.h"

namespace strata::cli {

// The layers, if any of their times is known, and what the model is like.
std::string quantize_text(const QuantizeOutcome& outcome, const std::string& output,
                          const TableStyle& style);
// A line for each layer.
std::string quantize_csv(const QuantizeOutcome& outcome);
// docs/quantization.md has the keys.
std::string quantize_json(const QuantizeOutcome& outcome, const std::string& output);

}  // namespace strata::cli
