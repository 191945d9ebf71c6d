// All networks of the zoo, one row each.
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/engine_process.h"
#include "cli/interrupt.h"
#include "cli/time_options.h"
#include "cli/zoo_command.h"
#include "cli/zoo_latency.h"
#include "strata/cost/convention.h"
#include "strata/measure/memory.h"
#include "strata/profile/profile.h"
#include "strata/report/report.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

struct TableOptions {
  ProfileOptions profile;
  TimeOptions time;
  std::string layout;
  std::string format = "table";
  std::string output;
  bool all = false;
  bool exact = false;
};

// `3.5M`, `327.14M`: two decimals at most.
std::string published_form(double number) {
  constexpr std::pair<double, const char*> kPrefixes[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "K"}};
  const char* prefix = "";
  for (const auto& [size, letter] : kPrefixes)
    if (number >= size) {
      number /= size;
      prefix = letter;
      break;
    }
  std::string text = fmt::format("{:.2f}", number);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text + prefix;
}

void to_published_form(Profile& table) {
  constexpr std::size_t kPublished = 4;  // the rest was measured here
  for (std::size_t c = 1; c < kPublished; ++c) table.columns[c].unit = Unit::Text;
  for (ProfileRow& row : table.rows)
    for (std::size_t c = 1; c < kPublished; ++c) {
      Cell& cell = row.cells[c];
      double number = 0;
      if (const auto* exact = std::get_if<Expr>(&cell.value);
          exact != nullptr && exact->is_number())
        number = static_cast<double>(exact->value());
      else if (const auto* real = std::get_if<double>(&cell.value))
        number = *real;
      else
        continue;
      cell.value = published_form(number);
    }
}

// The median end to end, and the network's FLOPs over it, in the last row. False: it was
// interrupted.
Result<bool> add_latency(zoo::Network network, const zoo::Entry& entry, const TableOptions& options,
                         Profile& table) {
  LoadedModel loaded{std::move(network.model), std::move(network.inference)};
  ModelOptions model;
  model.path = loaded.model.path;
  auto timed = time_loaded(loaded, model, options.time);
  if (!timed)
    return failure(fmt::format("{}: {}", entry.name, timed.error().message), timed.error().kind);
  if (timed->interrupted) return false;
  if (table.machine.empty()) {
    table.machine = timed->machine;
    table.notes.push_back(fmt::format(
        "Latency is the median end to end on {}, {} view, {} thread{}, without the waiting for a "
        "processor; Low and High are its 95 % interval between sessions",
        timed->facts.engine, timed->facts.view, timed->facts.threads,
        timed->facts.threads == 1 ? "" : "s"));
  }
  add_latency_cells(*timed->timing, entry.name, table.rows.back(), table.notes);
  return true;
}

struct ZooTable {
  Profile profile;                   // whose rows are networks
  std::vector<std::string> missing;  // networks that an interrupt left out
};

