// A saved profile read back. Whatever is in the file, the answer is a profile or one
// sentence; keys that are not known are ignored, as docs/json-schema.md promises. In 0.1 (schema 1)
// all members stood at the top, and shapes were texts.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/mapped_file.h"
#include "strata/profile/profile.h"

namespace strata {

namespace {

using Json = JsonFields::Json;

constexpr int kDeepest = 10;  // nesting of what strata writes, and room
constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
constexpr std::string_view kNumberForms =
    "is no count: a number, {\"formula\": …}, {\"at_least\": …} or null";

class Reader : JsonFields {
 public:
  explicit Reader(std::string_view label) : JsonFields(fmt::format("profile {}", label)) {}

  Result<Profile> read(const Json& json) {
    if (!json.is_object()) return failure(sentence("is no profile: it is not a JSON object"));
    const std::int64_t schema = whole(json, "schema", "it", true);
    if (good() && schema != kFirstSchema && schema != Profile::kSchema)
      wrong("it", fmt::format("has schema {}, and this strata reads {} and {}", schema,
                              kFirstSchema, Profile::kSchema));
    const Json* facts = &json;
    const Json* table = &json;
    if (schema != kFirstSchema) {
      if (const std::string kind = text(json, "kind", "it"); good() && kind != "profile")
        wrong("it", fmt::format("is a document of kind {}, and no profile", in_quotes(kind)));
      facts = part(json, "facts");
      const Json* tables = part(json, "tables");
      table = tables == nullptr ? nullptr : part(*tables, "layers");
    }
    if (!good()) return failure(problem());
    read_symbols(*facts);
    read_model(*facts);
    read_options(json);
    read_settings(*facts);
    texts(json, "notes", profile_.notes);
    read_columns(*table);
    read_rows(*table);
    if (schema == kFirstSchema) count_calls_from_one();
    read_memory(*facts);
    read_timing(*facts);
    read_roofline(*facts);
    read_machine(json);
    if (!good()) return failure(problem());
    return std::move(profile_);
  }

 private:
  // In 0.1 they were counted from 0.
  void count_calls_from_one() {
    for (std::size_t c = 0; c < profile_.columns.size(); ++c) {
      if (profile_.columns[c].name != "call") continue;
      for (ProfileRow& row : profile_.rows)
        if (const auto* call = std::get_if<Expr>(&row.cells[c].value))
          row.cells[c].value = *call + 1;
    }
  }

  const Json* part(const Json& object, const char* key) {
    const Json* found = at(object, key);
    if (good() && (found == nullptr || !found->is_object()))
      wrong("it", fmt::format("has no object \"{}\"", key));
    return good() ? found : nullptr;
  }

  // A number or a formula; unknown for null.
  std::optional<Expr> expr(const Json& value) const {
    if (value.is_null()) return Expr::unknown();
    if (const auto number = whole_number(value)) {
      const Expr exact(*number);
      return exact.is_overflow() ? std::nullopt : std::optional(exact);
    }
    if (!value.is_object() || !value.contains("formula") ||
        value.size() != (value.contains("at_most") ? 2 : 1))
      return std::nullopt;
    const Json& formula = value["formula"];
    if (!formula.is_string()) return std::nullopt;
    return expr_from_text(formula.get_ref<const std::string&>(), symbol_names_);
  }

  Expr expr_at(const Json& object, const char* key, std::string_view where) {
    const Json* value = at(object, key);
    if (value == nullptr) return Expr::unknown();
    const auto number = expr(*value);
    if (!number) wrong(where, fmt::format("has a \"{}\" that {}", key, kNumberForms));
    return number.value_or(Expr::unknown());
  }

