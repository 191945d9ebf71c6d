#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "strata/profile/columns.h"

namespace strata {

namespace {

// Shares that stand beside their column in the usual table.
constexpr std::string_view kUsualShares[] = {"params", "macs", "time"};

// Returns the request that would bring such a number.
std::string_view word_for(Need need) {
  switch (need) {
    case Need::Time:
      return "time";
    case Need::Memory:
      return "memory";
    case Need::Roofline:
      return "roofline";
    case Need::Kernels:
      return "view";
    case Need::CudaMemory:
      return "pytorch-cuda";
    case Need::Alive:
      return "arena";
    case Need::Formulas:
      return "format html";
    default:
      return "an analysis that counts it";
  }
}

bool is_of_device(Need need) { return need == Need::CudaMemory || need == Need::Alive; }

// A metric that the convention does not count is an empty cell, and no reason to refuse.
Needs lacking(const ColumnRule& rule, Needs has) {
  return rule.needs.without(has | Needs::counted());
}

const ColumnRule* find(std::string_view name) {
  for (const ColumnRule& rule : column_rules())
    if (rule.name == name) return &rule;
  return nullptr;
}

Result<ChosenColumn> parse_one(std::string_view word, Needs has) {
  const bool share = word.ends_with('%');
  if (share) word.remove_suffix(1);
  const ColumnRule* rule = find(word);
  if (rule == nullptr)
    return failure(
        Code::NoColumn, {.name = std::string(word)},
        fmt::format("there is no column \"{}\"{}; columns are: {} (NAME% for a share)", word,
                    did_you_mean(word, column_names()), fmt::join(column_names(), ", ")));
  const Needs lacks = lacking(*rule, has);
  if (lacks.has(Need::Phases))
    return failure(fmt::format("column \"{}\" needs a recording of a training step, which "
                               "strata.stat(module, inputs, backward=True) makes in Python",
                               word),
                   ErrorKind::Usage);
  if (!lacks.empty())
    return failure(is_of_device(lacks.first()) ? Code::ColumnOfDevice : Code::ColumnNeeds,
                   {.name = std::string(word), .wanted = std::string(word_for(lacks.first()))});
  if (share && !rule->additive)
    return failure(fmt::format("column \"{}\" has no total, so no share \"{}%\"", word, word),
                   ErrorKind::Usage);
  return ChosenColumn{rule, share};
}

std::vector<ChosenColumn> usual_columns(bool all, Needs has, bool optimized) {
  const bool measured = has.has(Need::Time) || has.has(Need::Memory);
  std::vector<ChosenColumn> chosen;
  for (const ColumnRule& rule : column_rules()) {
    if (!lacking(rule, has).empty()) continue;
    const bool usual =
        rule.usual || (rule.of_calls && measured) || (rule.of_optimized && optimized);
    if (!all && !usual) continue;
    chosen.push_back({&rule, false});
    const bool share = std::find(std::begin(kUsualShares), std::end(kUsualShares), rule.name) !=
                       std::end(kUsualShares);
    if (share && !all) chosen.push_back({&rule, true});
  }
  return chosen;
}

}  // namespace

Needs needs_of(std::span<const ChosenColumn> columns) {
  Needs needs;
  for (const ChosenColumn& column : columns) needs |= column.rule->needs;
  return needs;
}

Needs needs_of(const ProfileView& view) {
  const auto columns = choose_columns(view.columns, view.all_columns, Needs::all());
  if (!columns || !view.layout.empty()) return Needs::all();
  Needs needs = needs_of(*columns);
  if (view.sort.empty()) return needs;
  const std::string_view by = view.sort;
  const auto sorted = choose_columns(by.substr(by.starts_with('-') ? 1 : 0), false, Needs::all());
  return sorted ? needs | needs_of(*sorted) : Needs::all();
}

Result<std::vector<ChosenColumn>> choose_columns(std::string_view spec, bool all, Needs has,
                                                 bool optimized, Needs missed) {
  const bool changes = spec.starts_with('+') || spec.starts_with('-');
  std::vector<ChosenColumn> chosen;
  if (spec.empty() || changes) chosen = usual_columns(all, has, optimized);
  while (!spec.empty()) {
    const std::size_t comma = std::min(spec.find(','), spec.size());
    std::string_view word = spec.substr(0, comma);
    spec.remove_prefix(std::min(comma + 1, spec.size()));
    const bool remove = word.starts_with('-');
    if (remove || word.starts_with('+')) word.remove_prefix(1);
    auto column = parse_one(word, has | missed);
    if (!column) return failure(column);
    column->asked = true;
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const ChosenColumn& c) {
      return c.rule == column->rule && c.share == column->share;
    });
    if (changes && !remove && same != chosen.end()) {  // it stays beside its share
      same->asked = true;
      continue;
    }
    std::erase_if(chosen, [&](const ChosenColumn& c) {
      return c.rule == column->rule && (c.share == column->share || (remove && !column->share));
    });
    if (!remove) chosen.push_back(*column);
  }
  if (chosen.empty()) return failure(Code::NoColumn, {}, "no column is left to show");
  return chosen;
}

}  // namespace strata
