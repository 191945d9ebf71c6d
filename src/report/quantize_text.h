// Parts of what is said of a quantized model.
#pragma once

#include <string>

#include "strata/report/quantize.h"

namespace strata {

// `SQNR 31.2 dB [30.1, 32.4]`; empty if it is not known.
std::string sqnr_text(const std::vector<SampleScore>& scores);

// What the model is like; and what else a reader should know. A line each.
std::string quantize_head(const QuantizeReport& report);
std::string quantize_notes(const QuantizeReport& report);

// Layers, the rest of the time and its total; and activations, in the same columns.
Table quantize_table(const QuantizeReport& report);
Table tensors_table(const QuantizeReport& report);

}  // namespace strata