  std::optional<Cell> cell(const Json& value, bool is_text) const {
    if (value.is_null()) return Cell{std::monostate{}, Certainty::Unknown};
    if (is_text && value.is_array()) {
      const auto shapes = shapes_text(value);
      return shapes ? std::optional(Cell{*shapes}) : std::nullopt;
    }
    if (!is_text && value.is_string()) return infinity(value.get_ref<const std::string&>());
    if (is_text)
      return value.is_string() ? std::optional(Cell{value.get<std::string>()}) : std::nullopt;
    const bool is_bound = value.is_object() && value.size() == 1 && value.contains("at_least");
    const Json& inner = is_bound ? value["at_least"] : value;
    if (is_bound && inner.is_null()) return std::nullopt;
    const Certainty certainty = is_bound ? Certainty::LowerBound : Certainty::Exact;
    if (inner.is_number_float()) return Cell{inner.get<double>(), certainty};
    const auto number = expr(inner);
    return number ? std::optional(Cell{*number, certainty}) : std::nullopt;
  }

  static std::optional<Cell> infinity(const std::string& word) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (word == "inf") return Cell{kInfinity};
    return word == "-inf" ? std::optional(Cell{-kInfinity}) : std::nullopt;
  }

  // `1×3×224×224` of a list of sizes, each a number or a formula.
  static std::optional<std::string> shape_text(const Json& shape) {
    if (shape.is_null()) return "?";
    if (!shape.is_array()) return std::nullopt;
    if (shape.empty()) return "scalar";
    std::string out;
    for (const Json& size : shape) {
      if (&size != &shape.front()) out += "×";
      if (const auto number = whole_number(size))
        out += fmt::format("{}", *number);
      else if (size.is_string() || size.is_null())
        out += size.is_null() ? "?" : size.get<std::string>();
      else
        return std::nullopt;
    }
    return out;
  }

  static std::optional<std::string> shapes_text(const Json& shapes) {
    std::string out;
    for (const Json& shape : shapes) {
      const auto one = shape_text(shape);
      if (!one) return std::nullopt;
      if (&shape != &shapes.front()) out += ", ";
      out += *one;
    }
    return out;
  }

  void read_symbols(const Json& json) {
    list(json, "symbols", [&](const Json& item, const std::string& where) {
      profile_.symbols.push_back({text(item, "name", where), text(item, "origin", where),
                                  flag(item, "needs_data", where)});
      // Plain names need not be looked up.
      const std::string& name_of = profile_.symbols.back().name;
      if (expr_from_text(name_of, {}) != Expr::symbol(name_of)) symbol_names_.push_back(name_of);
    });
    std::sort(symbol_names_.begin(), symbol_names_.end());
  }

  void read_tensors(const Json& json, const char* key, std::vector<Profile::TensorFacts>& out) {
    list(json, key, [&](const Json& item, const std::string& where) {
      const Json* shape = at(item, "shape");
      const bool is_list = shape != nullptr && !shape->is_string();
      const auto sizes = is_list ? shape_text(*shape) : text(item, "shape", where);
      if (!sizes) return wrong(where, "has a \"shape\" that is no list of sizes");
      out.push_back({text(item, "name", where), text(item, "dtype", where), *sizes});
    });
  }

  void read_model(const Json& json) {
    const Json* model = at(json, "model");
    if (model == nullptr) return;
    if (!model->is_object()) return wrong("it", "has a \"model\" that is no object");
    const std::string_view where = "its model";
    profile_.model.path = text(*model, "path", where);
    profile_.model.graph_hash = text(*model, "graph_hash", where);
    profile_.model.file_bytes = size(*model, "file_bytes", where);
    profile_.model.producer = text(*model, "producer", where);
    profile_.model.ir_version = whole(*model, "ir_version", where);
    if (const Json* opsets = at(*model, "opsets")) {
      if (!opsets->is_object()) return wrong(where, "has \"opsets\" that are no object");
      for (const auto& [domain, version] : opsets->items()) {
        const auto number = whole_number(version);
        if (!number) return wrong(where, "has an opset whose version is no whole number");
        profile_.model.opsets.emplace_back(domain, *number);
      }
    }
    profile_.model.nodes = size(*model, "nodes", where);
    read_tensors(*model, "inputs", profile_.model.inputs);
    read_tensors(*model, "outputs", profile_.model.outputs);
  }

