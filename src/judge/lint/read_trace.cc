// Chrome's format of traces, which Kineto (torch's profiler) writes too. What begins and ends
// within another event of the same thread is a part of it. Calls of one name, with the same input
// shapes and below the same event, are one row.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "lint/number.h"
#include "lint/readers.h"
#include "lint/shape.h"

namespace strata::lint {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kDeepest = 8;
constexpr double kMicrosecond = 1e-6;
constexpr std::size_t kMaxNesting = 1000;

struct Event {
  std::string name, thread;
  double start = 0, end = 0;  // seconds
  std::vector<ClaimShape> inputs;
};

std::optional<double> real(const Json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string word(const Json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end()) return {};
  return found->is_string() ? found->get<std::string>() : json_text(*found, -1);
}

std::vector<ClaimShape> inputs_of(const Json& event) {
  std::vector<ClaimShape> shapes;
  const auto args = event.find("args");
  if (args == event.end() || !args->is_object()) return shapes;
  const auto dims = args->find("Input Dims");
  if (dims == args->end() || !dims->is_array()) return shapes;
  for (const Json& list : *dims) {
    if (!list.is_array() || list.empty()) continue;
    ClaimShape shape;
    for (const Json& size : list)
      if (size.is_number_integer() && size.get<std::int64_t>() >= 0)
        shape.push_back(size.get<std::int64_t>());
    if (shape.size() == list.size()) shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::vector<Event> events_of(const Json& list) {
  std::vector<Event> events;
  for (const Json& item : list) {
    if (!item.is_object() || word(item, "ph") != "X") continue;
    const auto start = real(item, "ts"), length = real(item, "dur");
    if (!start || !length || *length < 0) continue;
    events.push_back({word(item, "name"), word(item, "pid") + "/" + word(item, "tid"),
                      *start * kMicrosecond, (*start + *length) * kMicrosecond, inputs_of(item)});
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(std::string_view(a.thread), a.start, -a.end) <
           std::tuple(std::string_view(b.thread), b.start, -b.end);
  });
  return events;
}

ClaimTable table_of(const std::vector<Event>& events) {
  ClaimTable table;
  table.own_work = true;
  table.columns = {
      {.title = "dur", .meaning = Meaning::Seconds, .statistic = Statistic::Sum, .unit = "us"},
      {.title = "calls", .meaning = Meaning::Samples}};
  using Key =
      std::tuple<std::optional<std::size_t>, std::string, std::string, std::vector<ClaimShape>>;
  std::map<Key, std::size_t> rows;
  std::vector<std::pair<double, std::size_t>> open;  // ends, and rows
  std::string_view thread;
  for (const Event& event : events) {
    if (event.thread != thread) open.clear();
    thread = event.thread;
    while (!open.empty() && open.back().first < event.end) open.pop_back();
    std::optional<std::size_t> parent;
    if (!open.empty()) parent = open.back().second;
    const auto [at, is_new] =
        rows.emplace(Key{parent, event.thread, event.name, event.inputs}, table.rows.size());
    if (is_new)
      table.rows.push_back({.name = event.name,
                            .type = event.name,
                            .inputs = event.inputs,
                            .parent = parent,
                            .numbers = {ClaimNumber{}, ClaimNumber{}}});
    ClaimRow& row = table.rows[at->second];
    row.samples.push_back(event.end - event.start);
    row.numbers[0]->value += event.end - event.start;
    row.numbers[1]->value += 1;
    if (open.size() < kMaxNesting) open.emplace_back(event.end, at->second);
  }
  return table;
}

}  // namespace

bool looks_like_trace(std::string_view text) {
  const std::string_view start = text.substr(0, std::size_t{1} << 16);
  const std::string_view first = trimmed(start);
  return (first.starts_with('[') || first.starts_with('{')) &&
         (start.find("\"traceEvents\"") != start.npos || start.find("\"ph\"") != start.npos);
}

Result<Claims> read_trace(std::string_view text) {
  const Json json = json_from_text(text, kDeepest);
  const Json* list = &json;
  if (json.is_object()) {
    const auto found = json.find("traceEvents");
    if (found == json.end()) return failure("it has no list \"traceEvents\"");
    list = &*found;
  }
  if (!list->is_array()) return failure("it is not JSON, or has no list of events");
  Claims claims;
  claims.tables.push_back(table_of(events_of(*list)));
  if (claims.tables.front().rows.empty()) return failure("it has no event with a duration");
  return claims;
}

}  // namespace strata::lint
