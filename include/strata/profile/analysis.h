// The stages of a profile. A model is analysed once; what an engine measured is attached; rows are
// gathered from that; columns over rows make a table. One analysis serves any number of tables:
//
//   auto analysis = analyse(model, inference);              // counts every layer
//   attach(*analysis, {.timing = &timing});                 // times, memory, kernels
//   const Rows rows = make_rows(*analysis, {.report = ReportKind::Tree});  // strata/profile/rows.h
//   auto table = make_profile(*analysis, {.columns = "layer,macs"});  // strata/profile/profile.h
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/device_memory.h"
#include "strata/cost/energy.h"
#include "strata/cost/layers.h"
#include "strata/cost/liveness.h"
#include "strata/infer/infer.h"
#include "strata/machine/roofline.h"
#include "strata/profile/needs.h"
#include "strata/profile/profile.h"
#include "strata/profile/row.h"

namespace strata {

// The facts that attach() adds to an analysis, beside the figures of layers and nodes.
struct Attached {
  std::optional<TimingFacts> timing = {};
  std::optional<TakenFacts> taken = {};
  std::optional<Roofline> roofline = {};
  std::optional<Roofline> reasons = {};  // the roof that explains the slowest layers
  std::vector<std::pair<std::string, std::string>> machine = {};
  std::vector<std::string> notes = {};
  bool optimized = false;  // the engine ran the model as it optimizes it
  Needs missed = {};       // what a run that was interrupted may not have got to
  // The number of runs that each session gave, end to end and recorded. Empty: there is no
  // interval.
  std::vector<std::size_t> sessions = {}, recorded_sessions = {};
  double drift = 0;  // of the machine's pace
  // For each layer without a kernel of its own: the layer whose kernel does its work, or the reason
  // why it does not run (`folded into a constant`). Empty for the others.
  std::vector<std::string> instead = {};
  std::vector<bool> fused = {};  // by layer: `instead` names another layer
  // For each node, the node at which the kernel that does its work counts; kNone if none does.
  std::vector<std::uint32_t> counts_at = {};
  // Kernels that no layer asked for: changes of layout and type, and those whose source is not
  // known. Those with times come first.
  RowList timed_beside = {}, traced_beside = {};
};

// A model counted. It refers to the model, which must stay alive and in its place.
struct Analysis {
  const Model* model = nullptr;
  std::string convention, energy_model;
  bool load_work = false;  // work on constants is part of the figures
  double limit = 1;        // multiplies what tables may cost in proportion to the file
  Needs has = {};          // what columns can be filled with
  Costs costs = {};
  Layers layers = {};
  LayerEdges edges;
  std::vector<Shared<Figures>> by_layer =
      {};  // as many as layers; those that are alike share theirs
  // One entry per node of costs.nodes; empty if nothing was added to the costs (figures_of).
  std::vector<Shared<Figures>> by_node = {};
  std::optional<EnergyModel> node_energy = {};  // of each node, while by_node is empty
  std::vector<std::string> blocks =
      {};  // `stage1:0:0:act:fmb` of each layer; empty if the network numbers none
  std::optional<DeviceMemory> device = {};  // an eager run, if it was asked for
  std::vector<Expr> alive = {};  // bytes, by index into costs.nodes; unknown inside of bodies
  // Facts that stand below every table of this model.
  Profile::ModelFacts facts = {};
  Profile::Memory memory = {};
  std::optional<ArenaLayout> arena = {};
  std::optional<DeviceFacts> device_facts = {};
  std::vector<Inference::Symbol> symbols = {};
  Attached attached = {};

  std::optional<std::int64_t> alive_at(const Layer& layer) const;  // most while it runs
  Figures figures_of(std::uint32_t node) const;                    // an index into costs.nodes
};

// Counts an inferred model: the only stage that walks its graph.
Result<Analysis> analyse(const Model& model, const Inference& inference,
                         const AnalysisOptions& options = {});

// Assigns what an engine measured to layers and nodes. What was attached before is replaced. The
// measurements are copied as far as tables need them.
void attach(Analysis& analysis, const Measurements& measurements);

// Both for the tables of these options, whose layout may say how to count.
Result<Analysis> analyse_for(const Model& model, const Inference& inference,
                             const ProfileOptions& options);

// A table of an analysis. A layout that counts by another convention is an error.
Result<Profile> make_profile(const Analysis& analysis, const ProfileView& options);

}  // namespace strata
