#include "strata/profile/profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "profile/columns.h"
#include "profile/hash.h"
#include "profile/layout.h"
#include "profile/measured.h"
#include "profile/memory.h"
#include "strata/measure/runs_in.h"

namespace strata {

namespace {

std::vector<Profile::TensorFacts> tensor_facts(const Graph& graph, std::span<const TensorId> ids) {
  std::vector<Profile::TensorFacts> facts;
  for (TensorId id : ids) {
    if (id == kNone) continue;
    const Tensor& tensor = graph.tensors[id];
    facts.push_back({std::string(tensor.name), std::string(name(tensor.type.dtype)),
                     tensor.type.ranked ? text(tensor.type.dims) : "?"});
  }
  return facts;
}

Profile::ModelFacts model_facts(const Model& model) {
  Profile::ModelFacts facts;
  facts.path = model.path;
  facts.graph_hash = graph_hash(model);
  facts.file_bytes = model.file_bytes;
  facts.producer = std::string(model.producer);
  if (!model.producer_version.empty()) facts.producer += fmt::format(" {}", model.producer_version);
  facts.ir_version = model.ir_version;
  for (const OpsetImport& import : model.opsets)
    facts.opsets.emplace_back(import.domain.empty() ? "ai.onnx" : std::string(import.domain),
                              import.version);
  for (const Graph& graph : model.graphs) facts.nodes += graph.nodes.size();
  facts.inputs = tensor_facts(model.graph(), model.graph().inputs);
  facts.outputs = tensor_facts(model.graph(), model.graph().outputs);
  return facts;
}

Cell share_cell(const Cell& part, const Cell& whole) {
  const auto number = [](const Cell& cell) -> std::optional<double> {
    if (const auto* exact = std::get_if<Expr>(&cell.value))
      if (exact->is_number()) return static_cast<double>(exact->value());
    if (const auto* real = std::get_if<double>(&cell.value)) return *real;
    return std::nullopt;
  };
  const auto a = number(part), b = number(whole);
  if (a && b && *b != 0) return {100 * *a / *b, part.certainty};
  if (const auto* all = std::get_if<Expr>(&whole.value))
    if (const auto* some = std::get_if<Expr>(&part.value); some != nullptr && *some == *all)
      return {100.0, part.certainty};
  // Formulas with one common factor have a share that is a number.
  const auto* top = std::get_if<Expr>(&part.value);
  const auto* bottom = std::get_if<Expr>(&whole.value);
  if (top == nullptr || bottom == nullptr || bottom->is(0)) return {};
  if (top->is(0)) return {0.0, part.certainty};
  const auto top_terms = top->terms(), bottom_terms = bottom->terms();
  if (top_terms.size() != 1 || bottom_terms.size() != 1) return {};
  if (top_terms[0].product != bottom_terms[0].product) return {};
  return {100 * static_cast<double>(top_terms[0].coefficient) /
              static_cast<double>(bottom_terms[0].coefficient),
          part.certainty};
}

double sort_key(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell.value)) return *real;
  if (const auto* exact = std::get_if<Expr>(&cell.value))
    return exact->evaluate([](std::string_view) { return std::optional(1.0); }).value_or(-1);
  return -1;
}

// Numbers fall, text rises.
void sort_rows(std::vector<Row>& rows, const ChosenColumn& by) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const Cell left = by.rule->cell(a), right = by.rule->cell(b);
    if (by.rule->unit == Unit::Text)
      return std::get<std::string>(left.value) < std::get<std::string>(right.value);
    return sort_key(left) > sort_key(right);
  });
}

// A tree, or one row for each module, in which a module stands for several calls.
bool has_repeated_calls(const std::vector<Row>& rows, ReportKind report) {
  if (report != ReportKind::Tree && report != ReportKind::Leaves) return false;
  return std::any_of(rows.begin(), rows.end(),
                     [](const Row& row) { return row.calls > 1 && !row.functional; });
}

ProfileRow cells_of(const Row& row, const std::vector<ChosenColumn>& columns, const Row& totals) {
  ProfileRow out;
  out.depth = row.depth;
  out.cells.reserve(columns.size());
  for (const ChosenColumn& column : columns) {
    Cell cell = column.rule->cell(row);
    out.cells.push_back(column.share ? share_cell(cell, column.rule->cell(totals))
                                     : std::move(cell));
  }
  return out;
}

}  // namespace

std::string_view name(Unit unit) {
  switch (unit) {
    case Unit::Text:
      return "text";
    case Unit::Count:
      return "count";
    case Unit::Macs:
      return "macs";
    case Unit::Flops:
      return "flops";
    case Unit::Bytes:
      return "bytes";
    case Unit::Megabytes:
      return "mebibytes";
    case Unit::Picojoules:
      return "picojoules";
    case Unit::Seconds:
      return "seconds";
    case Unit::FlopsPerSecond:
      return "flops_per_second";
    case Unit::BytesPerSecond:
      return "bytes_per_second";
    case Unit::FlopsPerByte:
      return "flops_per_byte";
    case Unit::Number:
      return "number";
    case Unit::Decibels:
      return "decibels";
    case Unit::Percent:
      return "percent";
  }
  return "text";
}

