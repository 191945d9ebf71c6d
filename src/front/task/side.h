// A side of a comparison, from a model or from a saved document.
#pragma once

#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/compare/side.h"
#include "strata/profile/options.h"
#include "strata/task/stat.h"

namespace strata {

struct SideRequest {
  ModelRequest model;  // its source may also be a document
  std::string convention = "strata";
  bool as_stored = false;                // AnalysisOptions::as_stored
  ReportKind report = ReportKind::Tape;  // rows of a model
  const TimingRequest* time = nullptr;   // also run a model
  bool as_network = false;               // a GGUF file is a network, not a list of weights
};

struct LoadedSide {
  compare::Side side = {};
  std::uint64_t bytes = 0;   // of the file
  bool interrupted = false;  // while it was run
};

// A document if the file begins as one, else a model.
Result<LoadedSide> load_side(const SideRequest& request, const Observer& observer = {});
// Several of them. Sizes that the caller gives are for the models that have them: one of all must.
// Where there is a saved profile, models have its kind of rows.
Result<std::vector<LoadedSide>> load_sides(const std::vector<Source>& sources,
                                           const SideRequest& request);

}  // namespace strata
