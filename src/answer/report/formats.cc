#include "report/formats.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "read/registry.h"

namespace strata {

namespace {

std::string_view network_of(SourceKind kind) {
  switch (kind) {
    case SourceKind::Graph:
      return "in file";
    case SourceKind::Code:
      return "recorded";
    case SourceKind::Built:
      return "built";
    case SourceKind::Weights:
    case SourceKind::Several:
    case SourceKind::Unknown:
      break;
  }
  return "none";
}

std::string_view word_for(SourceWeights weights) {
  switch (weights) {
    case SourceWeights::Stored:
      return "its own";
    case SourceWeights::Random:
      return "random";
    case SourceWeights::None:
      break;
  }
  return "none";
}

int place_of(SourceKind kind) {
  constexpr SourceKind kOrder[] = {SourceKind::Graph, SourceKind::Code, SourceKind::Built};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), kind) - kOrder);
}

std::string joined(SourceKind kind) { return fmt::format("{}", fmt::join(endings_of(kind), ", ")); }

}  // namespace

Document formats_document() {
  Document document = new_document("formats");
  Table table{.name = "formats",
              .columns = {{"format", "Format"},
                          {"files", "Files"},
                          {"network", "Network"},
                          {"weights", "Weights"},
                          {"engine_format", "Opened as"}}};
  // Networks first; the list itself is in the order in which files are recognised.
  std::vector<ModelFormat> formats(model_formats().begin(), model_formats().end());
  std::stable_sort(formats.begin(), formats.end(), [](const ModelFormat& a, const ModelFormat& b) {
    return place_of(a.kind) < place_of(b.kind);
  });
  for (const ModelFormat& format : formats) {
    const bool is_opened = !format.engine_format.empty();
    table.rows.push_back(
        {.cells = {std::string(format.name), std::string(format.files),
                   std::string(network_of(format.kind)), std::string(word_for(format.weights)),
                   std::string(is_opened ? format.engine_format : "not opened")}});
  }
  document.tables.push_back(std::move(table));
  document.notes.push_back(
      "Engines open a model as the format in the last column, and each says which formats it "
      "opens.");
  const auto number_of = [](SourceKind kind) {
    return std::count_if(model_formats().begin(), model_formats().end(),
                         [&](const ModelFormat& format) { return format.kind == kind; });
  };
  Section answer = answer_section(fmt::format(
      "A model may come in {} formats: {} with a network in the file, {} that an engine records, "
      "{} "
      "that strata builds, and {} with weights alone. `stat` takes each of them, and recognises "
      "files by their contents, whatever their names.",
      model_formats().size(), number_of(SourceKind::Graph), number_of(SourceKind::Code),
      number_of(SourceKind::Built), number_of(SourceKind::Weights)));
  document.sections = {std::move(answer), {.table = "formats"}, notes_section(document.notes)};
  return document;
}

std::string model_words(bool with_weights, std::string_view more) {
  const std::string weights =
      with_weights ? fmt::format("weights alone ({}), ", joined(SourceKind::Weights)) : "";
  return fmt::format(
      "a model ({}, {}), a recording, {}a Hugging Face model folder, {}NAME, {}{}or - for standard "
      "input",
      joined(SourceKind::Graph), joined(SourceKind::Code), weights, kZooPrefix, more,
      more.empty() ? "" : ", ");
}

}  // namespace strata
