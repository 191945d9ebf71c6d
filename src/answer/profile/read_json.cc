// A saved profile read back. Whatever is in the file, the answer is a profile or one
// sentence; keys that are not known are ignored, as docs/json-schema.md promises. In 0.1 (schema 1)
// all members stood at the top, and shapes were texts.
#include "profile/read_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/json_text.h"
#include "base/mapped_file.h"
#include "profile/caveats.h"

namespace strata {

namespace {

using Json = JsonFields::Json;

constexpr int kDeepest = 10;  // nesting of what strata writes, and room
constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
constexpr std::int64_t kFirstSchema = 1;
constexpr std::size_t kMaxColumns = 1000;

}  // namespace

ProfileReader::ProfileReader(std::string_view label) : JsonFields("profile", label) {}

Result<Profile> ProfileReader::read(const Json& json) {
  if (!json.is_object()) return failed("is not a profile: it is not a JSON object");
  const std::int64_t schema = whole(json, "schema", "it", true);
  if (good() && schema != kFirstSchema && schema != Profile::kSchema)
    wrong("it", fmt::format("has schema {}, and this strata reads {} and {}", schema, kFirstSchema,
                            Profile::kSchema));
  const Json* facts = &json;
  const Json* table = &json;
  if (schema != kFirstSchema) {
    if (const std::string kind = text(json, "kind", "it"); good() && kind != "profile")
      wrong("it", fmt::format("is a document of kind {}, and no profile", in_quotes(kind)));
    facts = part(json, "facts");
    const Json* tables = part(json, "tables");
    table = tables == nullptr ? nullptr : part(*tables, "layers");
  }
  if (!good()) return failed();
  read_symbols(*facts);
  read_model(*facts);
  read_options(json);
  read_settings(*facts);
  texts(json, "notes", profile_.notes);
  read_columns(*table);
  read_rows(*table);
  read_edges(*table);
  if (schema == kFirstSchema) count_calls_from_one();
  read_memory(*facts);
  read_timing(*facts);
  read_roofline(*facts);
  read_machine(json);
  if (!good()) return failed();
  // These follow from the facts, and are added again where the profile is shown.
  for (const std::string& sentence : caveats(profile_)) std::erase(profile_.notes, sentence);
  return std::move(profile_);
}

void ProfileReader::count_calls_from_one() {
  for (std::size_t c = 0; c < profile_.columns.size(); ++c) {
    if (profile_.columns[c].name != "call") continue;
    for (ProfileRow& row : profile_.rows)
      if (const auto* call = std::get_if<Expr>(&row.cells[c].value)) row.cells[c].value = *call + 1;
  }
}

void ProfileReader::read_symbols(const Json& json) {
  list(json, "symbols", [&](const Json& item, const std::string& where) {
    profile_.symbols.push_back(
        {text(item, "name", where), text(item, "origin", where), flag(item, "needs_data", where)});
    // Plain names need not be looked up.
    const std::string& name_of = profile_.symbols.back().name;
    if (expr_from_text(name_of, {}) != Expr::symbol(name_of)) symbol_names_.push_back(name_of);
  });
  std::sort(symbol_names_.begin(), symbol_names_.end());
}

void ProfileReader::read_tensors(const Json& json, const char* key,
                                 std::vector<Profile::TensorFacts>& out) {
  list(json, key, [&](const Json& item, const std::string& where) {
    const Json* shape = at(item, "shape");
    const bool is_list = shape != nullptr && !shape->is_string();
    const auto sizes = is_list ? shape_text(*shape) : text(item, "shape", where);
    if (!sizes) return wrong(where, "has a \"shape\" that is not a list of sizes");
    out.push_back({text(item, "name", where), text(item, "dtype", where), *sizes});
  });
}

void ProfileReader::read_model(const Json& json) {
  const Json* model = at(json, "model");
  if (model == nullptr) return;
  if (!model->is_object()) return wrong("it", "has a \"model\" that is not an object");
  const std::string_view where = "its model";
  profile_.model.path = text(*model, "path", where);
  profile_.model.graph_hash = text(*model, "graph_hash", where);
  profile_.model.file_bytes = size(*model, "file_bytes", where);
  profile_.model.producer = text(*model, "producer", where);
  profile_.model.ir_version = whole(*model, "ir_version", where);
  if (const Json* opsets = at(*model, "opsets")) {
    if (!opsets->is_object()) return wrong(where, "has \"opsets\" that are not an object");
    for (const auto& [domain, version] : opsets->items()) {
      const auto number = whole_number(version);
      if (!number) return wrong(where, "has an opset whose version is not a whole number");
      profile_.model.opsets.emplace_back(domain, *number);
    }
  }
  profile_.model.nodes = size(*model, "nodes", where);
  read_tensors(*model, "inputs", profile_.model.inputs);
  read_tensors(*model, "outputs", profile_.model.outputs);
}

void ProfileReader::read_options(const Json& json) {
  if (const Json* options = at(json, "options")) {
    if (!options->is_object()) return wrong("it", "has \"options\" that are not an object");
    // An option that was given several times has a list.
    for (const auto& [option, value] : options->items())
      for (const Json& one : value.is_array() ? value : Json::array({value})) {
        if (!one.is_string())
          return wrong("it", fmt::format("has an option {} that is not text", in_quotes(option)));
        profile_.options.emplace_back(option, one.get<std::string>());
      }
  }
}

void ProfileReader::read_settings(const Json& json) {
  profile_.convention = text(json, "convention", "it");
  profile_.energy_model = text(json, "energy_model", "it");
  if (at(json, "report") != nullptr) {
    const std::string word = text(json, "report", "it");
    const auto report = report_kind_from_name(word);
    if (!report) wrong("it", fmt::format("has an unknown report {}", in_quotes(word)));
    profile_.report = report.value_or(ReportKind::Tape);
  }
  texts(json, "unknown_ops", profile_.unknown_ops);
  profile_.hidden_rows = size(json, "hidden_rows", "it");
  const Json* work = at(json, "load_work");
  if (work == nullptr) return;
  if (!work->is_object()) return wrong("it", "has a \"load_work\" that is not an object");
  const std::string_view where = "its load_work";
  profile_.load_work =
      Profile::LoadWork{expr_at(*work, "macs", where), expr_at(*work, "flops", where),
                        flag(*work, "in_totals", where)};
}

void ProfileReader::read_columns(const Json& json) {
  const auto read_one = [&](const Json& item, const std::string& where) {
    Column column;
    if (!item.is_object()) return wrong(where, "is not an object");
    if (profile_.columns.size() == kMaxColumns)
      return wrong("it", fmt::format("has more than {} columns", kMaxColumns));
    column.name = text(item, "name", where);
    column.title = text(item, "title", where);
    column.additive = flag(item, "additive", where);
    if (column.name.empty()) return wrong(where, "has no name");
    if (column.name == "depth") return wrong(where, "has a name that rows of a tree use");
    for (const Column& other : profile_.columns)
      if (other.name == column.name)
        return wrong(where, fmt::format("has the name {} of another", in_quotes(column.name)));
    const std::string unit = text(item, "unit", where);
    if (const auto known = unit_from_name(unit)) {
      column.unit = *known;
      profile_.columns.push_back(std::move(column));
      return;
    }
    wrong(where, fmt::format("has an unknown unit {}", in_quotes(unit)));
  };
  list(json, "columns", read_one, true);
}

void ProfileReader::read_rows(const Json& json) {
  const auto read_one = [&](const Json& item, const std::string& where) {
    if (!item.is_object()) return wrong(where, "is not an object");
    ProfileRow row;
    row.cells.reserve(profile_.columns.size());
    for (const Column& column : profile_.columns) row.cells.push_back(cell_at(item, column, where));
    row.depth = static_cast<std::uint32_t>(size(item, "depth", where));
    profile_.rows.push_back(std::move(row));
  };
  list(json, "rows", read_one, true);
  const Json* totals = at(json, "totals");
  if (totals != nullptr && !totals->is_object())
    return wrong("it", "has \"totals\" that are not an object");
  const Json nothing = Json::object();
  for (const Column& column : profile_.columns)
    profile_.totals.cells.push_back(
        column.additive ? cell_at(totals == nullptr ? nothing : *totals, column, "its totals")
                        : Cell{});
}

// Only a picture needs them: a file with other rows than it was written with has none.
void ProfileReader::read_edges(const Json& json) {
  const Json* edges = at(json, "edges");
  if (edges == nullptr || !edges->is_object()) return;
  const Json *reads = at(*edges, "reads"), *returned = at(*edges, "returned");
  const std::size_t rows = profile_.rows.size();
  if (reads == nullptr || !reads->is_array() || reads->size() != rows || returned == nullptr ||
      !returned->is_array())
    return;
  RowEdges found;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::int32_t>& from = found.reads.emplace_back();
    const Json& given = (*reads)[row];
    const auto add = [&](const Json& distance) {
      const auto back = whole_number(distance);  // below 0 in a sorted table
      const auto here = static_cast<std::int64_t>(row), count = static_cast<std::int64_t>(rows);
      if (!back || *back > here || *back <= here - count) return false;
      from.push_back(*back == 0 ? RowEdges::kInput : static_cast<std::int32_t>(here - *back));
      return true;
    };
    if (given.is_array() ? !std::all_of(given.begin(), given.end(), add)
                         : !given.is_null() && !add(given))
      return;
  }
  for (const Json& one : *returned) {
    const auto row = whole_number(one);
    if (!row || *row < 0 || *row >= static_cast<std::int64_t>(rows)) return;
    found.returned.push_back(static_cast<std::int32_t>(*row));
  }
  profile_.edges = std::move(found);
}

