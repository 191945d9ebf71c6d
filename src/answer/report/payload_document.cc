// The traffic at boundaries, cuts and links as a document. docs/json-schema.md describes it.
#include <fmt/format.h>

#include "base/formula_scope.h"
#include "graph/hash.h"
#include "report/best_cuts.h"
#include "report/payload_text.h"
#include "report/split_curve.h"

namespace strata {

namespace {

class SplitFacts {
 public:
  explicit SplitFacts(const PayloadSource& source) : source_(source) {}

  Members split(const NamedSplit& named) const {
    const Split& split = named.split;
    const SplitOptions& options = split.options;
    Cells pieces, curve;
    for (std::size_t i = split.pieces.size(); i-- > 0;)
      pieces.emplace_back(Members{{"from_bytes_per_second", 1 / split.pieces[i].to},
                                  {"to_bytes_per_second", 1 / split.pieces[i].from},
                                  {"choice", describe_choice(split, split.pieces[i].best)}});
    for (const CurvePoint& point : split_curve(split)) {
      const double link = point.link_bytes_per_second;
      curve.emplace_back(Members{{"link_bytes_per_second", link},
                                 {"best_seconds", point.best_seconds},
                                 {"all_edge_seconds", split.latency(split.all_edge, link)},
                                 {"all_server_seconds", split.latency(split.all_server, link)},
                                 {"choice", describe_choice(split, split.pieces[point.piece].best)},
                                 {"crossing", point.is_crossing}});
    }
    Members best = choice(split, split.best);
    Cells edge_layers;
    for (std::size_t s = 0; s < split.steps.size(); ++s)
      if (split.best.on_edge[s] && split.steps[s].computes)
        edge_layers.emplace_back(layer_members(source_, split.steps[s].layer));
    best.push_back({"edge_layers", std::move(edge_layers)});
    return {{"edge", FilePath{named.edge}},
            {"server", FilePath{named.server}},
            {"link_bytes_per_second", options.link_bytes_per_second},
            {"round_trip_seconds", options.round_trip_seconds},
            {"precision", name_of(options.precision)},
            {"returns_results", options.returns_results},
            {"input_bytes_per_element", options.input_bytes},
            {"pays", !split.best.is_all_edge() && !split.best.is_all_server()},
            {"best", std::move(best)},
            {"all_edge", choice(split, split.all_edge)},
            {"all_server", choice(split, split.all_server)},
            {"by_link", std::move(pieces)},
            {"curve", std::move(curve)},
            {"notes", list_cell(split.notes)}};
  }

 private:
  std::string describe_choice(const Split& split, const Partition& partition) const {
    return describe(source_.model, source_.costs, source_.layers, split, partition);
  }

  Members choice(const Split& split, const Partition& partition) const {
    const double link = split.options.link_bytes_per_second;
    Cells tensors;
    for (std::uint32_t t : partition.shipped) {
      const SplitTensor& buffer = split.tensors[t];
      const std::uint32_t layer = buffer.maker == kNone ? kNone : split.steps[buffer.maker].layer;
      tensors.emplace_back(shipped_members(source_, buffer.tensor, layer,
                                           static_cast<std::int64_t>(split.tensors[t].bytes)));
    }
    return {{"choice", describe_choice(split, partition)},
            {"seconds", split.latency(partition, link)},
            {"edge_seconds", partition.edge_seconds},
            {"up_seconds", partition.up_bytes / link},
            {"server_seconds", partition.server_seconds},
            {"down_seconds", partition.down_bytes / link},
            {"round_trip_seconds", partition.round_trip_seconds},
            {"up_bytes", static_cast<std::int64_t>(partition.up_bytes)},
            {"down_bytes", static_cast<std::int64_t>(partition.down_bytes)},
            {"tensors", std::move(tensors)}};
  }

  const PayloadSource& source_;
};

void add_split(const PayloadSource& source, const NamedSplit& split, const PayloadOptions& options,
               Document& document) {
  document.facts.push_back({"split", SplitFacts(source).split(split)});
  for (const std::string& note : split.split.notes) document.notes.emplace_back(note);
  if (options.best_cuts) {
    document.tables.push_back(best_cuts_table(source, split, options));
    document.sections.insert(document.sections.begin() + 1, Section{.table = "best_cuts"});
    return;
  }
  TableStyle style;
  style.exact = options.exact;
  document.sections.push_back(lines_section(split_text(source, split, style)));
  document.sections.back().verbatim = true;
}

}  // namespace

Document payload_document(const PayloadSource& source, const Boundaries* boundaries,
                          const Cuts* cuts, const NamedSplit* split,
                          const PayloadOptions& options) {
  const FormulaScope scope(source.model.file_bytes, FormulaScope::kUnlimited);
  Document document = new_document("payload");
  Cells symbols;
  for (const auto& symbol : source.inference.symbols)
    symbols.emplace_back(Members{
        {"name", symbol.name}, {"origin", symbol.origin}, {"needs_data", symbol.needs_data}});
  document.facts = {{"model", Members{{"path", FilePath{source.model.path}},
                                      {"graph_hash", graph_hash(source.model)}}},
                    {"symbols", std::move(symbols)}};
  document.notes = urgent_notes(source.inference.notes);
  if (source.costs.dequantizes)
    document.notes.emplace_back(
        fmt::format("quantized tensors count {}", source.costs.quantized.empty()
                                                      ? "in the types that the file stores"
                                                      : "as the integers that engines hold"));
  if (split != nullptr)
    document.sections.push_back(answer_section(options.best_cuts ? best_cuts_answer(source, *split)
                                                                 : split_answer(source, *split)));
  else if (options.best_cuts && cuts != nullptr)
    document.sections.push_back(
        answer_section(least_cut_answer(source, *cuts, options.why_no_split)));
  if (boundaries != nullptr) {
    document.tables.push_back(boundary_table(source, *boundaries, options));
    document.sections.push_back({.table = "boundaries"});
  }
  if (cuts != nullptr) {
    document.tables.push_back(cut_table(source, *cuts, options));
    document.sections.push_back({.table = "cuts"});
  }
  if (split != nullptr) add_split(source, *split, options, document);
  if (!document.notes.empty()) document.sections.push_back(notes_section(document.notes));
  return document;
}

std::string payload_to_json(const PayloadSource& source, const Boundaries* boundaries,
                            const Cuts* cuts, const NamedSplit* split,
                            const PayloadOptions& options) {
  return render_json(payload_document(source, boundaries, cuts, split, options));
}

}  // namespace strata
