// The traffic at boundaries, cuts and links, as tables and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strata/cost/boundary.h"
#include "strata/cost/cut.h"
#include "strata/profile/split.h"
#include "strata/report/report.h"

namespace strata {

// The network that boundaries, cuts and splits speak of.
struct PayloadSource {
  const Model& model;
  const Costs& costs;
  const Layers& layers;
  const Inference& inference;
};

struct PayloadOptions {
  std::uint32_t depth = 1000;  // of boundaries in the module tree
  bool modules = false;        // no operations between modules
  bool all = false;            // also views between modules, and every place to cut
  Phrase phrase = {};          // of notes
  bool exact = false;          // every digit instead of human units
  bool best_cuts = false;  // of a split: the choice at each link speed, in place of all about it
  std::string own_machines = {};  // how to name other machines, for a reader
  std::string why_no_split = {};  // if one was wanted and there is none
};

// The split with its names: what the caller gave as the two machines.
struct NamedSplit {
  const Split& split;
  std::string edge, server;
  std::string how_sure = {};  // a sentence about the times of the two
};
// The best choice in a sentence with its gain, and how sure that is.
std::string split_answer(const PayloadSource& source, const NamedSplit& named);
// The machines, the latency of each choice, the curve over link speeds and the speeds where the
// choice changes.
std::string split_text(const PayloadSource& source, const NamedSplit& named,
                       const TableStyle& style);

// Boundaries are rows of a table, a row per tensor and one for the sum where several enter or
// leave; so are the places to cut: those that ship less than their neighbours unless `all`. The
// split is a fact (docs/json-schema.md). A part that is null is left out.
Document payload_document(const PayloadSource& source, const Boundaries* boundaries,
                          const Cuts* cuts, const NamedSplit* split, const PayloadOptions& options);
std::string payload_to_json(const PayloadSource& source, const Boundaries* boundaries,
                            const Cuts* cuts, const NamedSplit* split,
                            const PayloadOptions& options);

}  // namespace strata
