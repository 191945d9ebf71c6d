// The result of quantizing as a document. docs/quantization.md describes its facts and columns.
#include <cmath>

#include "report/quantize_text.h"
#include "report/verdict.h"

namespace strata {

namespace {

Cell latency_cell(const QuantizeOutcome& outcome) {
  const auto found = whole_speed_up(outcome);
  if (!found) return {};
  const bool known = std::isfinite(found->interval.high) && found->interval.low > 0;
  return Members{{"float_s", outcome.bench->variants[0].summary().median},
                 {"written_s", outcome.bench->variants[1].summary().median},
                 {"speed_up", known ? Cell(found->median) : Cell()},
                 {"interval", known ? Cell(found->interval) : Cell()}};
}

Cell answers_cell(const QuantizeOutcome& outcome) {
  const auto kept = outcome.kept_promise();
  const bool chosen = outcome.chosen_on > 0;
  const auto quality = [&](Quality what) { return score_of(what, outcome.got); };
  return Members{{"data", outcome.data},
                 {"samples", outcome.got.size()},
                 {"sqnr_db", quality(Quality::Sqnr)},
                 {"sqnr_interval_db", value_interval(Quality::Sqnr, outcome.got)},
                 {"promised_sqnr_db", score_of(Quality::Sqnr, outcome.promised)},
                 {"promised_sqnr_interval_db", value_interval(Quality::Sqnr, outcome.promised)},
                 {"kept_promise", kept},
                 {"chosen_on", chosen ? Cell(outcome.chosen_on) : Cell()},
                 {"judged_on_others", chosen ? Cell(outcome.judged_on_others) : Cell()},
                 {"cosine", quality(Quality::Cosine)},
                 {"top1_percent", quality(Quality::Top1)}};
}

Cell target_cell(const QuantizeOutcome& outcome) {
  if (!outcome.target) return {};
  return Members{{"min_sqnr_db", outcome.target->min_sqnr}, {"max_drop", outcome.target->max_drop}};
}

std::vector<std::string> notes_of(const QuantizeOutcome& outcome) {
  std::vector<std::string> notes;
  if (!outcome.not_judged.empty())
    notes.push_back("answers were not judged: " + outcome.not_judged);
  if (!outcome.not_looked.empty())
    notes.push_back(
        "the precision of the layers is unknown, including those that should stay in float: " +
        outcome.not_looked);
  if (!outcome.not_timed.empty()) notes.push_back("times were not measured: " + outcome.not_timed);
  return notes;
}

}  // namespace

Document quantize_document(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  Document document = new_document("quantization");
  document.facts = {{"complete", !outcome.interrupted},
                    {"warnings", list_cell(quantize_warnings(report))},
                    {"model", FilePath{report.model}},
                    {"graph_hash", report.hash},
                    {"output", FilePath{report.output}},
                    {"engine", report.engine},
                    {"ranges", report.ranges},
                    {"random_data", report.random_data},
                    {"random_weights", report.random_weights},
                    {"float_bytes", report.float_bytes},
                    {"int8_bytes", outcome.int8_bytes},
                    {"weight_bits", report.reduced_range ? 7 : 8},
                    {"int8_operators", outcome.int8_nodes},
                    {"target", target_cell(outcome)},
                    {"tried", outcome.tried},
                    {"answers", answers_cell(outcome)},
                    {"latency", latency_cell(outcome)},
                    {"disturbed", outcome.disturbed},
                    {"exclude", FilePath{report.exclude}},
                    {"nodes_to_exclude", list_cell(outcome.excluded)}};
  document.tables = {quantize_table(report), tensors_table(report)};
  document.notes = urgent_notes(notes_of(outcome));
  document.sections = {verdict_section(quantize_verdict(report)),
                       lines_section(quantize_head(report)),
                       {.table = "layers"},
                       notes_section(quantize_notes(report))};
  return document;
}

std::string quantize_text(const QuantizeReport& report, const TableStyle& style) {
  return render_table(quantize_document(report), style);
}

std::string quantize_csv(const QuantizeReport& report) {
  return render_csv(quantize_document(report));
}

std::string quantize_json(const QuantizeReport& report) {
  return render_json(quantize_document(report));
}

}  // namespace strata
