// The results of `strata sensitivity`, as text and as a plot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/result.h"
#include "strata/report/report.h"
#include "strata/sensitivity/findings.h"
#include "strata/sensitivity/parts.h"
#include "strata/sensitivity/sensitivity.h"

namespace strata {

// A layer as reports name it.
struct SensitivityLayer {
  std::string path;
  std::string block;      // `stage1:0:2`, where the network has such names
  std::string operators;  // `Conv+BatchNormalization+Relu`
  std::string place;      // layer_words()
  bool operator==(const SensitivityLayer&) const = default;
};

struct SensitivityRun {
  static constexpr int kSchema = 2;  // of its document

  std::string program;  // `strata 0.1.0`
  std::string model;    // path, as given
  std::string hash;     // of the graph
  std::string run;      // fingerprint of everything that scores depend on, for resuming
  std::vector<std::pair<std::string, std::string>> options = {};  // as the caller gave them
  std::string engine = {};                                        // `onnxruntime 1.27.0`
  std::string data = {};                                          // in words
  std::string ranges = {};   // likewise: `minmax of the same samples`
  bool random_data = false;  // made-up samples
  bool random_weights = false;
  std::int64_t samples = 0;  // of the data set
  Quality quality = Quality::Sqnr;
  Rounding rounding = {};
  bool budgeted = false;  // layers may have fewer samples than others
  double seconds = 0;

  std::vector<SensitivityLayer> layers = {};
  Sensitivity result = {};
  std::vector<Finding> findings = {};
  // Weights and activations apart, with all that a file of int8 throughout rounds; nullopt: not
  // asked for.
  std::optional<PartScores> parts = {};

  bool has_scores() const;  // of any layer
};

// Fills the findings from the scores. Of shares (top-1, accuracy), which are coarse, the noise
// of the outputs is looked at instead.
void add_findings(SensitivityRun& run, const std::vector<QuantLayer>& layers);

// Layers, worst first; layers that were not measured are last, in running order.
std::vector<std::size_t> sensitivity_ranking(const SensitivityRun& run);

// Layers in their ranking with the scores of every sample, as documented in docs/sensitivity.md.
Document sensitivity_document(const SensitivityRun& run);

// `top`: rows of the table; 0: all of them.
std::string sensitivity_to_table(const SensitivityRun& run, std::size_t top,
                                 const TableStyle& style = {});
std::string sensitivity_to_markdown(const SensitivityRun& run, std::size_t top,
                                    const TableStyle& style = {});
// All layers in their ranking; empty cells where a figure is not known.
std::string sensitivity_to_csv(const SensitivityRun& run);

std::string sensitivity_to_json(const SensitivityRun& run);

// The scores that an earlier run left in such a file, also one of 0.1, to resume from.
struct EarlierScores {
  std::string run;                 // fingerprint
  std::vector<std::string> paths;  // of the layers
  Sensitivity result;              // scores and passes
  double seconds = 0;
};
Result<EarlierScores> sensitivity_scores_from_json(std::string_view json, std::string_view label);

// The metric of every layer, with its interval, in running order; a red line for what it is
// compared with, and the names of those that dip.
std::string sensitivity_to_svg(const SensitivityRun& run);
Result<std::string> sensitivity_to_png(const SensitivityRun& run);
// Into a .png or .svg file. The second asks before the work whether that can be done.
Status save_sensitivity_plot(const SensitivityRun& run, const std::string& path);
Status check_sensitivity_plot(const std::string& path);
// In block characters; empty if there are not two layers with a value.
std::string sensitivity_to_blocks(const SensitivityRun& run, std::size_t width, bool color = false);

}  // namespace strata
