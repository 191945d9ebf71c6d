#include "strata/report/weights.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "report/weights_rows.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

std::string text_of(std::uint64_t number, const TableStyle& style) {
  return style.exact || number < 1000 ? grouped(static_cast<std::int64_t>(number))
                                      : human(static_cast<double>(number));
}

std::string bits_text(double bits) { return fmt::format("{:.4g}", bits); }

std::string with_number(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", grouped(static_cast<std::int64_t>(count)), what,
                     count == 1 ? "" : "s");
}

// `bf16 and f32`, the one with most elements first.
std::string types_text(const Weights& weights) {
  const std::vector<std::string> types = types_of(weights);
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(types.size(), kNamed); ++i)
    named.push_back(visible(types[i]));
  return fmt::format("{}{}", fmt::join(named, ", "), types.size() > kNamed ? ", …" : "");
}

std::string headline(const Weights& weights, const WeightTotals& totals, const TableStyle& style) {
  const std::string bytes = style.exact
                                ? grouped(static_cast<std::int64_t>(totals.bytes)) + " bytes"
                                : human_bytes(static_cast<double>(totals.bytes));
  std::string text =
      fmt::format("{}{}: {} parameters in {}, {}", weights.format,
                  weights.quantization.empty() ? "" : " " + visible(weights.quantization),
                  text_of(totals.params, style), with_number(totals.tensors, "tensor"), bytes);
  if (const double bits = totals.bits_per_weight(); bits > 0)
    text += fmt::format(", {} bits per weight ({})", bits_text(bits), types_text(weights));
  if (weights.files.size() > 1)
    text += fmt::format(", {}", with_number(weights.files.size(), "file"));
  return text + ".\n";
}

std::vector<std::string> notes_of(const Weights& weights, const WeightTotals& totals) {
  std::vector<std::string> notes = {
      "The file has weights and no graph, so no costs are known: no MACs, no activations."};
  if (totals.statistics > 0)
    notes.push_back(
        fmt::format("{} elements are running statistics of norms, which are stored but are "
                    "no parameters.",
                    grouped(static_cast<std::int64_t>(totals.statistics))));
  if (totals.shared > 0)
    notes.push_back(fmt::format(
        "{} the elements of another one and {} counted once.",
        totals.shared == 1 ? "1 tensor shares" : fmt::format("{} tensors share", totals.shared),
        totals.shared == 1 ? "is" : "are"));
  if (const std::size_t integers = integer_matrices(weights); integers > 0)
    notes.push_back(
        fmt::format("{} integers; if several weights are packed into one, there are more "
                    "weights than elements.",
                    integers == 1 ? "1 matrix holds" : fmt::format("{} matrices hold", integers)));
  for (const std::string& note : weights.notes) notes.push_back(note + ".");
  return notes;
}

Members facts_of(const Weights& weights, const WeightTotals& totals, const WeightsView& view) {
  Cells files;
  for (const std::string& file : weights.files) files.emplace_back(FilePath{file});
  Members properties;
  for (const auto& [name, value] : weights.properties) properties.push_back({name, value});
  return {{"file", FilePath{weights.path}},
          {"format", weights.format},
          {"quantization", weights.quantization.empty() ? Cell() : Cell(weights.quantization)},
          {"files", std::move(files)},
          {"file_bytes", weights.file_bytes},
          {"report", name_of(view.report)},
          {"tensors", totals.tensors},
          {"shared_tensors", totals.shared},
          {"params", totals.params},
          {"statistics", totals.statistics},
          {"param_bytes", totals.bytes},
          {"bits_per_weight",
           totals.params + totals.statistics == 0 ? Cell() : Cell(totals.bits_per_weight())},
          {"properties", std::move(properties)}};
}

}  // namespace

Document weights_document(const Weights& weights, const WeightsView& view) {
  Document document = new_document("weights");
  const WeightTotals totals = totals_of(weights);
  document.facts = facts_of(weights, totals, view);
  document.notes = plain_notes(notes_of(weights, totals));
  document.sections = {
      {.lines = [text = headline(weights, totals, {}),
                 exact = headline(weights, totals, {.exact = true})](
                    const TableStyle& style) { return style.exact ? exact : text; },
       .paragraph = true,
       .answer = true}};
  document.tables.push_back(weights_table(weights, view));
  if (view.report != ReportKind::None) document.sections.push_back({.table = "weights"});
  document.sections.push_back(notes_section(document.notes));
  return document;
}

}  // namespace strata
