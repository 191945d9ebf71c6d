#include "strata/task/zoo_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/cost/convention.h"
#include "strata/zoo/zoo.h"
#include "task/zoo_latency.h"

namespace strata {

namespace {

// Adds the end-to-end median, and the network's FLOPs divided by it, to the last row. Returns false
// if it was interrupted.
Result<bool> add_latency(build::Network network, const zoo::Entry& entry,
                         const TimingRequest& request, const Observer& observer, Profile& table) {
  LoadedModel loaded{std::move(network.model), std::move(network.inference)};
  const ModelRequest model{loaded.model.path};
  auto timed = run_timing(loaded, model, request, observer);
  if (!timed) return failure_in(entry.name, timed);
  if (timed->interrupted || !timed->timing) return false;
  if (table.machine.empty()) {
    table.machine = timed->machine;
    table.notes.push_back(fmt::format(
        "Latency is the median end to end on {}{}, {} thread{}, without the waiting for a "
        "processor; Low and High are its 95 % interval between sessions",
        timed->facts.engine, view_text(timed->facts.view), timed->facts.threads,
        timed->facts.threads == 1 ? "" : "s"));
  }
  add_latency_cells(*timed->timing, entry.name, table.rows.back(), table.notes);
  return true;
}

void add_columns(const Profile& profile, bool timed, Profile& table) {
  table.columns = profile.columns;
  table.columns.insert(table.columns.begin(), {"model", "Model", Unit::Text, false, 0});
  table.convention = profile.convention;
  table.energy_model = profile.energy_model;
  if (timed)
    for (Column& column : latency_columns()) table.columns.push_back(std::move(column));
}

}  // namespace

ProfileOptions published_counting() {
  ProfileOptions profile;
  profile.convention = "rasp-2020";
  profile.energy_model = "rasp";
  return profile;
}

Result<ZooTable> run_zoo_table(const ZooTableRequest& request, const Observer& observer) {
  ProfileOptions options = request.profile;
  options.rows.report = ReportKind::None;
  if (options.columns.empty()) {
    const auto convention = find_convention(options.convention);
    if (!convention) return failure(convention);
    options.columns = convention->has(Metric::Flops) ? "params,flops,energy" : "params,macs,energy";
  }
  std::vector<const zoo::Entry*> entries;
  for (const zoo::Entry& entry : zoo::entries())
    if (request.all || entry.in_table) entries.push_back(&entry);
  ZooTable out;
  Profile& table = out.profile;
  for (const zoo::Entry* entry : entries) {
    if (observer.stopped()) {
      out.missing.emplace_back(entry->name);
      continue;
    }
    const double share =
        static_cast<double>(table.rows.size()) / static_cast<double>(entries.size());
    const std::string title =
        fmt::format("[{}/{}] {}", table.rows.size() + 1, entries.size(), entry->name);
    observer.show(title, share);
    auto network = zoo::build(entry->name);
    if (!network) return failure(network);
    auto profile = make_profile(network->model, network->inference, options);
    if (!profile) return failure(profile);
    if (table.columns.empty()) add_columns(*profile, request.time.has_value(), table);
    ProfileRow& row = table.rows.emplace_back();
    row.cells.reserve(table.columns.size());
    row.cells.emplace_back().value = std::string(entry->name);
    for (Cell& cell : profile->totals.cells) row.cells.push_back(std::move(cell));
    if (!request.time) continue;
    Observer own;
    own.stop = observer.stop;
    own.progress = [&](std::string_view stage, double) {
      observer.show(fmt::format("{}: {}", title, stage), share);
    };
    TimingRequest end_to_end = *request.time;
    end_to_end.layers = false;
    auto timed = add_latency(std::move(*network), *entry, end_to_end, own, table);
    give_back_free_memory();
    if (!timed) return failure(timed);
    if (*timed) continue;
    table.rows.pop_back();
    out.missing.emplace_back(entry->name);
  }
  if (!out.missing.empty())
    table.notes.push_back(fmt::format("Partial: interrupted after {} of {} networks; missing: {}",
                                      table.rows.size(), entries.size(),
                                      fmt::join(out.missing, ", ")));
  return out;
}

}  // namespace strata
