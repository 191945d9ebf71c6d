// What the outputs of a sensitivity have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

// Layers, worst first, and all that is known of each; people see what has something to say.
Table sensitivity_table(const SensitivityRun& run);
std::vector<Column> sensitivity_columns();
std::vector<Cell> part_cells(const SensitivityRun& run, std::size_t index, std::size_t rank);
// Scores of all layers together, or of none.
Cell whole_cell(const SensitivityRun& run, const std::vector<SampleScore>& scores);
// What stands in a list of scores.
inline constexpr const char* kScoreColumns[] = {
    "signal", "noise", "product", "other", "kl", "rows", "same", "right", "labelled", "command"};
// Weights and activations, worst first, in the same columns, and a line on all of them together;
// empty where they were not asked for.
std::vector<std::size_t> part_ranking(const SensitivityRun& run);
Table parts_table(const SensitivityRun& run);
std::string parts_summary(const SensitivityRun& run);

// Sentences, a line each: what the table is of, baseline, joint result, R, passes, findings.
std::string sensitivity_summary(const SensitivityRun& run, const Phrase& phrase = {});

}  // namespace strata
