// Parts of what is said of a quantized model.
#pragma once

#include <string>
#include <vector>

#include "strata/document/document.h"
#include "strata/report/quantize.h"

namespace strata {

// `SQNR 31.2 dB [30.1, 32.4]`; empty if it is not known.
std::string sqnr_text(const std::vector<SampleScore>& scores);

// Describes the model, and adds the notes that a reader needs. One line each.
std::string quantize_head(const QuantizeReport& report);
std::vector<Note> quantize_notes(const QuantizeReport& report);

// Layers, the rest of the time and its total; and activations, in the same columns.
Table quantize_table(const QuantizeReport& report);
Table tensors_table(const QuantizeReport& report);

}  // namespace strata
