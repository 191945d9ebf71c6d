#include "compare/prediction.h"

#include "base/json_fields.h"
#include "base/json_text.h"

namespace strata::compare {

namespace {

using Json = JsonFields::Json;

constexpr int kDeepestPrediction = 10;
constexpr std::size_t kMaxPredictionBytes = std::size_t{1} << 28;

class PredictionReader : JsonFields {
 public:
  explicit PredictionReader(std::string_view label) : JsonFields("prediction", label) {}

  Result<Side> read(const Json& json, std::string_view label) {
    if (!json.is_object()) return failed("is not a JSON object");
    Side side{.label = std::string(label), .kind = "prediction"};
    const Json& tables = object(json, "tables");
    std::vector<SideRow> devices;
    list(
        object(tables, "devices"), "rows",
        [&](const Json& item, const std::string& where) {
          if (!item.is_object()) return wrong(where, "is not an object");
          SideRow& row = devices.emplace_back();
          row.name = text(item, "device", where);
          row.type = text(item, "precision", where);
          set_latency(row, item, "latency", "latency_interval", where);
        },
        true);
    if (devices.size() == 1) {
      side.settings = {{"device", devices.front().name}, {"precision", devices.front().type}};
      side.totals = devices.front().figures;
      read_kernels(object(tables, "kernels"), side);
    } else {
      side.rows_are = "devices";
      side.in_running_order = false;
      side.rows = std::move(devices);
    }
    if (!good()) return failed();
    return side;
  }

 private:
  void set_latency(SideRow& row, const Json& item, const char* key, const char* interval,
                   std::string_view where) {
    const auto seconds = real_if_any(item, key, where);
    if (!seconds) return;
    std::optional<Interval> ends;
    const Json* pair = interval != nullptr ? at(item, interval) : nullptr;
    if (pair != nullptr && pair->is_array() && pair->size() == 2 && (*pair)[0].is_number() &&
        (*pair)[1].is_number())
      ends = Interval{(*pair)[0].get<double>(), (*pair)[1].get<double>()};
    compare::at(row.figures, Measure::Latency) = real_figure(*seconds, ends);
  }

  // A layer may run as several kernels, one after the other.
  void read_kernels(const Json& table, Side& side) {
    list(
        table, "rows",
        [&](const Json& item, const std::string& where) {
          if (!item.is_object()) return wrong(where, "is not an object");
          SideRow row;
          row.name = text(item, "layer", where);
          row.type = text(item, "class", where);
          // The interval of a kernel is an assumption, and as wide for every device.
          set_latency(row, item, "time", nullptr, where);
          if (const auto macs = real_if_any(item, "macs", where))
            compare::at(row.figures, Measure::Macs) = real_figure(*macs);
          if (!side.rows.empty() && side.rows.back().name == row.name && !row.name.empty())
            for (std::size_t i = 0; i < kMeasures; ++i)
              side.rows.back().figures[i] = sum_of(side.rows.back().figures[i], row.figures[i]);
          else
            side.rows.push_back(std::move(row));
        },
        true);
  }
};

}  // namespace

Result<Side> read_prediction(std::string_view json, std::string_view label) {
  if (json.size() > kMaxPredictionBytes)
    return JsonFields("prediction", label)
        .failed(fmt::format("it is larger than {} MiB", kMaxPredictionBytes >> 20));
  const Json parsed = json_from_text(json, kDeepestPrediction);
  if (parsed.is_discarded()) return JsonFields("prediction", label).failed("it is not JSON");
  return PredictionReader(label).read(parsed, label);
}

}  // namespace strata::compare