void ProfileReader::read_memory(const Json& json) {
  const Json* memory = at(json, "memory");
  if (memory == nullptr) return;
  if (!memory->is_object()) return wrong("it", "has a \"memory\" that is not an object");
  const std::string_view where = "its memory";
  profile_.memory.peak_bytes = expr_at(*memory, "peak_bytes", where);
  const std::string certainty = text(*memory, "certainty", where);
  if (certainty == "lower_bound") profile_.memory.certainty = Certainty::LowerBound;
  if (certainty == "unknown") profile_.memory.certainty = Certainty::Unknown;
  profile_.memory.peak_layer = text(*memory, "peak_layer", where);
  profile_.memory.reading = text(*memory, "reading", where);
  list(*memory, "at_peak", [&](const Json& item, const std::string& of_item) {
    profile_.memory.at_peak.push_back({text(item, "tensor", of_item), text(item, "layer", of_item),
                                       expr_at(item, "bytes", of_item)});
  });
  list(*memory, "phases", [&](const Json& item, const std::string& of_item) {
    PhaseMemory& phase = profile_.memory.phases.emplace_back();
    const std::string name = text(item, "phase", of_item);
    for (const Phase known : {Phase::Forward, Phase::Backward, Phase::Optimizer})
      if (phase_name(known) == name) phase.phase = known;
    phase.weights = whole(item, "weights", of_item);
    phase.gradients = whole(item, "gradients", of_item);
    phase.optimizer_state = whole(item, "optimizer_state", of_item);
    phase.activations = whole(item, "activations", of_item);
    phase.other = whole(item, "other", of_item);
  });
  list(*memory, "saved", [&](const Json& item, const std::string& of_item) {
    profile_.memory.saved.emplace_back(text(item, "module", of_item),
                                       whole(item, "bytes", of_item));
  });
  read_device(*memory);
  read_taken(*memory);
  const Json* arena = at(*memory, "arena");
  if (arena == nullptr) return;
  if (!arena->is_object()) return wrong(where, "has an \"arena\" that is not an object");
  ArenaLayout& layout = profile_.arena.emplace();
  layout.bytes = whole(*arena, "bytes", "its arena");
  layout.bound = whole(*arena, "bound", "its arena");
  layout.alignment = whole(*arena, "alignment", "its arena");
  list(*arena, "blocks", [&](const Json& item, const std::string& of_item) {
    layout.blocks.push_back({text(item, "tensor", of_item), text(item, "first", of_item),
                             text(item, "last", of_item), whole(item, "offset", of_item),
                             whole(item, "bytes", of_item)});
  });
}

void ProfileReader::read_device(const Json& memory) {
  const Json* device = at(memory, "device");
  if (device == nullptr) return;
  const std::string_view where = "its device memory";
  if (!device->is_object()) return wrong(where, "is not an object");
  const Json* reserved = at(*device, "peak_reserved");
  const bool told = reserved != nullptr && !reserved->is_null();
  profile_.device = DeviceFacts{text(*device, "model", where),
                                whole(*device, "weights", where),
                                whole(*device, "inputs", where),
                                whole(*device, "peak_allocated", where),
                                told ? whole(*device, "peak_reserved", where) : -1,
                                text(*device, "peak_layer", where)};
}

Result<Profile> profile_from_json(std::string_view json, std::string_view label) {
  if (json.size() > kMaxBytes)
    return JsonFields("profile", label)
        .failed(fmt::format("it is larger than {} MiB", kMaxBytes >> 20));
  const Json parsed = json_from_text(json, kDeepest);
  if (parsed.is_discarded()) return failure(Code::NotProfile, {.file = std::string(label)});
  return ProfileReader(label).read(parsed);
}

Result<Profile> read_profile(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return profile_from_json((*file)->bytes(), path);
}

}  // namespace strata