// The totals of every network.
Result<ZooTable> make_table(const TableOptions& options) {
  std::vector<const zoo::Entry*> entries;
  for (const zoo::Entry& entry : zoo::entries())
    if (options.all || entry.in_table) entries.push_back(&entry);
  ZooTable out;
  Profile& table = out.profile;
  for (const zoo::Entry* entry : entries) {
    if (options.time.time && StopOnInterrupt::stopped()) {
      out.missing.emplace_back(entry->name);
      continue;
    }
    if (options.time.time && ::isatty(STDERR_FILENO) != 0)
      fmt::print(stderr, "\r[{}/{}] {}\x1b[K", table.rows.size() + 1, entries.size(), entry->name);
    auto network = zoo::build(entry->name);
    if (!network) return tl::unexpected(network.error());
    auto profile = make_profile(network->model, network->inference, options.profile);
    if (!profile) return tl::unexpected(profile.error());
    if (table.columns.empty()) {
      table.columns = profile->columns;
      table.columns.insert(table.columns.begin(), {"model", "Model", Unit::Text, false, 0});
      table.convention = profile->convention;
      table.energy_model = profile->energy_model;
      if (options.time.time)
        for (Column& column : latency_columns()) table.columns.push_back(std::move(column));
    }
    ProfileRow& row = table.rows.emplace_back();
    row.cells.reserve(table.columns.size());
    row.cells.emplace_back().value = std::string(entry->name);
    for (Cell& cell : profile->totals.cells) row.cells.push_back(std::move(cell));
    if (!options.time.time) continue;
    auto timed = add_latency(std::move(*network), *entry, options, table);
    give_back_free_memory();
    if (!timed) return tl::unexpected(timed.error());
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

std::string to_json(const ZooTable& zoo_table) {
  const Profile& table = zoo_table.profile;
  nlohmann::ordered_json networks = nlohmann::ordered_json::array();
  for (const ProfileRow& row : table.rows) {
    nlohmann::ordered_json network;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      auto& value = network[table.columns[c].name];
      const Cell& cell = row.cells[c];
      if (const auto* words = std::get_if<std::string>(&cell.value))
        value = *words;
      else if (const auto* real = std::get_if<double>(&cell.value))
        value = *real;
      else if (const auto* exact = std::get_if<Expr>(&cell.value); exact && !exact->is_unknown())
        value = exact->is_number() ? nlohmann::ordered_json(exact->value())
                                   : nlohmann::ordered_json(exact->text());
    }
    networks.push_back(std::move(network));
  }
  nlohmann::ordered_json document = {{"schema", Profile::kSchema},
                                     {"convention", table.convention},
                                     {"energy_model", table.energy_model},
                                     {"networks", std::move(networks)}};
  if (!zoo_table.missing.empty()) document["missing"] = zoo_table.missing;
  if (!table.notes.empty()) document["notes"] = table.notes;
  for (const auto& [fact, value] : table.machine) document["machine"][fact] = value;
  return document.dump(2) + "\n";
}

Result<int> run_table(TableOptions& options) {
  options.profile.rows.report = ReportKind::None;
  options.time.layers = false;
  const bool published = options.layout == "rasp";
  if (published) {
    options.profile.convention = "rasp-2020";
    options.profile.energy_model = "rasp";
  }
  const auto convention = find_convention(options.profile.convention);
  if (!convention) return tl::unexpected(convention.error());
  if (options.time.time) {
    auto ended = go_on_in_child(options.time.engine, "zoo table");
    if (!ended) return tl::unexpected(ended.error());
    if (*ended) return **ended;
  }
  const bool flops = convention->has(Metric::Flops);
  options.profile.columns = flops ? "params,flops,energy" : "params,macs,energy";
  std::optional<StopOnInterrupt> stop;
  if (options.time.time) stop.emplace();
  auto made = make_table(options);
  if (!made) return tl::unexpected(made.error());
  Profile& table = made->profile;
  if (table.rows.empty()) {
    fmt::print(stderr, "strata: interrupted before anything was measured\n");
    return kInterrupted;
  }
  TableStyle style;
  style.width = terminal_width();
  style.exact = options.exact;
  style.color = options.output.empty() && wants_color();
  if (published && options.format != "json") to_published_form(table);
  std::string text;
  if (options.format == "json")
    text = to_json(*made);
  else if (options.format == "csv")
    text = to_csv(table);
  else if (options.format == "md")
    text = to_markdown(table, style);
  else
    text = to_table(table, style);
  if (auto status = write_output(options.output, text); !status)
    return tl::unexpected(status.error());
  if (made->missing.empty()) return kFine;
  fmt::print(stderr, "strata: interrupted: {} of {} networks are missing\n", made->missing.size(),
             made->missing.size() + table.rows.size());
  return kInterrupted;
}

}  // namespace

Command add_zoo_table(CLI::App& zoo) {
  auto options = std::make_shared<TableOptions>();
  CLI::App* app = zoo.add_subcommand("table", "parameters, FLOPs and energy of every network");
  app->footer("Examples:\n  strata zoo table\n  strata zoo table --layout rasp --format csv");
  app->add_flag("--all", options->all, "also those beyond the 34 of the published table");
  app->add_option("--layout", options->layout,
                  "rasp: the published table's counting (rasp-2020) and digits")
      ->check(CLI::IsMember({"rasp"}))
      ->option_text("TOOL");
  app->add_option("--count", options->profile.convention, "counting convention (strata)")
      ->option_text("NAME");
  app->add_option("--energy", options->profile.energy_model, "energy model (strata)")
      ->option_text("NAME");
  app->add_option("--format", options->format, "table (the default), csv, json, md")
      ->check(CLI::IsMember({"table", "csv", "json", "md"}))
      ->option_text("FORMAT");
  app->add_option("-o,--output", options->output, "write to a file")->option_text("FILE");
  options->time.add_to(*app);
  app->add_flag("--exact", options->exact, "every digit instead of human units");
  return {app, [options] { return run_table(*options); }};
}

}  // namespace strata::cli
