// Shared texts of a sensitivity's outputs.
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
// The value with its unit: `31.4 dB`.
std::string quality_with_unit(Quality quality, double value);
// Words a drop: `3.1 %` for shares, else `1.2e-04`.
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

// The share of the joint drop that goes away with these scores instead; negative if that makes it
// worse. nullopt: not measured, or nothing is lost by all layers together.
std::optional<double> gain_of(const SensitivityRun& run, const std::vector<SampleScore>& left_out);
// The score if this layer alone stays in float.
std::optional<double> left_out_gain(const SensitivityRun& run, std::size_t layer);
// The layer with the largest of these; nullopt: none was measured.
std::optional<std::size_t> most_gained(const SensitivityRun& run);
// The pair of layers with the largest; null: none was measured.
const PairScore* most_gained_pair(const SensitivityRun& run);
// Layers that may bring as much as most_gained(), the best first: on other samples the difference
// could be the other way round. Looks at the 16 next ones. Empty with fewer than four samples.
std::vector<std::size_t> gain_as_much(const SensitivityRun& run);
// True if this pair may bring as much as most_gained_pair().
bool gains_as_much(const SensitivityRun& run, const PairScore& pair);
// The layer's drop over the sum of all drops.
std::optional<double> share_of_drops(const SensitivityRun& run, std::size_t layer);
// The layer whose share differs most from what leaving it in float brings, if they differ clearly.
std::optional<std::size_t> refuted_share(const SensitivityRun& run);
// True if R is near 1 and no measurement refutes a share.
bool shares_hold(const SensitivityRun& run);

// Layers, worst first, and all that is known of each; people see what has something to say.
Table sensitivity_table(const SensitivityRun& run);
std::vector<Column> sensitivity_columns();
std::vector<Cell> part_cells(const SensitivityRun& run, std::size_t index, std::size_t rank);
// Scores of all layers together, or of none.
Cell whole_cell(const SensitivityRun& run, const std::vector<SampleScore>& scores);
// The columns of a list of scores.
inline constexpr const char* kScoreColumns[] = {
    "signal", "noise", "product", "other", "kl", "rows", "same", "right", "labelled", "command"};
// Weights and activations, worst first, in the same columns, and a line on all of them together;
// empty where they were not asked for.
std::vector<std::size_t> part_ranking(const SensitivityRun& run);
Table parts_table(const SensitivityRun& run);
std::string parts_summary(const SensitivityRun& run);

// Sentences, a line each: how much was measured, and which kinds of layers stand out.
std::string sensitivity_findings(const SensitivityRun& run);
// Describes the table: what was quantized, baseline, joint result, R, passes.
std::string sensitivity_method(const SensitivityRun& run, const Phrase& phrase = {});

}  // namespace strata