  void read_options(const Json& json) {
    if (const Json* options = at(json, "options")) {
      if (!options->is_object()) return wrong("it", "has \"options\" that are no object");
      for (const auto& [option, value] : options->items()) {
        if (!value.is_string())
          return wrong("it", fmt::format("has an option {} that is no text", in_quotes(option)));
        profile_.options.emplace_back(option, value.get<std::string>());
      }
    }
  }

  void read_settings(const Json& json) {
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
    if (!work->is_object()) return wrong("it", "has a \"load_work\" that is no object");
    const std::string_view where = "its load_work";
    profile_.load_work =
        Profile::LoadWork{expr_at(*work, "macs", where), expr_at(*work, "flops", where),
                          flag(*work, "in_totals", where)};
  }

  void read_columns(const Json& json) {
    const auto read_one = [&](const Json& item, const std::string& where) {
      Column column;
      if (!item.is_object()) return wrong(where, "is no object");
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

  Cell cell_at(const Json& object, const Column& column, std::string_view where) {
    const auto found = object.find(column.name);
    if (found == object.end()) return {std::monostate{}, Certainty::Unknown};
    const bool is_text = column.unit == Unit::Text;
    auto read_cell = cell(*found, is_text);
    if (!read_cell)
      wrong(where, fmt::format("has a value in column {} that {}", in_quotes(column.name),
                               is_text ? "is no text and no list of shapes" : kNumberForms));
    return read_cell.value_or(Cell{});
  }

  void read_rows(const Json& json) {
    const auto read_one = [&](const Json& item, const std::string& where) {
      if (!item.is_object()) return wrong(where, "is no object");
      ProfileRow row;
      row.cells.reserve(profile_.columns.size());
      for (const Column& column : profile_.columns)
        row.cells.push_back(cell_at(item, column, where));
      row.depth = static_cast<std::uint32_t>(size(item, "depth", where));
      profile_.rows.push_back(std::move(row));
    };
    list(json, "rows", read_one, true);
    const Json* totals = at(json, "totals");
    if (totals != nullptr && !totals->is_object())
      return wrong("it", "has \"totals\" that are no object");
    const Json nothing = Json::object();
    for (const Column& column : profile_.columns)
      profile_.totals.cells.push_back(
          column.additive ? cell_at(totals == nullptr ? nothing : *totals, column, "its totals")
                          : Cell{});
  }

  void read_memory(const Json& json) {
    const Json* memory = at(json, "memory");
    if (memory == nullptr) return;
    if (!memory->is_object()) return wrong("it", "has a \"memory\" that is no object");
    const std::string_view where = "its memory";
    profile_.memory.peak_bytes = expr_at(*memory, "peak_bytes", where);
    const std::string certainty = text(*memory, "certainty", where);
    if (certainty == "lower_bound") profile_.memory.certainty = Certainty::LowerBound;
    if (certainty == "unknown") profile_.memory.certainty = Certainty::Unknown;
    profile_.memory.peak_layer = text(*memory, "peak_layer", where);
    list(*memory, "at_peak", [&](const Json& item, const std::string& of_item) {
      profile_.memory.at_peak.push_back({text(item, "tensor", of_item),
                                         text(item, "layer", of_item),
                                         expr_at(item, "bytes", of_item)});
    });
    read_device(*memory);
    read_taken(*memory);
    const Json* arena = at(*memory, "arena");
    if (arena == nullptr) return;
    if (!arena->is_object()) return wrong(where, "has an \"arena\" that is no object");
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

  void read_device(const Json& memory) {
    const Json* device = at(memory, "device");
    if (device == nullptr) return;
    const std::string_view where = "its device memory";
    if (!device->is_object()) return wrong(where, "is no object");
    profile_.device =
        DeviceFacts{text(*device, "model", where),          whole(*device, "weights", where),
                    whole(*device, "inputs", where),        whole(*device, "peak_allocated", where),
                    whole(*device, "peak_reserved", where), text(*device, "peak_layer", where)};
  }

  void read_taken(const Json& memory) {
    const Json* taken = at(memory, "engine");
    if (taken == nullptr) return;
    const std::string_view where = "its memory of an engine";
    if (!taken->is_object()) return wrong(where, "is no object");
    const Json* weights = at(*taken, "weights");
    const bool told = weights != nullptr && !weights->is_null();
    profile_.taken = TakenFacts{text(*taken, "engine", where),
                                text(*taken, "view", where),
                                whole(*taken, "peak", where),
                                whole(*taken, "left", where),
                                told ? whole(*taken, "weights", where) : -1,
                                text(*taken, "peak_layer", where)};
  }

  void read_timing(const Json& json) {
    const Json* timing = at(json, "timing");
    if (timing == nullptr) return;
    const std::string_view where = "its timing";
    if (!timing->is_object()) return wrong(where, "is no object");
    TimingFacts& facts = profile_.timing.emplace();
    facts.engine = text(*timing, "engine", where);
    facts.view = text(*timing, "view", where);
    facts.threads = count(*timing, "threads", where);
    facts.runs = size(*timing, "runs", where);
    facts.recorded = size(*timing, "recorded_runs", where);
    facts.warmup = size(*timing, "warmup_runs", where);
    facts.median = real(*timing, "median_s", where);
    facts.mad = real(*timing, "mad_s", where);
    facts.open = real(*timing, "open_s", where);
    facts.first = real(*timing, "first_s", where);
    facts.probe = real(*timing, "probe_s", where);
    facts.cpu_seconds = real(*timing, "cpu_s", where);
    facts.wall_seconds = real(*timing, "wall_s", where);
    read_interval(*timing, facts);
    facts.involuntary = whole(*timing, "involuntary_switches", where);
    const auto told = [&](const char* key) {
      const Json* value = at(*timing, key);
      return value != nullptr && !value->is_null();
    };
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
      if (!item.is_number()) return wrong(of_item, "is no number");
      facts.samples.push_back(item.get<double>());
    });
  }

  void read_interval(const Json& timing, TimingFacts& facts) {
    const std::string_view where = "its timing";
    facts.low = real(timing, "low_s", where);
    facts.high = real(timing, "high_s", where);
    const Json* interval = at(timing, "median_interval_s");
    if (interval == nullptr || interval->is_null()) return;
    if (!interval->is_array() || interval->size() != 2 || !(*interval)[0].is_number() ||
        !(*interval)[1].is_number())
      return wrong(where, "has a \"median_interval_s\" that is no interval");
    facts.low = (*interval)[0].get<double>();
    facts.high = (*interval)[1].get<double>();
  }

  void read_roofline(const Json& json) {
    const Json* roofline = at(json, "roofline");
    if (roofline == nullptr) return;
    const std::string_view where = "its roofline";
    if (!roofline->is_object()) return wrong(where, "is no object");
    profile_.roofline =
        RooflineFacts{real(*roofline, "flops_per_s", where), real(*roofline, "bytes_per_s", where),
                      count(*roofline, "threads", where), text(*roofline, "kernel", where)};
  }

  void read_machine(const Json& json) {
    const Json* machine = at(json, "machine");
    if (machine == nullptr) return;
    if (!machine->is_object()) return wrong("it", "has a \"machine\" that is no object");
    for (const auto& [fact, value] : machine->items()) {
      if (!value.is_string())
        return wrong("its machine", fmt::format("has a fact {} that is no text", in_quotes(fact)));
      profile_.machine.emplace_back(fact, value.get<std::string>());
    }
  }

  static constexpr std::int64_t kFirstSchema = 1;
  static constexpr std::size_t kMaxColumns = 1000;
  std::vector<std::string> symbol_names_;
  Profile profile_;
};

}  // namespace

Result<Profile> profile_from_json(std::string_view json, std::string_view label) {
  if (json.size() > kMaxBytes)
    return failure(fmt::format("profile {}: it is larger than {} MiB", label, kMaxBytes >> 20));
  const Json parsed = json_from_text(json, kDeepest);
  if (parsed.is_discarded()) return failure(Code::NotProfile, {.file = std::string(label)});
  return Reader(label).read(parsed);
}

Result<Profile> read_profile(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return profile_from_json((*file)->bytes(), path);
}

}  // namespace strata
