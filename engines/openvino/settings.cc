#include "settings.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>
#include <openvino/runtime/properties.hpp>

#include "failure.h"

namespace strata::openvino {

namespace {

void read_option(std::string_view text, Settings& settings) {
  constexpr std::string_view kConfig = "config.";
  const std::size_t equals = text.find('=');
  if (equals == text.npos)
    throw Failure{STRATA_UNSUPPORTED, fmt::format("the option \"{}\" has no value", text)};
  const std::string_view key = text.substr(0, equals), value = text.substr(equals + 1);
  if (key == "hint" && (value == "latency" || value == "throughput")) {
    settings.properties[ov::hint::performance_mode.name()] =
        value == "latency" ? ov::hint::PerformanceMode::LATENCY
                           : ov::hint::PerformanceMode::THROUGHPUT;
    return;
  }
  if (key == "streams") {
    int streams = 0;
    const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), streams);
    if (wrong == std::errc() && end == value.data() + value.size() && streams > 0) {
      settings.properties[ov::num_streams.name()] = ov::streams::Num(streams);
      return;
    }
  }
  if (key.starts_with(kConfig)) {
    settings.properties[std::string(key.substr(kConfig.size()))] = std::string(value);
    return;
  }
  throw Failure{STRATA_UNSUPPORTED,
                fmt::format("there is no option \"{}\"; there are hint=latency, hint=throughput, "
                            "streams=N and config.KEY=VALUE",
                            text)};
}

}  // namespace

Settings read_settings(const StrataOpen& open) {
  const auto given = [](const char* text) { return std::string_view(text ? text : ""); };
  if (const auto device = given(open.device); !device.empty() && device != "cpu")
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("there is no device \"{}\"; there is cpu", device)};
  if (const auto provider = given(open.provider); !provider.empty() && provider != "cpu")
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("there is no provider \"{}\"; there is cpu", provider)};
  if ((open.trace & STRATA_TRACE_MEMORY) != 0)
    throw Failure{STRATA_UNSUPPORTED,
                  "does not report memory, because OpenVINO does not say what it allocates"};
  Settings settings;
  settings.precision = given(open.precision);
  settings.threads = open.threads;
  settings.each_node = open.optimization == STRATA_OPT_NONE;
  settings.traces_time = (open.trace & STRATA_TRACE_TIME) != 0;
  settings.keep_types = open.keep_types != 0;
  for (std::uint64_t i = 0; i < open.option_count; ++i) read_option(open.options[i], settings);
  return settings;
}

ov::AnyMap properties_for(const Settings& settings, std::string_view stored,
                          const std::vector<std::string>& capabilities) {
  const auto has = [&](const char* name) {
    return std::find(capabilities.begin(), capabilities.end(), name) != capabilities.end();
  };
  const std::string_view asked = settings.precision.empty() ? stored : settings.precision;
  // Left to itself, OpenVINO computes in bf16 or f16 where the processor can.
  ov::element::Type type = ov::element::f32;
  if (asked == "bf16" || asked == "fp16") {
    const bool can =
        has(asked == "bf16" ? ov::device::capability::BF16 : ov::device::capability::FP16);
    if (can) type = asked == "bf16" ? ov::element::bf16 : ov::element::f16;
    if (!can && !settings.precision.empty())
      throw Failure{STRATA_UNSUPPORTED, fmt::format("has no {} kernels for this processor", asked)};
  } else if (!settings.precision.empty() && asked != "fp32" && asked != "int8") {
    throw Failure{
        STRATA_UNSUPPORTED,
        fmt::format("there is no precision \"{}\"; there are fp32, fp16, bf16, int8", asked)};
  } else if (!settings.precision.empty() && (asked == "int8") != (stored == "int8")) {
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("cannot run a model that is stored in {} in {}; convert it first{}",
                              stored, asked, asked == "int8" ? " (strata quantize)" : "")};
  }
  ov::AnyMap out = settings.properties;
  out.emplace(ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY));
  out.emplace(ov::hint::inference_precision(type));
  if (settings.threads > 0) out.emplace(ov::inference_num_threads(settings.threads));
  if (settings.traces_time) out.emplace(ov::enable_profiling(true));
  // Pairs of Q and DQ then round, and everything between them computes in floats.
  if (settings.keep_types) out.emplace("LP_TRANSFORMS_MODE", "NO");
  return out;
}

}  // namespace strata::openvino
