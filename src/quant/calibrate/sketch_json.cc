#include "calibrate/sketch_json.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "calibrate/packed_counts.h"
#include "calibrate/sketch_state.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// JSON has no infinity, so it is null if there are no finite elements.
Json number(float value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Result<std::uint64_t> count_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return 0;
  if (!found->is_number_unsigned())
    return failure(fmt::format("a \"{}\" that is not a count", key));
  return found->get<std::uint64_t>();
}

// The float that was written; `none` for null.
Result<float> float_of(const Json& value, const char* key, float none) {
  if (value.is_null()) return none;
  const double wide =
      value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
  if (!(std::abs(wide) <= std::numeric_limits<float>::max()))
    return failure(fmt::format("a \"{}\" that is not a number of 32 bits", key));
  return static_cast<float>(wide);
}

Result<std::vector<float>> floats_at(const Json& json, const char* key, float none) {
  std::vector<float> values;
  const auto found = json.find(key);
  if (found == json.end()) return values;
  if (!found->is_array()) return failure(fmt::format("a \"{}\" that is not a list", key));
  for (const Json& item : *found) {
    const auto value = float_of(item, key, none);
    if (!value) return failure(value);
    values.push_back(*value);
  }
  return values;
}

}  // namespace

Json sketch_to_json(const Sketch& sketch) {
  const SketchParts& parts = sketch.parts();
  Json json = {{"count", sketch.count()}, {"zeros", parts.zeros}};
  if (parts.nans != 0) json["nans"] = parts.nans;
  if (parts.positive_infinities != 0) json["positive_infinities"] = parts.positive_infinities;
  if (parts.negative_infinities != 0) json["negative_infinities"] = parts.negative_infinities;
  json["min"] = number(parts.min);
  json["max"] = number(parts.max);
  json["bins"] = packed_counts(parts.counters);
  if (!parts.channel_min.empty()) {
    json["channel_min"] = Json::array();
    json["channel_max"] = Json::array();
    for (const float value : parts.channel_min) json["channel_min"].push_back(number(value));
    for (const float value : parts.channel_max) json["channel_max"].push_back(number(value));
  }
  return json;
}

Result<Sketch> sketch_from_json(const Json& json) {
  if (!json.is_object()) return failure("a \"sketch\" that is not an object");
  SketchParts parts;
  std::uint64_t count = 0;
  const std::pair<const char*, std::uint64_t*> counts[] = {
      {"count", &count},
      {"zeros", &parts.zeros},
      {"nans", &parts.nans},
      {"positive_infinities", &parts.positive_infinities},
      {"negative_infinities", &parts.negative_infinities}};
  for (const auto& [key, target] : counts) {
    const auto value = count_at(json, key);
    if (!value) return failure(value);
    *target = *value;
  }
  for (const auto& [key, target] : {std::pair("min", &parts.min), std::pair("max", &parts.max)}) {
    const auto found = json.find(key);
    if (found == json.end()) return failure(fmt::format("no \"{}\"", key));
    const auto value = float_of(*found, key, *target);
    if (!value) return failure(value);
    *target = *value + 0.0F;  // no negative zero
  }
  const auto bins = json.find("bins");
  if (bins == json.end() || !bins->is_string()) return failure("no text \"bins\"");
  auto counters = unpacked_counts(bins->get_ref<const std::string&>());
  if (!counters) return failure(counters);
  parts.counters = std::move(*counters);
  auto low = floats_at(json, "channel_min", kInfinity);
  if (!low) return failure(low);
  auto high = floats_at(json, "channel_max", -kInfinity);
  if (!high) return failure(high);
  parts.channel_min = std::move(*low);
  parts.channel_max = std::move(*high);

  auto sketch = Sketch::from_parts(std::move(parts));
  if (sketch && sketch->count() != count)
    return failure(
        fmt::format("a \"count\" of {} and {} elements in its bins", count, sketch->count()));
  return sketch;
}

}  // namespace strata
