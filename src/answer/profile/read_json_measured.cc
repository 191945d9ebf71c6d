// Reads the engine and the machine that a saved profile was measured on.
#include <fmt/format.h>

#include "base/in_quotes.h"
#include "profile/read_json.h"

namespace strata {

void ProfileReader::read_taken(const Json& memory) {
  const Json* taken = at(memory, "engine");
  if (taken == nullptr) return;
  const std::string_view where = "its memory of an engine";
  if (!taken->is_object()) return wrong(where, "is not an object");
  const Json* weights = at(*taken, "weights");
  const bool told = weights != nullptr && !weights->is_null();
  profile_.taken = TakenFacts{text(*taken, "engine", where),
                              text(*taken, "view", where),
                              whole(*taken, "peak", where),
                              whole(*taken, "left", where),
                              told ? whole(*taken, "weights", where) : -1,
                              text(*taken, "peak_layer", where)};
}

void ProfileReader::read_timing(const Json& json) {
  const Json* timing = at(json, "timing");
  if (timing == nullptr) return;
  const std::string_view where = "its timing";
  if (!timing->is_object()) return wrong(where, "is not an object");
  TimingFacts& facts = profile_.timing.emplace();
  facts.engine = text(*timing, "engine", where);
  facts.view = text(*timing, "view", where);
  facts.threads = count(*timing, "threads", where);
  facts.runs = size(*timing, "runs", where);
  facts.recorded = size(*timing, "recorded_runs", where);
  facts.warmup = size(*timing, "warmup_runs", where);
  facts.median = real(*timing, "median_s", where);
  facts.mad = real(*timing, "mad_s", where);
  facts.probe = real(*timing, "probe_s", where);
  facts.wall_seconds = real(*timing, "wall_s", where);
  read_interval(*timing, facts);
  const auto told = [&](const char* key) {
    const Json* value = at(*timing, key);
    return value != nullptr && !value->is_null();
  };
  facts.open = told("open_s") ? real(*timing, "open_s", where) : -1;
  facts.first = told("first_s") ? real(*timing, "first_s", where) : -1;
  facts.cpu_seconds = told("cpu_s") ? real(*timing, "cpu_s", where) : -1;
  facts.involuntary =
      told("involuntary_switches") ? whole(*timing, "involuntary_switches", where) : -1;
  facts.all_runs = told("all_runs") ? size(*timing, "all_runs", where) : facts.runs;
  if (told("sessions")) facts.sessions = size(*timing, "sessions", where);
  if (told("wait_s")) facts.wait_seconds = real(*timing, "wait_s", where);
  if (told("steal_s")) facts.steal_seconds = real(*timing, "steal_s", where);
  if (told("waits_read")) facts.waits_read = flag(*timing, "waits_read", where);
  if (told("pressure")) facts.pressure = real(*timing, "pressure", where);
  if (told("slowed")) facts.slowed = real(*timing, "slowed", where);
  if (told("withheld")) facts.withheld = text(*timing, "withheld", where);
  facts.disturbed = flag(*timing, "disturbed", where);
  facts.noisy = flag(*timing, "noisy", where);
  facts.partial = flag(*timing, "partial", where);
  texts(*timing, "unassigned", facts.unassigned);
  list(*timing, "samples_s", [&](const Json& item, const std::string& of_item) {
    if (!item.is_number()) return wrong(of_item, "is not a number");
    facts.samples.push_back(item.get<double>());
  });
}

void ProfileReader::read_interval(const Json& timing, TimingFacts& facts) {
  const std::string_view where = "its timing";
  facts.low = real(timing, "low_s", where);
  facts.high = real(timing, "high_s", where);
  const Json* interval = at(timing, "median_interval_s");
  if (interval == nullptr || interval->is_null()) return;
  if (!interval->is_array() || interval->size() != 2 || !(*interval)[0].is_number() ||
      !(*interval)[1].is_number())
    return wrong(where, "has a \"median_interval_s\" that is not an interval");
  facts.low = (*interval)[0].get<double>();
  facts.high = (*interval)[1].get<double>();
}

void ProfileReader::read_roofline(const Json& json) {
  const Json* roofline = at(json, "roofline");
  if (roofline == nullptr) return;
  const std::string_view where = "its roofline";
  if (!roofline->is_object()) return wrong(where, "is not an object");
  profile_.roofline =
      RooflineFacts{real(*roofline, "flops_per_s", where), real(*roofline, "bytes_per_s", where),
                    count(*roofline, "threads", where), text(*roofline, "kernel", where)};
}

void ProfileReader::read_machine(const Json& json) {
  const Json* machine = at(json, "machine");
  if (machine == nullptr) return;
  if (!machine->is_object()) return wrong("it", "has a \"machine\" that is not an object");
  for (const auto& [fact, value] : machine->items()) {
    if (!value.is_string())
      return wrong("its machine", fmt::format("has a fact {} that is not text", in_quotes(fact)));
    profile_.machine.emplace_back(fact, value.get<std::string>());
  }
}

}  // namespace strata
