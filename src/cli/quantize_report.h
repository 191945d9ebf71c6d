// What `strata quantize` says of its outcome.
#pragma once

#include <string>
#include <vector>

#include "cli/quantize_run.h"
#include "strata/report/report.h"

namespace strata::cli {

// What must be said first: bad answers, a promise that was not kept. Empty: nothing.
std::vector<std::string> quantize_warnings(const QuantizeReport& report);

// Warnings, what the model is like, and the layers, with their times if these are known.
std::string quantize_text(const QuantizeReport& report, const TableStyle& style);
// A line for each layer, for each row that the rest of the time is in, for the total and for each
// activation.
std::string quantize_csv(const QuantizeReport& report);
// docs/quantization.md has the keys.
std::string quantize_json(const QuantizeReport& report);

// The layers and the rest of the time as rows; `machine`: all columns, plain.
Profile quantize_rows(const QuantizeReport& report, bool machine);
// Of both models, where they were compared.
const SpeedUp* whole_speed_up(const QuantizeOutcome& outcome);

}  // namespace strata::cli
