// The document of `strata llm --sweep`.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/llm_text.h"
#include "strata/base/number_text.h"
#include "strata/report/llm.h"

namespace strata {

namespace {

using llm::Answer;

double users_rate(const Answer& answer) {
  return answer.memory.fits() && answer.decode ? 1 / answer.decode->likely_s.value : 0;
}
double whole_rate(const Answer& answer) { return users_rate(answer) * answer.batch; }

std::string setup_text(const Answer& answer) {
  return fmt::format("{}, weights in {}, cache in {}, {} tokens, a batch of {}",
                     devices_text(answer), answer.weights.name, answer.cache_type,
                     tokens_text(answer.context), tokens_text(answer.batch));
}

std::string sweep_verdict(std::span<const Answer> answers) {
  const auto fitting = std::count_if(answers.begin(), answers.end(),
                                     [](const Answer& one) { return one.memory.fits(); });
  std::string out = fmt::format("{} of {} setups fit.", fitting, answers.size());
  const auto best = [&](double (*rate)(const Answer&)) {
    return *std::max_element(answers.begin(), answers.end(),
                             [&](const Answer& a, const Answer& b) { return rate(a) < rate(b); });
  };
  const Answer most = best(whole_rate), quickest = best(users_rate);
  if (whole_rate(most) <= 0) return out + "\n";
  if (most.batch <= 1 && quickest.batch <= 1)
    return out + fmt::format("\nMost tokens/s: {} ({}).\n",
                             range_text(rate_of(most.decode->likely_s, 1)), setup_text(most));
  out += fmt::format("\nMost tokens/s in all: {} ({}).",
                     range_text(rate_of(most.decode->likely_s, most.batch)), setup_text(most));
  out += fmt::format("\nMost tokens/s for one user: {} ({}).\n",
                     range_text(rate_of(quickest.decode->likely_s, 1)), setup_text(quickest));
  return out;
}

}  // namespace

Document llm_sweep_document(const llm::Network& network, std::span<const Answer> answers,
                            std::span<const std::string> refused) {
  Document document = new_document("llm");
  document.facts = {{"model", llm_model_facts(network)}};
  Table table{.name = "setups",
              .columns = {{"device", "Device"},
                          {.name = "count", .title = "Devices", .unit = Unit::Count},
                          {"weights", "Weights"},
                          {.name = "cache", .title = "Cache", .priority = 4},
                          {.name = "context", .title = "Context", .unit = Unit::Count},
                          {.name = "batch", .title = "Batch", .unit = Unit::Count},
                          {.name = "fits", .title = "Fits", .type = ColumnType::Truth},
                          {.name = "spare", .title = "Spare", .unit = Unit::Bytes, .priority = 2},
                          {.name = "longest_context",
                           .title = "Longest context",
                           .unit = Unit::Count,
                           .priority = 3},
                          {.name = "tokens_per_second",
                           .title = "Tokens/s",
                           .unit = Unit::Number,
                           .type = ColumnType::Estimate},
                          {.name = "tokens_per_second_each",
                           .title = "Each user",
                           .unit = Unit::Number,
                           .priority = 1,
                           .type = ColumnType::Estimate},
                          {.name = "first_token",
                           .title = "First token",
                           .unit = Unit::Seconds,
                           .priority = 5,
                           .type = ColumnType::Estimate}}};
  for (const Answer& one : answers) {
    const bool is_timed = one.memory.fits() && one.decode && one.prefill;
    table.rows.push_back(
        {.cells = {one.device, std::int64_t{one.count}, one.weights.name, one.cache_type,
                   std::llround(one.context), std::llround(one.batch), one.memory.fits(),
                   std::llround(one.memory.spare()),
                   one.longest_context >= llm::kEndless ? Cell()
                                                        : Cell(std::llround(one.longest_context)),
                   is_timed ? Cell(rate_of(one.decode->likely_s, one.batch)) : Cell(),
                   is_timed ? Cell(rate_of(one.decode->likely_s, 1)) : Cell(),
                   is_timed ? Cell(one.prefill->likely_s) : Cell()}});
  }
  document.tables.push_back(std::move(table));
  document.notes = plain_notes(network.notes);
  for (const std::string& why : refused)
    document.notes.push_back(fmt::format("setups without a row: {}", why));
  document.sections = {
      lines_section(sweep_verdict(answers)), {.table = "setups"}, notes_section(document.notes)};
  document.sections[0].paragraph = true;
  return document;
}

}  // namespace strata