bool Profile::is_exact() const {
  if (!unknown_ops.empty()) return false;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].additive && columns[i].unit != Unit::Percent &&
        (totals.cells[i].is_unknown() || totals.cells[i].certainty != Certainty::Exact))
      return false;
  return true;
}

Result<Profile> make_profile(const Model& model, const Inference& inference,
                             const ProfileOptions& given) {
  ProfileOptions options = given;
  const Asked asked{options.device_memory,
                    options.timing != nullptr || options.interrupted,
                    options.memory != nullptr || options.interrupted,
                    options.roofline != nullptr || options.interrupted,
                    options.plan != nullptr || options.timing != nullptr,
                    options.timing_facts.view == "optimized"};
  auto columns = choose_columns(options.columns, options.all_columns, asked);
  if (!columns) return tl::unexpected(columns.error());
  const Layout* layout = nullptr;
  if (!options.layout.empty()) {
    auto found = find_layout(options.layout);
    if (!found) return tl::unexpected(found.error());
    layout = *found;
    options.convention = layout->convention;
    options.rows.report = ReportKind::Tape;
    options.rows.fuse = options.rows.all = false;
    columns->clear();
    for (const ColumnRule& rule : layout->columns)
      if (asked.has(rule.needs)) columns->push_back({&rule, false});
  }

  const Costs costs = count(model);
  const Layers layers = find_layers(model, costs);
  const LayerEdges edges(model, costs, layers);
  Analysis analysis{model, costs, layers, edges, {}, {}};
  if (auto status = count_figures(analysis, options); !status)
    return tl::unexpected(status.error());
  if (auto status = find_device_memory(analysis, options.device_memory); !status)
    return tl::unexpected(status.error());

  Profile profile;
  Measured measured;
  std::optional<SourceNodes> nodes;
  if (options.timing != nullptr || options.memory != nullptr || options.plan != nullptr)
    nodes.emplace(analysis);
  if (options.timing != nullptr) {
    measured = assign_times(analysis, *nodes, *options.timing);
    use_times(analysis, measured);
    use_precisions(analysis, *nodes, kernels_of(*options.timing));
    profile.timing = timing_facts(*options.timing, measured, options.timing_facts);
  }
  if (options.timing == nullptr && options.plan != nullptr) {
    std::vector<const Kernel*> kernels;
    for (const Kernel& kernel : options.plan->kernels) kernels.push_back(&kernel);
    analysis.instead = place_kernels(analysis, *nodes, kernels, options.plan->absent).instead;
    use_precisions(analysis, *nodes, kernels);
    profile.notes.push_back(fmt::format("kernels of {}, {} view; nothing was run",
                                        options.timing_facts.engine, options.timing_facts.view));
  }
  if (options.memory != nullptr)
    profile.taken =
        TakenFacts{options.timing_facts.engine,  options.timing_facts.view,
                   options.memory->peak,         options.memory->left,
                   options.memory->weight_bytes, use_memory(analysis, *nodes, *options.memory)};
  if (profile.timing || profile.taken) profile.machine = options.machine;
  if (layout != nullptr && layout->activations_only) number_blocks(analysis);
  std::vector<Row> rows = make_rows(analysis, options.rows, profile.hidden_rows);
  if (layout != nullptr) rows = layout_rows(*layout, std::move(rows));
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i].index = i;
  Row totals;
  totals.layer = "Total";
  if (!rows.empty() && std::all_of(rows.begin(), rows.end(),
                                   [&](const Row& row) { return row.dtype == rows.front().dtype; }))
    totals.dtype = rows.front().dtype;
  // What passes inside a fused layer is not moved, and a layout may leave out
  // rows: there the total is that of the rows.
  const bool of_rows =
      layout != nullptr || (options.rows.fuse && options.rows.report != ReportKind::Tree);
  if (of_rows)
    for (const Row& row : rows) add_to(totals.figures, row.figures);
  else
    for (const Figures& figures : analysis.by_layer) add_to(totals.figures, figures);
  const bool flat = options.rows.report != ReportKind::Tree &&
                    options.rows.report != ReportKind::Root && !rows.empty();
  std::vector<Row> beside;  // what no layer asked for
  if (options.timing != nullptr) {
    // Rows of nodes have medians of their own.
    double in_rows = 0;
    for (const Row& row : rows) in_rows += row.figures.seconds.value_or(0);
    beside = rows_beside_layers(measured, *options.timing,
                                flat ? in_rows : totals.figures.seconds.value_or(0));
    totals.figures.seconds = summarize(options.timing->runs).median;
    double so_far = 0;
    for (Row& row : rows) {
      if (!row.figures.seconds) continue;
      row.seconds_so_far = so_far += *row.figures.seconds;
      row.time_share = 100 * *row.figures.seconds / *totals.figures.seconds;
    }
    totals.figures.samples = options.timing->runs;
    const bool sure = options.timing->center.withheld.empty();
    const auto sessions = [&](const std::vector<std::size_t>& known, std::size_t all) {
      if (!sure || all == 0) return std::vector<std::size_t>();
      return known.empty() ? std::vector{all} : known;
    };
    totals.sessions = sessions(options.timing->sessions, options.timing->runs.size());
    totals.drift = options.timing->drift;
    for (std::vector<Row>* list : {&rows, &beside})
      for (Row& row : *list) {
        row.sessions = sessions(options.timing->recorded_sessions, options.timing->recorded.size());
        row.drift = totals.drift;
      }
    if (!beside.empty() && beside.back().figures.seconds.value_or(0) < 0)
      profile.notes.push_back(fmt::format(
          "the time outside of layers is below zero: the layers, measured while they were "
          "recorded, add up to {:.1f} % more than a run that is not recorded takes. What "
          "recording costs is known only so well, or the machine changed its pace",
          -100 * *beside.back().figures.seconds / *totals.figures.seconds));
    if (!flat && !rows.empty()) {  // the network's own row
      rows.front().figures.seconds = totals.figures.seconds;
      rows.front().figures.samples = totals.figures.samples;
      rows.front().sessions = totals.sessions;
    }
  }
  if (options.memory != nullptr && layout == nullptr) {
    take_beside_layers(*nodes, *options.memory, beside);
    TakenMemory& taken =
        totals.figures.taken ? *totals.figures.taken : totals.figures.taken.emplace();
    for (const Row& row : beside) {
      if (!row.figures.taken) continue;
      taken.allocated += row.figures.taken->allocated;
      taken.scratch += row.figures.taken->scratch;
      taken.peak = std::max(taken.peak, row.figures.taken->peak);
    }
    if (!flat && !rows.empty()) rows.front().figures.taken = taken;
  }
  if (layout == nullptr && options.rows.report != ReportKind::None &&
      options.rows.report != ReportKind::Root)
    for (Row& row : beside) {
      row.depth = options.rows.report == ReportKind::Tree ? 1 : 0;
      if (options.rows.report == ReportKind::Type && row.type.empty()) row.type = row.layer;
      rows.push_back(std::move(row));
    }
  if (options.roofline != nullptr) {
    for (Row& row : rows) use_roofline(row, *options.roofline);
    profile.roofline =
        RooflineFacts{options.roofline->fp32_flops, options.roofline->bytes_per_second,
                      options.roofline->threads, options.roofline->kernel};
  }
  if (!options.sort.empty()) {
    const bool reversed = options.sort.starts_with('-');
    auto by = choose_columns(std::string_view(options.sort).substr(reversed ? 1 : 0), false, asked);
    if (!by) return tl::unexpected(by.error());
    if (by->size() != 1)
      return failure(fmt::format("--sort {}: name one column", options.sort), ErrorKind::Usage);
    sort_rows(rows, by->front());
    if (reversed) std::reverse(rows.begin(), rows.end());
  }

  // Averages of calls, where nothing is called twice.
  if (!options.all_columns && !has_repeated_calls(rows, options.rows.report))
    std::erase_if(*columns, [](const ChosenColumn& column) {
      return column.rule->of_calls && !column.asked;
    });
  // Columns that nobody asked for and the convention does not have.
  if (options.columns.empty() && layout == nullptr)
    std::erase_if(*columns, [&](const ChosenColumn& column) {
      return column.rule->additive && is_missing(column, totals);
    });
  // Only calls have an entry and an exit.
  if (options.rows.report == ReportKind::Node || options.rows.report == ReportKind::Type ||
      options.rows.report == ReportKind::None)
    std::erase_if(*columns, [](const ChosenColumn& column) {
      return column.rule->needs == kPytorchCuda && !column.asked;
    });
  for (const ChosenColumn& column : *columns) {
    const ColumnRule& rule = *column.rule;
    if (column.share)
      profile.columns.push_back({fmt::format("{}%", rule.name), "%", Unit::Percent, true,
                                 column.asked ? 0 : rule.priority + 1});
    else
      profile.columns.push_back({std::string(rule.name), std::string(rule.title), rule.unit,
                                 rule.additive, column.asked ? 0 : rule.priority});
  }
  profile.rows.reserve(rows.size());
  for (const Row& row : rows) profile.rows.push_back(cells_of(row, *columns, totals));
  profile.totals = cells_of(totals, *columns, totals);

  profile.model = model_facts(model);
  profile.notes.insert(profile.notes.begin(), model.notes.begin(), model.notes.end());
  profile.notes.insert(profile.notes.end(), costs.notes.begin(), costs.notes.end());
  if (auto status = add_memory(profile, analysis, options); !status)
    return tl::unexpected(status.error());
  profile.convention = options.convention;
  profile.energy_model = options.energy_model;
  profile.report = options.rows.report;
  if (layout != nullptr) profile.hidden_rows = 0;  // it says itself which rows it has
  profile.symbols = inference.symbols;
  profile.unknown_ops = costs.unknown_ops;
  return profile;
}

}  // namespace strata
