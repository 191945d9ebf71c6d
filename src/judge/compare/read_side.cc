// A saved document as a side. Anybody may have written it.
#include <algorithm>

#include "base/file_form.h"
#include "base/in_quotes.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "compare/plain_profile.h"
#include "compare/prediction.h"
#include "read/recording/reader.h"
#include "strata/compare/side.h"

namespace strata::compare {

namespace {

using Json = JsonFields::Json;

constexpr int kDeepest = 10;
constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
constexpr std::int64_t kSensitivitySchema = 2;

// The layers of a sensitivity, with the quality that is left when each is rounded.
class SensitivityReader : JsonFields {
 public:
  explicit SensitivityReader(std::string_view label) : JsonFields("sensitivity", label) {}

  Result<Side> read(const Json& json, std::string_view label) {
    if (!json.is_object()) return failed("is not a JSON object");
    const std::int64_t schema = whole(json, "schema", "it", true);
    if (good() && schema != kSensitivitySchema)
      wrong("it",
            fmt::format("has schema {}, and this strata compares {}", schema, kSensitivitySchema));
    Side side{.label = std::string(label), .kind = "sensitivity", .rows_are = "layers"};
    const Json& facts = object(json, "facts");
    for (const char* key : {"metric", "engine", "data", "ranges"})
      if (std::string value = text(facts, key); !value.empty())
        side.settings.emplace_back(key, std::move(value));
    for (const char* key : {"weight_bits", "activation_bits", "samples"})
      if (at(facts, key) != nullptr)
        side.settings.emplace_back(key, fmt::format("{}", whole(facts, key)));
    pairs(json, "machine", side.machine);
    compare::at(side.totals, Measure::Quality) =
        quality(object(facts, "joint"), "interval", "its joint");
    read_layers(object(object(json, "tables"), "layers"), side);
    if (!good()) return failed();
    return side;
  }

 private:
  Figure quality(const Json& from, const char* interval_key, std::string_view where) {
    const auto value = real_or_infinity(from, "value", where);
    if (!value) return {};
    const Json* ends = at(from, interval_key);
    if (ends == nullptr || !ends->is_array() || ends->size() != 2) return real_figure(*value);
    const auto low = real_number((*ends)[0]), high = real_number((*ends)[1]);
    return real_figure(*value, low && high ? std::optional(Interval{*low, *high}) : std::nullopt);
  }

  // They are saved in their ranking.
  void read_layers(const Json& table, Side& side) {
    std::vector<std::pair<std::int64_t, SideRow>> rows;
    list(
        table, "rows",
        [&](const Json& item, const std::string& where) {
          if (!item.is_object()) return wrong(where, "is not an object");
          SideRow row;
          row.name = text(item, "layer", where);
          row.type = text(item, "operators", where);
          compare::at(row.figures, Measure::Quality) = quality(item, "value_interval", where);
          rows.emplace_back(whole(item, "index", where), std::move(row));
        },
        true);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [index, row] : rows) side.rows.push_back(std::move(row));
  }
};

}  // namespace

bool looks_like_document(std::string_view bytes) {
  const std::size_t start = bytes.substr(0, 64).find_first_not_of(" \t\r\n");
  return start != bytes.npos && bytes[start] == '{' && !recording::looks_like_recording(bytes);
}

Result<Side> read_side(std::string_view json, std::string_view label) {
  const std::string_view kind = json_kind(json.substr(0, 4096));
  if (kind == "bench" || json.substr(0, 256).find("\"kind\": \"bench\"") != json.npos) {
    const auto run = bench_from_json(json, label);
    if (!run) return failure(run);
    return side_of(*run, std::string(label));
  }
  if (kind == "sensitivity") {
    if (json.size() > kMaxBytes)
      return JsonFields(kind, label)
          .failed(fmt::format("it is larger than {} MiB", kMaxBytes >> 20));
    const Json parsed = json_from_text(json, kDeepest);
    if (parsed.is_discarded()) return JsonFields(kind, label).failed("it is not JSON");
    return SensitivityReader(label).read(parsed, label);
  }
  if (kind == "prediction") return read_prediction(json, label);
  if (!kind.empty() && kind != "profile")
    return failure(
        Code::NotProfile, {.file = std::string(label)},
        fmt::format("{}: a document of kind {} has nothing to compare", label, in_quotes(kind)));
  if (auto side = read_plain_profile(json, label)) return std::move(*side);
  const auto profile = profile_from_json(json, label);
  if (!profile) return failure(profile);
  if (profile->rows.size() > most_rows(json.size()))
    return JsonFields("profile", label).failed("it has more rows than its size allows");
  return side_of(*profile, std::string(label));
}

}  // namespace strata::compare
