#include "read/executorch/reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/shortened.h"
#include "read/executorch/plan.h"
#include "read/model_or_failure.h"
#include "strata/base/number_text.h"

namespace strata::executorch {

namespace {

// The method to read: the one that was asked for, `forward`, or the first.
Table chosen_plan(Loading& loading) {
  const List plans = loading.program.list(slot::kProgramExecutionPlan, sizeof(std::uint32_t));
  if (plans.count == 0) throw Broken{"it holds no method of a model"};
  const std::string& wanted = loading.options.model;
  std::string names;
  constexpr std::uint32_t kMost = 20;
  std::uint32_t chosen = wanted.empty() ? 0 : plans.count;
  for (std::uint32_t i = plans.count; i-- > 0;) {
    loading.count_entry();
    const std::string_view name = loading.wire.table_at(plans, i).text(slot::kExecutionPlanName);
    if (name == (wanted.empty() ? "forward" : std::string_view(wanted))) chosen = i;
    if (i < kMost) names = in_quotes(name) + (names.empty() ? "" : ", ") + names;
  }
  if (chosen == plans.count)
    throw Broken{fmt::format("it has no method {}; its methods are: {}", in_quotes(wanted), names)};
  const Table plan = loading.wire.table_at(plans, chosen);
  if (plans.count > 1 && wanted.empty())
    loading.note(fmt::format("it has {} methods ({}); this is {}, and another is read by its name",
                             plans.count, names, in_quotes(plan.text(slot::kExecutionPlanName))));
  return plan;
}

void add_notes(Loading& loading) {
  const Counts& counts = loading.counts;
  constexpr std::size_t kMost = 4;
  for (std::size_t i = 0; i < std::min(counts.closed.size(), kMost); ++i)
    loading.note(
        fmt::format("the delegate {} has {} bytes in a format of its own; what it computes and "
                    "its parameters are unknown",
                    in_quotes(shortened(counts.closed[i].first)),
                    grouped(static_cast<std::int64_t>(counts.closed[i].second))));
  if (counts.closed.size() > kMost)
    loading.note(fmt::format("{} more delegates are unknown", counts.closed.size() - kMost));
  if (counts.opened > 0)
    loading.note(fmt::format("XNNPACK runs {} node{} in {} delegate{}", counts.opened_nodes,
                             counts.opened_nodes == 1 ? "" : "s", counts.opened,
                             counts.opened == 1 ? "" : "s"));
  if (counts.bounded > 0)
    loading.note(
        "sizes that change from run to run have their largest value, as the file states it");
  if (counts.branches > 0)
    loading.note(
        "it has branches, and both sides of each are counted: a run takes one, so it costs less "
        "than the total");
  if (counts.loops > 0)
    loading.note("it has loops, which are counted once: a run costs at least the total");
  if (counts.states > 0)
    loading.note(fmt::format(
        "{} from one run to the next and {} not in the file",
        counts.states == 1 ? "1 tensor stays" : fmt::format("{} tensors stay", counts.states),
        counts.states == 1 ? "is" : "are"));
  if (counts.outside > 0)
    loading.note(fmt::format("{} in another file, which is not read",
                             counts.outside == 1
                                 ? "1 stored tensor is"
                                 : fmt::format("{} stored tensors are", counts.outside)));
}

void read_program(Loading& loading) {
  Model& model = loading.model;
  model.ir_version = loading.program.number<std::uint32_t>(slot::kProgramVersion, 0);
  model.producer = "executorch";
  model.opsets.push_back({"aten", 1});
  const Table plan = chosen_plan(loading);
  model.graph().name = plan.text(slot::kExecutionPlanName);
  PlanReader(loading, plan).read();
  loading.scopes.finish();
  model.states_types = true;
  add_notes(loading);
}

}  // namespace

bool looks_like_program(std::string_view bytes) {
  constexpr std::size_t kIdentifierAt = 4;
  return bytes.size() > 8 && bytes.substr(kIdentifierAt, 4) == "ET12";
}

Result<Model> read(std::string_view bytes, std::string_view label, const ReadOptions& options) {
  return model_or_failure(bytes, label, options,
                          [&](Model& model, const ReadOptions& limits) -> Status {
                            const Wire wire(bytes);
                            Loading loading(model, limits, wire, wire.root());
                            read_program(loading);
                            return {};
                          });
}

}  // namespace strata::executorch
