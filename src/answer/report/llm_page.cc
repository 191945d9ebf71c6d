// The numbers of the formulas of memory and of time, as tables that a page works with and does not
// show (assets/page/llm_model.js).
#include <algorithm>
#include <cmath>
#include <map>

#include "strata/llm/count.h"
#include "strata/llm/speed_table.h"
#include "strata/llm/weights.h"
#include "strata/report/llm.h"

namespace strata {

namespace {

using llm::Answer;
using llm::Layer;
using llm::Matrix;
using llm::Network;

Column number_column(std::string name) {
  return {.name = name, .title = name, .unit = Unit::Number};
}
Column text_column(const char* name) { return {.name = name, .title = name}; }

std::vector<Column> columns(std::initializer_list<const char*> texts,
                            std::initializer_list<const char*> numbers) {
  std::vector<Column> out;
  for (const char* name : texts) out.push_back(text_column(name));
  for (const char* name : numbers) out.push_back(number_column(name));
  return out;
}

// Equal neighbours, and the first of them.
struct Run {
  const Layer& layer;
  std::size_t first = 0;
  double count = 0;
};

std::vector<Run> runs_of(const Network& network) {
  std::vector<Run> out;
  for (std::size_t i = 0; i < network.layers.size();) {
    std::size_t end = i + 1;
    while (end < network.layers.size() && network.layers[end] == network.layers[i]) ++end;
    out.push_back({network.layers[i], i, static_cast<double>(end - i)});
    i = end;
  }
  return out;
}

double real(std::int64_t number) { return static_cast<double>(number); }

// Divided as the answer divides them. Multiply-accumulates are per pair of a query and a key.
Table layer_kinds(const Network& network, const Answer& answer) {
  Table out{.name = "layer_kinds",
            .columns = columns({}, {"count", "cache", "window", "chunked", "cross", "states",
                                    "width", "pair", "absorbed", "is_latent", "index_pair",
                                    "index_top", "index_cache", "cross_macs", "read"})};
  const double tensor = real(answer.division.tensor);
  for (const Run& run : runs_of(network)) {
    const Layer& layer = run.layer;
    const double share = llm::cache_share(layer, answer.division.tensor);
    const double heads = real((layer.heads + 2 * layer.kv_heads) * layer.key + 2 * layer.inner);
    const double width =
        real(layer.mlp == llm::Mlp::Experts ? layer.ffn * layer.chosen + layer.shared : layer.ffn);
    const std::int64_t index = layer.index_heads * (layer.index_head + 1);
    out.rows.push_back(
        {.cells = {run.count, real(llm::cache_elements(layer)) * share, real(layer.window),
                   layer.is_chunked ? 1.0 : 0.0, real(layer.cross_tokens),
                   llm::state_bytes(layer, {}) * share, std::max(heads, 3 * width) / tensor,
                   real(llm::pair_macs(layer) - index) / tensor,
                   real(llm::pair_macs(layer, true) - index) / tensor,
                   layer.mixer == llm::Mixer::Latent ? 1.0 : 0.0, real(index) / tensor,
                   real(layer.index_top), real(layer.index_head) * share,
                   real(layer.heads * (layer.key + layer.value) * layer.cross_tokens) / tensor,
                   real(llm::read_elements(layer)) * share}});
  }
  return out;
}

// Bytes that a step reads and MACs that it computes in the matrices of all layers, on one device.
struct MatrixWork {
  double bytes = 0, macs = 0;  // without experts
  struct Experts {
    std::int64_t experts = 0, chosen = 0;
    double bytes = 0, macs = 0;  // of all experts; of one token
  };
  std::vector<Experts> experts;         // by how many there are
  std::map<double, double> by_outputs;  // MACs of one row, without experts
};

MatrixWork matrix_work(const Network& network, const llm::Division& division,
                       const llm::WeightScheme& scheme) {
  MatrixWork out;
  const double ranks = real(division.experts > 1 ? division.experts : division.tensor);
  for (const Run& run : runs_of(network))
    for (const Matrix& matrix : matrices_of(run.layer, network.hidden)) {
      double bytes = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(run.count); ++i)
        bytes += real(matrix.elements()) * bits_of(network, scheme, matrix, run.first + i) / 8;
      const double macs = real(matrix.macs()) * run.count;
      if (matrix.part != llm::Part::Experts) {
        const double share = llm::tensor_share(matrix, run.layer, division.tensor);
        out.bytes += bytes * share;
        out.macs += macs * share;
        out.by_outputs[real(matrix.outputs) * share] += macs * share;
        continue;
      }
      auto known = std::find_if(out.experts.begin(), out.experts.end(), [&](const auto& one) {
        return one.experts == run.layer.experts && one.chosen == run.layer.chosen;
      });
      if (known == out.experts.end())
        known = out.experts.insert(known, {run.layer.experts, run.layer.chosen, 0, 0});
      known->bytes += bytes / ranks;
      known->macs += macs / ranks;
    }
  return out;
}

struct WeightTables {
  Table types{.name = "weight_types",
              .columns = columns({"name", "format"}, {"bytes", "matrices", "head", "embedding_row",
                                                      "compute_bits", "packed"})};
  Table experts{.name = "expert_kinds",
                .columns = columns({"weights"}, {"experts", "chosen", "bytes", "macs"})};
};

WeightTables weight_tables(const Network& network, const Answer& answer) {
  WeightTables out;
  const double head =
      network.has_head ? real(head_macs(network)) / real(answer.division.tensor) : 0;
  const auto add = [&](const llm::WeightScheme& scheme) {
    const MatrixWork work = matrix_work(network, answer.division, scheme);
    const double head_bits = network.tied ? embedding_bits(network, scheme) : scheme.head;
    out.types.rows.push_back(
        {.cells = {scheme.name, llm::kernel_format(scheme),
                   weight_bytes(network, scheme, answer.division).all(), work.bytes,
                   head * head_bits / 8, real(network.hidden) * embedding_bits(network, scheme) / 8,
                   scheme.compute_bits, llm::is_packed(scheme) ? 1.0 : 0.0}});
    for (const MatrixWork::Experts& one : work.experts)
      out.experts.rows.push_back(
          {.cells = {scheme.name, real(one.experts), real(one.chosen), one.bytes, one.macs}});
  };
  add(answer.weights);
  for (const llm::WeightScheme& scheme : llm::weight_schemes())
    if (scheme.name != answer.weights.name) add(scheme);
  return out;
}

Table cache_types() {
  Table out{.name = "cache_types", .columns = columns({"name"}, {"bytes"})};
  for (const char* name : {"bf16", "f16", "f32", "fp8", "int8", "q8_0", "q4_0"})
    if (const auto bytes = llm::cache_element_bytes(name))
      out.rows.push_back({.cells = {name, *bytes}});
  return out;
}

Cell value_of(const std::optional<Figure>& figure) { return figure ? Cell(figure->value) : Cell(); }
Cell value_of(const Figure* figure) { return figure != nullptr ? Cell(figure->value) : Cell(); }

// The device of the answer first, with its engine; others with the one that is usual there.
Table memories(const Answer& answer, std::span<const Device> devices) {
  Table out{.name = "memories",
            .columns =
                columns({"name", "title", "family", "engine"},
                        {"usable",     "reserve",     "block",     "batched",      "keeps_logits",
                         "bandwidth",  "peak4",       "peak8",     "peak16",       "attention4",
                         "attention8", "attention16", "link",      "vector_peak",  "units",
                         "few_rows",   "also_plain",  "tile_rows", "tile_outputs", "tiles_per_core",
                         "expert_rows"})};
  for (const Device& device : devices) {
    const bool is_own = device.name == answer.device;
    const llm::Engine* engine = llm::find_engine(
        is_own ? answer.engine : std::string(llm::usual_engine(device, answer.weights.name)),
        device);
    if (!device.memory_bytes || engine == nullptr) continue;
    const double memory = device.memory_bytes->value;
    TableRow row{.cells = {device.name,
                           device.title.empty() ? device.name : device.title,
                           device.family,
                           engine->name,
                           is_own ? answer.memory.usable : memory * engine->usable,
                           is_own ? answer.memory.reserve : engine->reserve_bytes,
                           engine->cache_block,
                           llm::batched_tokens_of(*engine, device),
                           engine->keeps_logits ? 1.0 : 0.0,
                           value_of(device.bandwidth),
                           value_of(llm::matrix_peak(device, 4)),
                           value_of(llm::matrix_peak(device, 8)),
                           value_of(llm::matrix_peak(device, 16)),
                           value_of(llm::attention_peak(device, 4)),
                           value_of(llm::attention_peak(device, 8)),
                           value_of(llm::attention_peak(device, 16)),
                           llm::link_of(device),
                           value_of(device.peak("fp32")),
                           value_of(device.units),
                           llm::few_rows_of(*engine, device),
                           engine->also_plain ? 1.0 : 0.0,
                           engine->tile_rows,
                           engine->tile_outputs,
                           engine->tiles_per_core,
                           engine->expert_rows}};
    out.rows.insert(is_own ? out.rows.begin() : out.rows.end(), std::move(row));
  }
  return out;
}

std::string_view name_of(llm::Kernel kernel) {
  switch (kernel) {
    case llm::Kernel::MatrixBytes:
      return "matrix_bytes";
    case llm::Kernel::CacheBytes:
      return "cache_bytes";
    case llm::Kernel::MatrixFlops:
      return "matrix_flops";
    case llm::Kernel::AttentionFlops:
      return "attention_flops";
    case llm::Kernel::FewRowsFlops:
      return "few_rows_flops";
    case llm::Kernel::TileBytes:
      break;
  }
  return "tile_bytes";
}

// How many of the MACs of a row are in matrices with so many outputs; the head's are apart.
Table matrix_outputs(const Network& network, const Answer& answer) {
  Table out{.name = "matrix_outputs", .columns = columns({}, {"outputs", "macs", "is_head"})};
  const MatrixWork work = matrix_work(network, answer.division, answer.weights);
  for (const auto& [outputs, macs] : work.by_outputs)
    out.rows.push_back({.cells = {outputs, macs, 0.0}});
  const double tensor = real(answer.division.tensor);
  if (network.has_head)
    out.rows.push_back(
        {.cells = {real(network.vocab) / tensor, real(head_macs(network)) / tensor, 1.0}});
  return out;
}

// data/llm/speed.json. Of rows that fit, the first counts.
Table efficiencies() {
  Table out{.name = "efficiencies",
            .columns = columns({"engine", "family", "format", "devices", "kernel"},
                               {"p10", "median", "p90"})};
  for (const llm::Efficiency& row : llm::speed_table().efficiencies)
    out.rows.push_back(
        {.cells = {row.engine, row.family, row.format, row.devices, name_of(row.kernel),
                   row.value.p10, row.value.median, row.value.p90}});
  return out;
}

Table engines() {
  Table out{.name = "engines",
            .columns = columns(
                {"name", "family"},
                {"layer10", "layer50", "layer90", "expert10", "expert50", "expert90", "reduce10",
                 "reduce50", "reduce90", "sequence10", "sequence50", "sequence90"})};
  for (const llm::Engine& engine : llm::speed_table().engines) {
    TableRow row{.cells = {engine.name, engine.family}};
    for (const llm::Spread& one :
         {engine.layer_s, engine.expert_layer_s, engine.all_reduce_s, engine.sequence_s})
      for (const double seconds : {one.p10, one.median, one.p90}) row.cells.emplace_back(seconds);
    out.rows.push_back(std::move(row));
  }
  return out;
}

// Totals of the network and of its division.
Table serving_table(const Network& network, const Answer& answer) {
  const llm::Division& division = answer.division;
  const double layers = real(static_cast<std::int64_t>(network.layers.size()));
  const double stages = real(division.pipeline), tensor = real(division.tensor);
  double widths = 0, expert_layers = 0, reduces = 0, exchanged = 0;
  for (const Layer& layer : network.layers) {
    const bool has_experts = layer.mlp == llm::Mlp::Experts;
    const double ffn = real(has_experts ? layer.ffn * layer.chosen + layer.shared : layer.ffn);
    widths += real(8 * network.hidden) + 3 * ffn / tensor;
    expert_layers += has_experts ? 1 : 0;
    const bool has_both = layer.mixer != llm::Mixer::None && layer.mlp != llm::Mlp::None;
    if (division.tensor > 1) reduces += has_both && division.experts == 1 ? 2 : 1;
    const double ranks = real(division.experts);
    if (has_experts && division.experts > 1)
      exchanged += real(layer.chosen) * 1.5 * (ranks - 1) / ranks;
  }
  Table serving{.name = "serving",
                .columns = columns({"device", "weight_type", "cache_type"},
                                   {"stage_share", "replicas", "hidden", "logits", "max_context",
                                    "context", "batch", "tensor", "stages", "expert_ranks",
                                    "widths", "layers", "expert_layers", "matrix_macs", "head_macs",
                                    "reduces", "exchanged", "correlated", "correlated_in_tiles"})};
  const double head = network.has_head ? real(head_macs(network)) / tensor : 0;
  serving.rows.push_back({.cells = {answer.device,
                                    answer.weights.name,
                                    answer.cache_type,
                                    layers == 0 ? 1.0 : std::ceil(layers / stages) / layers,
                                    real(division.replicas()),
                                    real(network.hidden),
                                    real(network.vocab) / tensor,
                                    real(network.max_context),
                                    answer.context,
                                    answer.batch,
                                    tensor,
                                    stages,
                                    real(division.experts),
                                    widths,
                                    layers,
                                    expert_layers,
                                    matrix_work(network, division, answer.weights).macs,
                                    head,
                                    reduces,
                                    exchanged,
                                    llm::kCorrelatedExperts,
                                    llm::kCorrelatedInTiles}});
  return serving;
}

}  // namespace

std::vector<Table> llm_page_tables(const Network& network, const Answer& answer,
                                   std::span<const Device> devices) {
  WeightTables weights = weight_tables(network, answer);
  return {serving_table(network, answer),
          layer_kinds(network, answer),
          std::move(weights.types),
          std::move(weights.experts),
          cache_types(),
          memories(answer, devices),
          matrix_outputs(network, answer),
          efficiencies(),
          engines()};
}

}  // namespace strata
