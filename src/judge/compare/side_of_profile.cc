// A counted or a saved profile as a side.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/plain_profile.h"
#include "strata/compare/side.h"

namespace strata::compare {

namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

struct Places {
  explicit Places(const Profile& profile) : profile_(profile) {
    for (const MeasureFacts& facts : measures()) {
      const std::size_t place = find(facts.name);
      if (facts.of_rows && place != kAbsent) of_measures.emplace_back(facts.measure, place);
    }
  }
  std::size_t find(std::string_view name) const {
    for (std::size_t i = 0; i < profile_.columns.size(); ++i)
      if (profile_.columns[i].name == name) return i;
    return kAbsent;
  }

  std::vector<std::pair<Measure, std::size_t>> of_measures;

 private:
  const Profile& profile_;
};

std::string text_at(const ProfileRow& row, std::size_t place) {
  if (place == kAbsent) return {};
  const auto* text = std::get_if<std::string>(&row.cells[place].value);
  return text == nullptr ? std::string() : *text;
}

std::optional<double> real_at(const ProfileRow& row, std::size_t place) {
  return place == kAbsent ? std::nullopt : figure_of(row.cells[place]).number();
}

std::string inputs_text(const Profile& profile) {
  std::string out;
  for (const auto& input : profile.model.inputs)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", input.dtype, input.shape);
  return out;
}

std::vector<std::pair<std::string, std::string>> settings_of(const Profile& profile) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) out.emplace_back(name, std::move(value));
  };
  add("inputs", inputs_text(profile));
  add("convention", profile.convention);
  add("energy model", profile.energy_model);
  if (profile.load_work)
    add("work on constants", profile.load_work->in_totals ? "in the totals" : "apart");
  if (!profile.memory.reading.empty())
    add("quantized tensors",
        profile.memory.reading == Profile::kAsStored ? "as stored" : "as integers");
  if (profile.timing) {
    add("engine", profile.timing->engine);
    add("view", profile.timing->view);
    add("threads", fmt::format("{}", profile.timing->threads));
  }
  return out;
}

bool is_in_running_order(const Profile& profile) {
  const auto sorted =
      std::find_if(profile.options.begin(), profile.options.end(),
                   [](const auto& option) { return option.first.ends_with("sort"); });
  return profile.report != ReportKind::Type && sorted == profile.options.end();
}

// Half of an interval in logarithms; nullopt where it has no such ends.
std::optional<double> half_width(const Figure& figure) {
  if (!figure.interval || !(figure.interval->low > 0) || !std::isfinite(figure.interval->high))
    return std::nullopt;
  return std::log(figure.interval->high / figure.interval->low) / 2;
}

}  // namespace

std::string side_columns() {
  std::string out = "layer,type,call,input,output";
  for (const MeasureFacts& facts : measures())
    if (facts.of_rows && facts.measure < Measure::Peak) out += fmt::format(",{}", facts.name);
  return out;
}

Side side_of(const Profile& profile, std::string label) {
  Side side{.label = std::move(label),
            .kind = "profile",
            .rows_are = std::string(name_of(profile.report)),
            .in_running_order = is_in_running_order(profile),
            .hidden_rows = profile.hidden_rows,
            .unknown_ops = profile.unknown_ops,
            .machine = profile.machine,
            .settings = settings_of(profile)};
  const Places places(profile);
  const std::size_t layer = places.find("layer"), type = places.find("type");
  const std::size_t input = places.find("input"), output = places.find("output");
  const std::size_t call = places.find("call");
  const std::size_t time = places.find("time"), low = places.find("time_low");
  const std::size_t high = places.find("time_high");
  side.rows.reserve(profile.rows.size());
  for (const ProfileRow& from : profile.rows) {
    SideRow& row = side.rows.emplace_back();
    row.name = text_at(from, layer);
    row.type = text_at(from, type);
    if (row.name.empty()) row.name = row.type;  // rows by type
    row.input = text_at(from, input);
    row.output = text_at(from, output);
    if (const auto number = real_at(from, call); number && *number >= 1 && *number < 1e9)
      row.call = static_cast<std::uint32_t>(*number);
    for (const auto& [measure, place] : places.of_measures)
      at(row.figures, measure) = figure_of(from.cells[place]);
    if (const auto seconds = real_at(from, time)) {
      const auto least = real_at(from, low), most = real_at(from, high);
      at(row.figures, Measure::Latency) = real_figure(
          *seconds, least && most ? std::optional(Interval{*least, *most}) : std::nullopt);
    }
  }
  for (const auto& [measure, place] : places.of_measures)
    if (place < profile.totals.cells.size())
      at(side.totals, measure) = figure_of(profile.totals.cells[place]);
  at(side.totals, Measure::Peak) =
      count_figure(profile.memory.peak_bytes, profile.memory.certainty);
  if (profile.timing && profile.timing->runs > 0) {
    const TimingFacts& timing = *profile.timing;
    at(side.totals, Measure::Latency) = real_figure(
        timing.median,
        timing.high > 0 ? std::optional(Interval{timing.low, timing.high}) : std::nullopt);
  }
  add_uncertainty_of_whole(side);
  return side;
}

void add_uncertainty_of_whole(Side& side) {
  const auto whole = half_width(at(side.totals, Measure::Latency));
  for (SideRow& row : side.rows) {
    Figure& time = at(row.figures, Measure::Latency);
    const auto own = half_width(time);
    const double seconds = time.number().value_or(0);
    if (!own || !whole || !(seconds > 0)) {
      time.interval.reset();
      continue;
    }
    const double half = std::hypot(*own, *whole);
    time.interval = Interval{seconds * std::exp(-half), seconds * std::exp(half)};
  }
}

}  // namespace strata::compare
