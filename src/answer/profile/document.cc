// A profile as a document.
#include <algorithm>
#include <utility>

#include "base/formula_scope.h"
#include "profile/caveats.h"
#include "profile/shape_text.h"
#include "strata/base/text_map.h"
#include "strata/document/render.h"
#include "strata/profile/profile.h"

namespace strata {

namespace {

std::string_view name_of(Certainty certainty) {
  switch (certainty) {
    case Certainty::Exact:
      return "exact";
    case Certainty::LowerBound:
      return "lower_bound";
    case Certainty::Unknown:
      return "unknown";
  }
  return "unknown";
}

// -1 stands for what cannot be known, an empty text for what there is not.
template <class Number>
Cell known(Number number) {
  return number < 0 ? Cell() : Cell(number);
}
Cell words(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

// Stands in for Members{…}, which would copy each of them once more: there may be one list for each
// of many thousand inputs.
template <class... Each>
Members members(Each... each) {
  Members list;
  list.reserve(sizeof...(each));
  (list.push_back(std::move(each)), ...);
  return list;
}

class Builder {
 public:
  explicit Builder(const Profile& profile) : profile_(profile) {
    // Plain names need not be looked up.
    for (const auto& symbol : profile.symbols)
      if (expr_from_text(symbol.name, {}) != Expr::symbol(symbol.name))
        symbols_.push_back(symbol.name);
    std::sort(symbols_.begin(), symbols_.end());
  }

  Members facts() const {
    Members out =
        members(Member{"model", model()}, Member{"convention", profile_.convention},
                Member{"energy_model", profile_.energy_model},
                Member{"report", strata::name_of(profile_.report)}, Member{"memory", memory()});
    if (profile_.load_work)
      out.push_back({"load_work", Members{{"macs", profile_.load_work->macs},
                                          {"flops", profile_.load_work->flops},
                                          {"in_totals", profile_.load_work->in_totals}}});
    if (profile_.roofline)
      out.push_back({"roofline", Members{{"flops_per_s", profile_.roofline->flops_per_second},
                                         {"bytes_per_s", profile_.roofline->bytes_per_second},
                                         {"threads", profile_.roofline->threads},
                                         {"kernel", profile_.roofline->kernel}}});
    if (profile_.timing) out.push_back({"timing", timing(*profile_.timing)});
    Cells symbols;
    for (const auto& symbol : profile_.symbols)
      symbols.emplace_back(members(Member{"name", symbol.name}, Member{"origin", symbol.origin},
                                   Member{"needs_data", symbol.needs_data}));
    out.push_back({"symbols", std::move(symbols)});
    out.push_back({"unknown_ops", list_cell(profile_.unknown_ops)});
    out.push_back({"hidden_rows", profile_.hidden_rows});
    return out;
  }

  Table layers(std::vector<ProfileRow> rows, RowSource source) const {
    Table table{.name = "layers",
                .columns = profile_.columns,
                .rows = std::move(rows),
                .source = std::move(source),
                .totals = profile_.totals,
                .tree = profile_.report == ReportKind::Tree};
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if ((table.columns[i].name == "input" || table.columns[i].name == "output") &&
          table.columns[i].type != ColumnType::Shapes)
        use_shapes(table, i);
    return table;
  }

 private:
  // Texts become shapes if all of them are; a layout may write them in another form.
  void use_shapes(Table& table, std::size_t column) const {
    std::vector<Cells> shapes;
    TextMap<std::string_view, Cells> read;  // the same text stands in many rows
    shapes.reserve(table.rows.size());
    for (const TableRow& row : table.rows) {
      const auto* text = std::get_if<std::string>(&row.cells[column].value);
      if (text == nullptr) return;
      const auto [known, is_new] = read.try_emplace(*text);
      if (is_new) {
        auto found = shapes_from_text(*text, symbols_);
        if (!found) return;
        known->second = std::move(*found);
      }
      shapes.push_back(known->second);
    }
    for (std::size_t r = 0; r < shapes.size(); ++r)
      table.rows[r].cells[column] = std::move(shapes[r]);
    table.columns[column].type = ColumnType::Shapes;
  }

  Cells tensors(const std::vector<Profile::TensorFacts>& list) const {
    Cells out;
    for (const auto& tensor : list)
      out.emplace_back(
          members(Member{"name", tensor.name}, Member{"dtype", tensor.dtype},
                  Member{"shape", shape_from_text(tensor.shape, symbols_).value_or(Shape())}));
    return out;
  }

  Members model() const {
    const Profile::ModelFacts& model = profile_.model;
    Members opsets;
    for (const auto& [domain, version] : model.opsets) opsets.push_back({domain, version});
    return members(Member{"path", FilePath{model.path}}, Member{"graph_hash", model.graph_hash},
                   Member{"file_bytes", model.file_bytes}, Member{"producer", model.producer},
                   Member{"ir_version", model.ir_version}, Member{"opsets", std::move(opsets)},
                   Member{"nodes", model.nodes}, Member{"inputs", tensors(model.inputs)},
                   Member{"outputs", tensors(model.outputs)});
  }

  Members memory() const {
    Cells at_peak;
    for (const auto& alive : profile_.memory.at_peak)
      at_peak.emplace_back(members(Member{"tensor", alive.tensor}, Member{"layer", alive.layer},
                                   Member{"bytes", alive.bytes}));
    Members out = members(Member{"peak_bytes", profile_.memory.peak_bytes},
                          Member{"certainty", name_of(profile_.memory.certainty)},
                          Member{"peak_layer", profile_.memory.peak_layer},
                          Member{"at_peak", std::move(at_peak)});
    if (!profile_.memory.reading.empty()) out.push_back({"reading", profile_.memory.reading});
    if (profile_.device)
      out.push_back({"device", Members{{"model", profile_.device->model},
                                       {"weights", profile_.device->weights},
                                       {"inputs", profile_.device->inputs},
                                       {"peak_allocated", profile_.device->peak_allocated},
                                       {"peak_reserved", known(profile_.device->peak_reserved)},
                                       {"peak_layer", profile_.device->peak_layer}}});
    if (!profile_.memory.phases.empty()) {
      Cells phases, saved;
      for (const PhaseMemory& one : profile_.memory.phases)
        phases.emplace_back(Members{{"phase", phase_name(one.phase)},
                                    {"peak_bytes", one.peak()},
                                    {"weights", one.weights},
                                    {"gradients", one.gradients},
                                    {"optimizer_state", one.optimizer_state},
                                    {"activations", one.activations},
                                    {"other", one.other}});
      for (const auto& [module, bytes] : profile_.memory.saved)
        saved.emplace_back(Members{{"module", module}, {"bytes", bytes}});
      out.push_back({"phases", std::move(phases)});
      out.push_back({"saved", std::move(saved)});
    }
    if (profile_.arena) out.push_back({"arena", arena(*profile_.arena)});
    if (profile_.taken)
      out.push_back({"engine", Members{{"engine", profile_.taken->engine},
                                       {"view", profile_.taken->view},
                                       {"peak", profile_.taken->peak},
                                       {"left", profile_.taken->left},
                                       {"peak_layer", profile_.taken->peak_layer},
                                       {"weights", known(profile_.taken->weights)}}});
    return out;
  }

  static Members arena(const ArenaLayout& arena) {
    Cells blocks;
    for (const ArenaBlock& block : arena.blocks)
      blocks.emplace_back(Members{{"tensor", block.tensor},
                                  {"offset", block.offset},
                                  {"bytes", block.bytes},
                                  {"first", block.first},
                                  {"last", block.last}});
    return {{"bytes", arena.bytes},
            {"bound", arena.bound},
            {"alignment", arena.alignment},
            {"blocks", std::move(blocks)}};
  }

  static Members timing(const TimingFacts& timing) {
    const bool has_interval = timing.high > 0;
    return {{"engine", timing.engine},
            {"view", timing.view},
            {"threads", timing.threads},
            {"runs", timing.runs},
            {"all_runs", timing.all_runs},
            {"sessions", timing.sessions},
            {"recorded_runs", timing.recorded},
            {"warmup_runs", timing.warmup},
            {"median_s", timing.median},
            {"median_interval_s", has_interval ? Cell(Interval{timing.low, timing.high}) : Cell()},
            {"withheld", words(timing.withheld)},
            {"mad_s", timing.mad},
            {"open_s", known(timing.open)},
            {"first_s", known(timing.first)},
            {"probe_s", timing.probe},
            {"cpu_s", known(timing.cpu_seconds)},
            {"wall_s", timing.wall_seconds},
            {"involuntary_switches", known(timing.involuntary)},
            {"wait_s", known(timing.wait_seconds)},
            {"waits_read", timing.waits_read},
            {"steal_s", known(timing.steal_seconds)},
            {"pressure", known(timing.pressure)},
            {"slowed", known(timing.slowed)},
            {"disturbed", timing.disturbed},
            {"noisy", timing.noisy},
            {"partial", timing.partial},
            {"unassigned", list_cell(timing.unassigned)},
            {"samples_s", list_cell(timing.samples)}};
  }

  const Profile& profile_;
  std::vector<std::string> symbols_;  // in ascending order
};

}  // namespace

Document profile_document(const Profile& profile) { return profile_document(Profile(profile)); }

Document profile_document(Profile&& profile) {
  // Many rows share their shapes, and the file was limited when it was read.
  const FormulaScope scope(profile.model.file_bytes, FormulaScope::kUnlimited);
  const Builder builder(profile);
  Document document = new_document("profile");
  document.options = profile.options;
  document.machine = profile.machine;
  document.facts = builder.facts();
  document.tables.push_back(
      builder.layers(std::exchange(profile.rows, {}), std::exchange(profile.source, {})));
  document.tables.front().edges = profile.edges;
  document.notes = urgent_notes(profile.notes);
  document.abridged = profile.abridged;
  for (const std::string& sentence : profile.asides) document.notes.emplace_back(sentence);
  for (std::string& sentence : caveats(profile))
    document.notes.emplace_back(std::move(sentence), true);
  return document;
}

std::string profile_to_json(const Profile& profile) {
  return render_json(profile_document(profile));
}

}  // namespace strata
