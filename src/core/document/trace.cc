#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/visible.h"
#include "document/other_tools.h"
#include "document/row_values.h"
#include "document/slices.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kProcess = 1, kThread = 1;

// Microseconds, with nanoseconds after the point. Some versions of Perfetto cut off what is
// left of a nanosecond, so that a number that is a little small would end a module before its last
// layer, which is then not shown.
double microseconds(std::int64_t ns) {
  double out = static_cast<double>(ns) / 1000;
  while (std::floor(out * 1000) < static_cast<double>(ns))
    out = std::nextafter(out, std::numeric_limits<double>::infinity());
  return out;
}

// Counts without a point.
Json plain(double number) {
  constexpr double kMostExact = 9007199254740992;
  const bool whole = number == std::floor(number) && std::abs(number) <= kMostExact;
  return whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
}

// The values of a row, by the names of its columns.
Json args_of(const Table& table, const TableRow& row) {
  Json args = Json::object();
  for (const char* name : {"type", "input", "output", "in_kernel_of", "runs_in"})
    if (const std::string text = text_of(table, row, name); !text.empty())
      args[name] = visible(text);
  for (const char* name : {"params", "macs", "flops", "read", "write", "time"})
    if (const auto number = number_of(table, row, name)) args[name] = plain(*number);
  return args;
}

Json event(std::string_view name, const char* phase, std::int64_t ns) {
  return {{"name", visible(name)},
          {"ph", phase},
          {"ts", microseconds(ns)},
          {"pid", kProcess},
          {"tid", kThread}};
}

class Writer {
 public:
  explicit Writer(Sink& sink) : sink_(sink) {}
  void put(const Json& json) {
    if (status_) status_ = sink_.write((first_ ? "\n" : ",\n") + json_text(json, -1));
    first_ = false;
  }
  void raw(std::string_view text) {
    if (status_) status_ = sink_.write(text);
  }
  Status status() const { return status_; }

 private:
  Sink& sink_;
  bool first_ = true;
  Status status_;
};

void put_slice(const Table& table, const Slice& slice, Writer& out) {
  Json json = event(slice.name, "X", slice.start_ns);
  json["dur"] = microseconds(slice.end_ns - slice.start_ns);
  json["cat"] = slice.row == nullptr ? "module" : "layer";
  if (slice.row != nullptr) json["args"] = args_of(table, *slice.row);
  out.put(json);
}

void put_instant(const Table& table, const Untimed& untimed, Writer& out) {
  Json json = event(text_of(table, *untimed.row, "layer"), "i", untimed.at_ns);
  json["s"] = "t";
  json["cat"] = "no time of its own";
  json["args"] = args_of(table, *untimed.row);
  out.put(json);
}

void put_memory(const Slices& slices, Writer& out) {
  const Table& table = *slices.table;
  const auto put = [&](std::int64_t ns, double bytes) {
    Json json = event("memory of activations", "C", ns);
    json["args"] = {{"bytes", bytes}};
    out.put(json);
  };
  bool any = false;
  for (const Slice& slice : slices.all) {
    if (slice.row == nullptr) continue;
    auto bytes = number_of(table, *slice.row, "alive");
    if (!bytes) bytes = number_of(table, *slice.row, "mem_held");
    if (!bytes) continue;
    put(slice.start_ns, *bytes);
    any = true;
  }
  if (any) put(slices.end_ns, 0);
}

}  // namespace

Status write_trace(const Document& document, const TableStyle&, Sink& sink) {
  const auto slices = slices_of(document);
  if (!slices) return failure(slices);
  Writer out(sink);
  out.raw(
      "{\"otherData\":" + json_text(Json{{"tool", document.tool + " " + document.version}}, -1) +
      ",\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  for (const auto& [what, name] : {std::pair("process_name", "network"),
                                   std::pair("thread_name", "layers, median times of a run")}) {
    Json json = event(what, "M", 0);
    json["args"] = {{"name", name}};
    out.put(json);
  }
  // At the same moment the order of the file counts: an instant that came after the next layer's
  // slice would be shown inside of it.
  auto untimed = slices->untimed.begin();
  for (std::size_t i = 0; i <= slices->all.size(); ++i) {
    for (; untimed != slices->untimed.end() && untimed->before == i; ++untimed)
      put_instant(*slices->table, *untimed, out);
    if (i < slices->all.size()) put_slice(*slices->table, slices->all[i], out);
  }
  put_memory(*slices, out);
  out.raw("\n]}\n");
  return out.status();
}

}  // namespace strata
