// Budgets in one line.
#include <fmt/format.h>

#include "base/in_quotes.h"
#include "check/parse_entry.h"

namespace strata::budget {

namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Result<Budget> parse_one(std::string_view text) {
  // A name may have any sign in it.
  if (text.starts_with("no:") && text.size() > 3 && text.find('=') == text.npos)
    return ban_of(text.substr(3));
  // `macs<320M`, `macs<=320M` and `macs=320M` are the same upper limit.
  const std::size_t sign = text.find_last_of("<>=");
  if (sign != text.npos && (text[sign] == '>' || (sign > 0 && text[sign - 1] == '>')))
    return failure(
        fmt::format("{} is a lower limit, and budgets are upper limits: write macs<320M; context, "
                    "batch and speed of language models have lower limits",
                    in_quotes(text)),
        ErrorKind::Usage);
  if (sign == text.npos)
    return failure(
        fmt::format("{} is not a budget: write macs=320M, features.*:macs=10M, no:Einsum or "
                    "unknown=0",
                    in_quotes(text)),
        ErrorKind::Usage);
  const bool is_two = text[sign] == '=' && sign > 0 && text[sign - 1] == '<';
  std::string_view key = trimmed(text.substr(0, sign - (is_two ? 1 : 0)));
  const std::size_t colon = key.rfind(':');
  const std::string_view scope = colon == key.npos ? "" : key.substr(0, colon);
  if (colon != key.npos) key.remove_prefix(colon + 1);
  auto budget = parse_entry(key, trimmed(text.substr(sign + 1)));
  if (!budget) return failure(budget);
  budget->scope = scope;
  if (!scope.empty()) budget->text = fmt::format("{}: {}", scope, budget->text);
  return budget;
}

}  // namespace

Result<Budgets> parse_budgets(std::string_view line) {
  Budgets out;
  while (true) {
    const std::size_t comma = std::min(line.find(','), line.size());
    auto budget = parse_one(trimmed(line.substr(0, comma)));
    if (!budget) return failure(coded(Code::OptionValue, {.name = "budget"}, budget.error()));
    out.list.push_back(std::move(*budget));
    if (comma == line.size()) return out;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace strata::budget
