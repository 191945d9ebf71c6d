#include <utility>

#include <fmt/format.h>

#include "profile/analyse.h"
#include "profile/measured.h"
#include "strata/measure/runs_in.h"

namespace strata {

namespace {

bool is_measured(const Figures& figures) {
  return figures.seconds || !figures.samples.empty() || figures.taken || figures.precisions != 0;
}

void forget_measurements(Analysis& a) {
  a.attached = {};
  a.has = a.has.without(Need::Time | Need::Memory | Need::Kernels | Need::Roofline);
  for (std::vector<Shared<Figures>>* list : {&a.by_layer, &a.by_node})
    for (Shared<Figures>& shared : *list) {
      if (!is_measured(*shared)) continue;
      Figures& figures = shared.edit();
      figures.seconds.reset();
      figures.samples.clear();
      figures.taken.reset();
      figures.precisions = 0;
    }
}

// Uses the planned kernels where nothing ran.
void use_plan(Analysis& a, const SourceNodes& nodes, const Measurements& given) {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : given.plan->kernels) kernels.push_back(&kernel);
  PlacedKernels placed = place_kernels(a, nodes, kernels, given.plan->absent);
  a.attached.instead = std::move(placed.instead);
  a.attached.fused = std::move(placed.fused);
  a.attached.counts_at = std::move(placed.counts_at);
  use_precisions(a, nodes, kernels);
  a.attached.notes.push_back(fmt::format("kernels of {}{}; nothing was run",
                                         given.timing_facts.engine,
                                         view_text(given.timing_facts.view)));
}

}  // namespace

std::string_view view_text(std::string_view view) {
  if (view == "source") return ", optimizations off";
  return view == "eager" ? ", eager" : "";
}

void attach(Analysis& a, const Measurements& given) {
  forget_measurements(a);
  a.attached.optimized = given.timing_facts.view == "optimized";
  if (given.interrupted) a.attached.missed = Need::Time | Need::Memory | Need::Roofline;
  if (const Roofline* roof = given.roofline != nullptr ? given.roofline : given.reasons)
    a.attached.reasons = *roof;
  if (given.roofline != nullptr) {
    a.attached.roofline = *given.roofline;
    a.has |= Need::Roofline;
  }
  if (given.timing == nullptr && given.memory == nullptr && given.plan == nullptr) return;
  fill_nodes(a);
  const SourceNodes nodes(a);
  if (given.timing != nullptr) {
    use_times(a, nodes, *given.timing, given.timing_facts);
    use_precisions(a, nodes, kernels_of(*given.timing));
    a.has |= Need::Time | Need::Kernels;
  } else if (given.plan != nullptr) {
    use_plan(a, nodes, given);
    a.has |= Need::Kernels;
  }
  if (given.memory != nullptr) {
    a.attached.taken = TakenFacts{given.timing_facts.engine,  given.timing_facts.view,
                                  given.memory->peak,         given.memory->left,
                                  given.memory->weight_bytes, use_memory(a, nodes, *given.memory)};
    a.has |= Need::Memory;
  }
  if (a.attached.timing || a.attached.taken) a.attached.machine = given.machine;
}

}  // namespace strata
