#include "strata/llm/speed_table.h"

#include <algorithm>

#include "base/embedded.h"
#include "base/json_fields.h"
#include "base/json_text.h"

namespace strata::llm {

namespace {

using Json = JsonFields::Json;

Spread spread_at(JsonFields& fields, const Json& from, const char* key) {
  std::vector<double> numbers;
  fields.numbers(from, key, numbers);
  if (numbers.size() != 3) return {};
  return {numbers[0], numbers[1], numbers[2]};
}

Kernel kernel_named(std::string_view name) {
  if (name == "cache_bytes") return Kernel::CacheBytes;
  if (name == "matrix_flops") return Kernel::MatrixFlops;
  if (name == "attention_flops") return Kernel::AttentionFlops;
  if (name == "few_rows_flops") return Kernel::FewRowsFlops;
  if (name == "tile_bytes") return Kernel::TileBytes;
  return Kernel::MatrixBytes;
}

// Compiled in and tested, so that it cannot fail.
SpeedTable read_speed_table() {
  SpeedTable table;
  const Json json = json_from_text(embedded_file("data/llm/speed.json").value_or("{}"));
  JsonFields fields("data/llm/speed.json");
  fields.list(json, "efficiencies", [&](const Json& row, const std::string&) {
    table.efficiencies.push_back({.engine = fields.text(row, "engine"),
                                  .family = fields.text(row, "family"),
                                  .format = fields.text(row, "format"),
                                  .devices = fields.text(row, "device"),
                                  .kernel = kernel_named(fields.text(row, "kernel")),
                                  .value = spread_at(fields, row, "value"),
                                  .source = fields.text(row, "source")});
  });
  fields.list(json, "engines", [&](const Json& row, const std::string&) {
    table.engines.push_back({.name = fields.text(row, "name"),
                             .title = fields.text(row, "title"),
                             .family = fields.text(row, "family"),
                             .usable = fields.real(row, "usable"),
                             .reserve_bytes = fields.real(row, "reserve_bytes"),
                             .cache_block = fields.real(row, "cache_block"),
                             .batched_tokens = fields.real(row, "batched_tokens"),
                             .small_batched_tokens = fields.real_or(row, "small_batched_tokens", 0),
                             .keeps_logits = fields.flag(row, "keeps_logits"),
                             .layer_s = spread_at(fields, row, "layer_s"),
                             .expert_layer_s = spread_at(fields, row, "expert_layer_s"),
                             .all_reduce_s = spread_at(fields, row, "all_reduce_s"),
                             .sequence_s = spread_at(fields, row, "sequence_s"),
                             .few_rows = fields.real_or(row, "few_rows", 0),
                             .also_plain = fields.flag(row, "also_plain"),
                             .tile_rows = fields.real_or(row, "tile_rows", 1),
                             .tile_outputs = fields.real_or(row, "tile_outputs", 0),
                             .tiles_per_core = fields.real_or(row, "tiles_per_core", 0),
                             .expert_rows = fields.real_or(row, "expert_rows", 0),
                             .source = fields.text(row, "source")});
  });
  return table;
}

// True if a space-separated list has this name.
bool lists(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace

double batched_tokens_of(const Engine& engine, const Device& device) {
  const bool is_small = device.memory_bytes && device.memory_bytes->value < kLargeMemory;
  return is_small && engine.small_batched_tokens > 0 ? engine.small_batched_tokens
                                                     : engine.batched_tokens;
}

const SpeedTable& speed_table() {
  static const SpeedTable kTable = read_speed_table();
  return kTable;
}

const Efficiency& efficiency_of(const Device& device, std::string_view engine, Kernel kernel,
                                std::string_view format) {
  static const Efficiency kNone{.value = {0.5, 0.7, 0.9}, .source = "no row fits"};
  for (const Efficiency& row : speed_table().efficiencies)
    if (row.kernel == kernel && (row.engine.empty() || row.engine == engine) &&
        (row.family.empty() || row.family == device.family) &&
        (row.devices.empty() || lists(row.devices, device.name)) &&
        (row.format.empty() || row.format == format))
      return row;
  return kNone;
}

const Engine* find_engine(std::string_view name, const Device& device) {
  const Engine* found = nullptr;
  for (const Engine& engine : speed_table().engines)
    if (engine.name == name && (engine.family.empty() || engine.family == device.family))
      if (found == nullptr || !engine.family.empty()) found = &engine;
  return found;
}

std::string usual_engine(const Device& device, std::string_view weights) {
  const bool is_ggml = weights.starts_with('q') || weights.starts_with("iq") ||
                       weights == "mxfp4_moe" || weights == "gguf";
  // vLLM needs NVIDIA's compute capability 7.0; Pascal has 6.x.
  const bool runs_llama = device.family == "apple" || device.family == "rdna" ||
                          device.family == "pascal" || device.kind == "cpu" ||
                          device.kind == "laptop" || device.kind == "edge" ||
                          device.kind == "board" || device.kind == "phone";
  return is_ggml || runs_llama ? "llama.cpp" : "vllm";
}

bool is_engine(std::string_view name) {
  const auto& engines = speed_table().engines;
  return std::any_of(engines.begin(), engines.end(),
                     [&](const Engine& engine) { return engine.name == name; });
}

std::string engine_names() {
  std::string names;
  for (const Engine& engine : speed_table().engines)
    if (engine.family.empty()) names += (names.empty() ? "" : ", ") + engine.name;
  return names;
}

}  // namespace strata::llm
