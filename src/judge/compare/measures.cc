#include <fmt/format.h>

#include "strata/compare/side.h"

namespace strata::compare {

namespace {

constexpr MeasureFacts kFacts[] = {
    {Measure::Params, "params", "Params", Unit::Count, true},
    {Measure::ParamBytes, "param_bytes", "Weights", Unit::Bytes, true},
    {Measure::Macs, "macs", "MACs", Unit::Macs, true},
    {Measure::Flops, "flops", "FLOPs", Unit::Flops, true},
    {Measure::Read, "read", "Read", Unit::Bytes, true},
    {Measure::Write, "write", "Written", Unit::Bytes, true},
    {Measure::Energy, "energy", "Energy", Unit::Picojoules, true},
    {Measure::Peak, "peak", "Peak memory", Unit::Bytes, false},
    {Measure::Latency, "latency", "Latency", Unit::Seconds, true},
    {Measure::Quality, "quality", "Quality", Unit::Number, true},
};
static_assert(std::size(kFacts) == kMeasures);

}  // namespace

std::span<const MeasureFacts> measures() { return kFacts; }

const MeasureFacts& facts_of(Measure measure) { return kFacts[static_cast<std::size_t>(measure)]; }

const MeasureFacts* find_measure(std::string_view name) {
  if (name == "time") name = "latency";
  if (name == "weights") name = "param_bytes";
  for (const MeasureFacts& facts : kFacts)
    if (facts.name == name) return &facts;
  return nullptr;
}

std::string measure_names() {
  std::string names;
  for (const MeasureFacts& facts : kFacts)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", facts.name);
  return names;
}

}  // namespace strata::compare
