// What the outputs of a sensitivity have in common.
#pragma once

#include <optional>
#include <string>

#include "strata/report/sensitivity.h"

namespace strata {

// `SQNR (dB)`, `KL (nats)`, `Top-1 (%)`
std::string quality_title(Quality quality);
// `31.4`, `0.9987`, `∞`; without the unit.
std::string quality_text(Quality quality, double value);
// The same with the unit: `31.4 dB`.
std::string quality_with_unit(Quality quality, double value);
// Of shares `3.1 %`, else `1.2e-04`.
std::string drop_text(Quality quality, double drop);

struct LayerFigures {
  std::size_t samples = 0;
  std::optional<double> value, drop, left_out, left_out_drop;
  std::optional<Interval> interval;
};
LayerFigures figures_of(const SensitivityRun& run, std::size_t layer);

// R, where all layers and the joint result are known.
std::optional<double> additivity_of(const SensitivityRun& run);
bool is_additive(std::optional<double> r);

// `machine`: all columns, plain; else those that have something to say.
Profile sensitivity_rows(const SensitivityRun& run, std::size_t top, bool machine);
// Weights and activations, worst first, and a line on all of them together; empty where they were
// not asked for.
std::vector<std::size_t> part_ranking(const SensitivityRun& run);
Profile part_rows(const SensitivityRun& run, std::size_t top);
std::string parts_summary(const SensitivityRun& run);

// Sentences, a line each: what the table is of, baseline, joint result, R, passes, findings.
std::string sensitivity_summary(const SensitivityRun& run);

}  // namespace strata
