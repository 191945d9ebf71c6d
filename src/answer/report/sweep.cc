#include "strata/report/sweep.h"
#include "base/visible.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string processors_text(const SweepResults& results) {
  if (results.processors.size() < 2) return "";
  return fmt::format("Measured on {} kinds of processor: compare rows of one model, not models.\n",
                     results.processors.size());
}

std::string failed_text(const SweepResults& results) {
  std::string text;
  for (const std::string& failed : results.failed)
    text += fmt::format("failed: {}\n", visible(failed));
  return text;
}

}  // namespace

Document sweep_document(const SweepResults& results) {
  Document document = bench_document(results.run);
  document.kind = "sweep";
  document.facts.push_back({"failed", list_cell(results.failed)});
  document.facts.push_back({"processors", list_cell(results.processors)});
  if (results.run.groups.empty()) document.sections.clear();
  for (std::string text : {processors_text(results), failed_text(results)}) {
    document.sections.push_back(lines_section(std::move(text)));
    document.sections.back().paragraph = true;
  }
  return document;
}

std::string sweep_to_table(const SweepResults& results, const TableStyle& style) {
  return render_table(sweep_document(results), style);
}

std::string sweep_to_markdown(const SweepResults& results) {
  return render_markdown(sweep_document(results));
}

std::string sweep_to_csv(const SweepResults& results) {
  return render_csv(sweep_document(results));
}

}  // namespace strata
