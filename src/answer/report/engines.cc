#include "strata/report/engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

namespace {

std::string describe(const TriedDevice& device) {
  std::vector<std::string> works;
  std::string rest;
  for (const TriedPrecision& precision : device.precisions) {
    if (precision.reason.empty())
      works.push_back(precision.name);
    else
      rest += fmt::format("           no {}: {}\n", precision.name, precision.reason);
  }
  return fmt::format("  {:<8} {}{}{}\n{}", device.name, device.note,
                     device.note.empty() ? "" : ": ", fmt::join(works, ", "), rest);
}

std::string describe(const TriedEngine& engine) {
  if (!engine.missing.empty()) return engine.missing + "\n";
  if (!engine.failed.empty()) return fmt::format("{} {}\n", engine.name, engine.failed);
  std::string out =
      fmt::format("{} {}\n  plugin   {}\n", engine.name, engine.release, engine.plugin);
  if (!engine.library.empty()) out += fmt::format("  library  {}\n", engine.library);
  out += fmt::format("  opens    {}\n", engine.formats);
  for (const TriedDevice& device : engine.devices) out += describe(device);
  return out;
}

Cell engine_cell(const TriedEngine& engine) {
  const auto known = [](const std::string& text) { return text.empty() ? Cell() : Cell(text); };
  Cells devices;
  for (const TriedDevice& device : engine.devices)
    devices.push_back(Members{{"name", device.name}, {"note", known(device.note)}});
  return Members{{"name", engine.name},
                 {"missing", known(engine.missing)},
                 {"failed", known(engine.failed)},
                 {"release", known(engine.release)},
                 {"plugin", engine.plugin.empty() ? Cell() : Cell(FilePath{engine.plugin})},
                 {"library", engine.library.empty() ? Cell() : Cell(FilePath{engine.library})},
                 {"formats", known(engine.formats)},
                 {"devices", std::move(devices)}};
}

}  // namespace

std::string engines_to_text(std::span<const TriedEngine> engines) {
  std::string text;
  for (const TriedEngine& engine : engines) text += (text.empty() ? "" : "\n") + describe(engine);
  return text;
}

Document engines_document(std::span<const TriedEngine> engines) {
  Document document = new_document("engines");
  Cells all;
  Table table{.name = "precisions",
              .columns = {{"engine", "Engine"},
                          {"device", "Device"},
                          {"precision", "Precision"},
                          {.name = "works", .title = "Works", .type = ColumnType::Truth},
                          {"reason", "Reason"}}};
  for (const TriedEngine& engine : engines) {
    all.push_back(engine_cell(engine));
    for (const TriedDevice& device : engine.devices)
      for (const TriedPrecision& precision : device.precisions)
        table.rows.push_back(
            {.cells = {engine.name, device.name, precision.name, precision.reason.empty(),
                       precision.reason.empty() ? Cell() : Cell(precision.reason)}});
  }
  document.facts = {{"engines", std::move(all)}};
  document.tables.push_back(std::move(table));
  document.sections = {lines_section(engines_to_text(engines))};
  document.sections.front().paragraph = true;
  return document;
}

}  // namespace strata
