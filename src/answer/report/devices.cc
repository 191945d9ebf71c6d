#include "strata/report/devices.h"

#include <fmt/format.h>

#include "strata/base/number_text.h"

namespace strata {

namespace {

Cell number_of(const std::optional<Figure>& figure) {
  return figure ? Cell(figure->value) : Cell();
}

// Where weights and activations are: of a microcontroller its RAM.
const std::optional<Figure>& memory_of(const Device& device) {
  return device.memory_bytes ? device.memory_bytes : device.ram_bytes;
}

Cell peak_of(const Device& device, std::string_view precision) {
  const Figure* peak = device.peak(precision);
  return peak != nullptr ? Cell(peak->value) : Cell();
}

Column rate(const char* name, const char* title, int priority) {
  return {.name = name, .title = title, .unit = Unit::FlopsPerSecond, .priority = priority};
}

// `1.98 GHz`, `450 W`
std::string prefixed(double value, std::string_view unit) {
  const std::string number = human(value);
  const bool has_prefix = number.find(' ') != number.npos;
  return fmt::format("{}{}{}", number, has_prefix ? "" : " ", unit);
}

// `80 GiB`, `3.35 TB/s`; clocks and watts, for which columns have no unit.
std::string text_of(const Figure& figure, Unit unit, std::string_view word) {
  if (unit == Unit::Bytes) return human_bytes(figure.value);
  if (unit == Unit::BytesPerSecond) return prefixed(figure.value, "B/s");
  if (unit == Unit::FlopsPerSecond) return prefixed(figure.value, "OP/s");
  return word.empty() ? fmt::format("{}", figure.value) : prefixed(figure.value, word);
}

struct FigureLine {
  const char* name;
  const char* title;
  std::optional<Figure> Device::*member;
  Unit unit;
  const char* word;
};
constexpr FigureLine kLines[] = {
    {"memory_bytes", "memory", &Device::memory_bytes, Unit::Bytes, ""},
    {"bandwidth_bytes_per_s", "memory bandwidth", &Device::bandwidth, Unit::BytesPerSecond, ""},
    {"ram_bytes", "RAM", &Device::ram_bytes, Unit::Bytes, ""},
    {"flash_bytes", "flash", &Device::flash_bytes, Unit::Bytes, ""},
    {"l2_bytes", "L2 cache", &Device::l2_bytes, Unit::Bytes, ""},
    {"l3_bytes", "L3 cache", &Device::l3_bytes, Unit::Bytes, ""},
    {"units", "cores", &Device::units, Unit::Count, ""},
    {"clock_hz", "clock", &Device::clock_hz, Unit::Number, "Hz"},
    {"power_w", "power", &Device::power, Unit::Number, "W"},
    {"process_nm", "process", &Device::process_nm, Unit::Number, "nm"},
    {"link_bytes_per_s", "link to a neighbour", &Device::link, Unit::BytesPerSecond, ""},
};

void add_line(Table& table, const std::string& name, std::string title, const Figure& figure,
              Unit unit, std::string_view word) {
  const std::string checked = figure.checked.empty() ? "no" : figure.checked;
  TableRow row{.cells = {name, figure.value, figure.source, checked}};
  row.shown = {std::move(title), text_of(figure, unit, word), figure.source, checked};
  table.rows.push_back(std::move(row));
}

}  // namespace

Document devices_document(std::span<const Device> devices) {
  Document document = new_document("devices");
  Table table{
      .name = "devices",
      .columns = {{"device", "Device"},
                  {.name = "kind", .title = "Kind", .priority = 4},
                  {.name = "memory", .title = "Memory", .unit = Unit::Bytes},
                  {.name = "bandwidth", .title = "Bandwidth", .unit = Unit::BytesPerSecond},
                  rate("fp32", "fp32", 0),
                  rate("fp16", "fp16", 0),
                  rate("int8", "int8", 1),
                  rate("fp8", "fp8", 5),
                  rate("fp4", "fp4", 6),
                  {.name = "power", .title = "Power (W)", .unit = Unit::Number, .priority = 3},
                  {.name = "title", .title = "Name", .priority = 7}}};
  for (const Device& device : devices)
    table.rows.push_back(
        {.cells = {device.name, device.kind, number_of(memory_of(device)),
                   number_of(device.bandwidth), peak_of(device, "fp32"), peak_of(device, "fp16"),
                   peak_of(device, "int8"), peak_of(device, "fp8"), peak_of(device, "fp4"),
                   number_of(device.power), device.title}});
  std::size_t figures = 0, checked = 0;
  for (const Device& device : devices) {
    const auto add = [&](const Figure& figure) {
      ++figures;
      checked += figure.checked.empty() ? 0 : 1;
    };
    for (const FigureLine& line : kLines)
      if (const auto& figure = device.*line.member) add(*figure);
    for (const Peak& peak : device.peaks) add(peak.per_second);
  }
  document.facts = {{"count", devices.size()}, {"figures", figures}, {"checked_figures", checked}};
  document.tables.push_back(std::move(table));
  document.sections = {
      lines_section(fmt::format(
          "{} devices. Speeds are peaks of data sheets, without sparsity. {} of {} numbers were "
          "compared with another source; check the others before you rely on them.\n",
          devices.size(), checked, figures)),
      {.table = "devices"}};
  document.sections.front().paragraph = true;
  return document;
}

Document device_document(const Device& device) {
  Document document = new_document("device");
  Table table{.name = "figures",
              .columns = {{"figure", "Figure"},
                          {.name = "value", .title = "Value", .unit = Unit::Number},
                          {"source", "Source"},
                          {"checked", "Compared with"}}};
  table.shown_columns = {
      {"figure", "Figure"}, {"value", "Value"}, {"source", "Source"}, {"checked", "Compared with"}};
  for (const FigureLine& line : kLines)
    if (const auto& figure = device.*line.member)
      add_line(table, line.name, line.title, *figure, line.unit, line.word);
  for (const Peak& peak : device.peaks)
    add_line(table, peak.precision + "_per_s", peak.precision, peak.per_second,
             Unit::FlopsPerSecond, "");
  document.facts = {{"name", device.name},
                    {"title", device.title},
                    {"kind", device.kind},
                    {"family", device.family},
                    {"note", device.note.empty() ? Cell() : Cell(device.note)}};
  std::string head =
      fmt::format("{}: {} ({}, {})\n", device.name, device.title, device.kind, device.family);
  if (!device.note.empty()) head += device.note + "\n";
  document.tables.push_back(std::move(table));
  document.sections = {lines_section(head), {.table = "figures"}};
  document.sections.front().paragraph = true;
  return document;
}

}  // namespace strata
