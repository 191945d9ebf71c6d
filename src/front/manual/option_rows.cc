#include "manual/option_rows.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/embedded.h"

namespace strata::manual {

namespace {

constexpr std::pair<std::string_view, Quantity> kUnits[] = {
    {"seconds", Quantity::Seconds},
    {"time limit", Quantity::TimeLimit},
    {"bytes per second", Quantity::BytesPerSecond},
    {"flops per second", Quantity::FlopsPerSecond},
    {"per second", Quantity::PerSecond},
    {"bytes", Quantity::Bytes},
    {"share", Quantity::Share},
};

// Takes `start` off the text if that is how it starts.
bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

std::vector<std::string> split(std::string_view list, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != list.npos; list.remove_prefix(at + between.size())) {
    at = list.find(between);
    parts.emplace_back(list.substr(0, at));
    if (at == list.npos) break;
  }
  return parts;
}

bool add_unit(OptionRow& row, std::string_view name) {
  for (const auto& [known, unit] : kUnits)
    if (known == name) row.unit = unit;
  return row.unit.has_value();
}

bool add_range(OptionRow& row, std::string_view range) {
  constexpr std::string_view kTo = " to ";
  const std::size_t to = range.find(kTo);
  if (to == range.npos) return false;
  row.least = range.substr(0, to);
  row.most = range.substr(to + kTo.size());
  return true;
}

bool add_rule(OptionRow& row, std::string_view rule, bool excludes) {
  const std::size_t colon = rule.find(": ");
  if (colon == rule.npos) return false;
  row.rules.push_back(
      {split(rule.substr(0, colon), " or "), excludes, std::string(rule.substr(colon + 2))});
  return true;
}

// False if there is no such property.
bool add_property(OptionRow& row, std::string_view text) {
  if (take(text, "needs ")) return add_rule(row, text, false);
  if (take(text, "excludes ")) return add_rule(row, text, true);
  if (take(text, "unit ")) return add_unit(row, text);
  if (take(text, "from ")) return add_range(row, text);
  if (take(text, "one of "))
    row.words = split(text, ", ");
  else if (take(text, "group "))
    row.group = text;
  else if (take(text, "was "))
    row.was.emplace_back(text);
  else if (text == "required")
    row.required = true;
  else if (text == "not to standard output")
    row.only_file = true;
  else if (text == "list with commas")
    row.commas = true;
  else if (text == "takes the words that follow")
    row.several_words = true;
  else
    return false;
  return true;
}

// Reads one line after the other.
class Reader {
 public:
  Reader() { rows.reserve(32); }  // as many as most commands have

  bool read(std::string_view line) {
    if (line.empty()) common_ = {};
    if (line.empty() || line.starts_with('#')) return true;
    if (take(line, "- ")) return add_property(common_, line);
    const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (text.size() == line.size()) return start_row(line);
    return !rows.empty() && add_to_row(rows.back(), text);
  }

  std::vector<OptionRow> rows;

 private:
  bool start_row(std::string_view line) {
    OptionRow& row = rows.emplace_back(common_);
    const std::size_t space = std::min(line.find(' '), line.size());
    row.names = line.substr(0, space);
    if (space < line.size()) row.value = line.substr(space + 1);
    return true;
  }
  static bool add_to_row(OptionRow& row, std::string_view text) {
    if (take(text, "- ")) return add_property(row, text);
    if (!row.help.empty()) row.help += ' ';
    row.help += text;
    return true;
  }

  OptionRow common_;  // properties of all rows of the paragraph
};

}  // namespace

bool OptionRow::is_called(std::string_view name) const {
  if (names.ends_with(name))
    return names.size() == name.size() || names[names.size() - name.size() - 1] == ',';
  return names.starts_with(name) && names[name.size()] == ',';
}

Result<std::vector<OptionRow>> parse_option_rows(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!reader.read(line)) return failure(fmt::format("no row of an option: {}", line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(reader.rows);
}

const std::vector<OptionRow>& option_rows(std::string_view name) {
  static std::mutex one_at_a_time;  // programs may call the library from many threads
  static std::map<std::string, std::vector<OptionRow>, std::less<>> read;
  const std::lock_guard guard(one_at_a_time);
  const auto known = read.find(name);
  if (known != read.end()) return known->second;
  const auto text = embedded_file(fmt::format("data/options/{}.txt", name));
  return read.emplace(name, parse_option_rows(text.value_or("")).value()).first->second;
}

const OptionRow* find_row(const std::vector<OptionRow>& rows, std::string_view option) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const OptionRow& one) { return one.is_called(option); });
  return row == rows.end() ? nullptr : &*row;
}

OptionRow adapted(OptionRow shared, const OptionRow& own) {
  if (!own.help.empty()) shared.help = own.help;
  if (!own.value.empty()) shared.value = own.value;
  if (!own.group.empty()) shared.group = own.group;
  shared.was.insert(shared.was.end(), own.was.begin(), own.was.end());
  shared.rules.insert(shared.rules.end(), own.rules.begin(), own.rules.end());
  return shared;
}

}  // namespace strata::manual
