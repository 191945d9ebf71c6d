// Writes the file of a device.
#include <fmt/format.h>

#include "strata/device/device.h"

namespace strata {

namespace {

// Titles of processors are the only text from outside; nothing in them has a meaning in TOML.
std::string plain(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
  return out;
}

struct FigureWord {
  std::string_view key, unit;
  std::optional<Figure> Device::*member;
};
constexpr FigureWord kWords[] = {
    {"memory", " B", &Device::memory_bytes}, {"bandwidth", " B/s", &Device::bandwidth},
    {"power", " W", &Device::power},         {"process", " nm", &Device::process_nm},
    {"units", "", &Device::units},           {"clock", " Hz", &Device::clock_hz},
    {"l2", " B", &Device::l2_bytes},         {"l3", " B", &Device::l3_bytes},
    {"ram", " B", &Device::ram_bytes},       {"flash", " B", &Device::flash_bytes},
    {"link", " B/s", &Device::link}};

}  // namespace

std::string device_text(const Device& device) {
  std::string out, sources;
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) out += fmt::format("{} = \"{}\"\n", key, plain(value));
  };
  const auto add_figure = [&](std::string_view key, std::string_view unit, const Figure& figure) {
    out += fmt::format("{} = \"{:.6g}{}\"\n", key, figure.value, unit);
    if (!figure.source.empty()) sources += fmt::format("{} = \"{}\"\n", key, plain(figure.source));
  };
  add("title", device.title);
  add("kind", device.kind);
  add("family", device.family);
  add("note", device.note);
  out += "\n";
  for (const FigureWord& word : kWords)
    if (const auto& figure = device.*word.member) add_figure(word.key, word.unit, *figure);
  for (const Peak& peak : device.peaks) add_figure(peak.precision, " FLOP/s", peak.per_second);
  if (!sources.empty()) out += "\n[sources]\n" + sources;
  if (!device.measured) return out;
  const MeasuredRuntime& measured = *device.measured;
  out += "\n[measured]\n";
  add("engine", measured.engine);
  add("runtime", measured.runtime);
  add("precision", measured.precision);
  out += fmt::format("launch_s = \"{:.3g}\"\nlow = \"{:.4g}\"\nhigh = \"{:.4g}\"\n",
                     measured.launch_seconds, measured.low, measured.high);
  out +=
      "\n# share of the fp32 peak, share of the bandwidth, seconds of a launch, "
      "kernels\n[classes]\n";
  for (const MeasuredClass& one : measured.classes)
    out += fmt::format("{} = \"{:.4g} {:.4g} {:.3g} {}\"\n", one.name, one.compute, one.memory,
                       one.launch_seconds, one.kernels);
  return out;
}

}  // namespace strata
