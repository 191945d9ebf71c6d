#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "strata/llm/count.h"
#include "strata/llm/step.h"

namespace strata::llm {

namespace {

constexpr double kPcie = 25e9;  // bytes a second of 16 lanes of PCIe 4.0, as copies reach them

struct Rates {
  double bandwidth = 0, matrix_peak = 0, attention_peak = 0, vector_peak = 0, link = 0;
};

// Times of one level of the spread: 0 is the fast end.
struct Level {
  double matrix, cache, flops, attention;  // shares of peaks
  double few_rows, tile;
  double layer, expert_layer, all_reduce, sequence;
  double experts;  // share of the experts' bytes
};

Level level_of(const Setup& setup, const Engine& engine, const Work& work, int which) {
  // High efficiency is fast; high overhead is slow.
  const auto fast = [which](const Spread& s) { return std::array{s.p90, s.median, s.p10}[which]; };
  const auto slow = [which](const Spread& s) { return std::array{s.p10, s.median, s.p90}[which]; };
  const std::string_view format = kernel_format(setup.weights);
  const auto of = [&](Kernel kernel) {
    return fast(efficiency_of(setup.device, setup.engine, kernel, format).value);
  };
  const std::array<double, 3> experts = {work.least_experts, (1 + work.least_experts) / 2, 1};
  return {of(Kernel::MatrixBytes),
          of(Kernel::CacheBytes),
          of(Kernel::MatrixFlops),
          of(Kernel::AttentionFlops),
          of(Kernel::FewRowsFlops),
          of(Kernel::TileBytes),
          slow(engine.layer_s),
          slow(engine.expert_layer_s),
          slow(engine.all_reduce_s),
          slow(engine.sequence_s),
          experts[which]};
}

// Seconds that one kind of kernel needs for its bytes, for its arithmetic, and for both.
struct Kernels {
  double bytes_s = 0, flops_s = 0, both_s = 0;
};

Kernels at_once(double bytes_s, double flops_s) {
  return {bytes_s, flops_s, std::max(bytes_s, flops_s)};
}
// Reading and unpacking hide each other in part only.
Kernels in_part(double bytes_s, double flops_s) {
  return {bytes_s, flops_s, std::hypot(bytes_s, flops_s)};
}

struct Parts {
  Kernels matrices, experts, attention;
  double overhead_s = 0, traffic_s = 0;

  double all() const {
    return matrices.both_s + experts.both_s + attention.both_s + overhead_s + traffic_s;
  }
};

void add_products(Parts& out, const Work& work, const Rates& rates, const Level& level,
                  Product product, bool reads_anew) {
  const auto bytes = [&](double amount, double share) {
    return amount / (share * rates.bandwidth);
  };
  const auto flops = [&](double macs) { return 2 * macs / (level.flops * rates.matrix_peak); };
  const auto few = [&](double macs) { return 2 * macs / (level.few_rows * rates.vector_peak); };
  const double experts = reads_anew ? work.own_expert_bytes : work.expert_bytes * level.experts;
  switch (product) {
    case Product::Plain:
      out.matrices = at_once(bytes(work.matrix_bytes, level.matrix), flops(work.matrix_macs));
      out.experts = at_once(bytes(experts, level.matrix), flops(work.expert_macs));
      break;
    case Product::FewRows:
      out.matrices = in_part(bytes(work.matrix_bytes, level.matrix), few(work.matrix_macs));
      // A token's experts are its own, so that each is multiplied with a row at a time.
      out.experts = at_once(bytes(experts, level.matrix), flops(work.expert_macs));
      break;
    case Product::Tiles:
      out.matrices = in_part(bytes(work.matrix_bytes, level.tile), flops(work.matrix_tile_macs));
      out.experts =
          reads_anew
              ? at_once(bytes(experts, level.matrix), flops(work.expert_macs))
              : in_part(bytes(experts, level.tile),
                        flops(std::max(work.expert_macs, work.expert_tile_macs * level.experts)));
      break;
  }
  if (work.expert_layers == 0) out.experts = {};
}

Parts parts_at(const Work& work, const Rates& rates, const Level& level, double ranks,
               Product product, bool reads_anew) {
  Parts out;
  add_products(out, work, rates, level, product, reads_anew);
  out.attention = at_once(work.cache_bytes / (level.cache * rates.bandwidth),
                          2 * work.attention_macs / (level.attention * rates.attention_peak));
  out.overhead_s = work.layers * level.layer + work.expert_layers * level.expert_layer +
                   work.sequences * level.sequence;
  if (work.all_reduces > 0)
    out.traffic_s = work.all_reduces *
                    (level.all_reduce + 2 * (ranks - 1) / ranks * work.reduced_bytes / rates.link);
  out.traffic_s += work.exchanges * level.all_reduce + work.exchanged_bytes / rates.link;
  return out;
}

Limit limit_of(const Parts& median) {
  double moved = 0, computed = 0;
  for (const Kernels& one : {median.matrices, median.experts, median.attention})
    (one.bytes_s >= one.flops_s ? moved : computed) += one.both_s;
  const double most = std::max({moved, computed, median.overhead_s, median.traffic_s});
  if (most == moved) return Limit::Bandwidth;
  if (most == computed) return Limit::Arithmetic;
  return most == median.overhead_s ? Limit::Overhead : Limit::Traffic;
}

}  // namespace

std::string_view kernel_format(const WeightScheme& weights) {
  const std::string_view name = weights.name;
  if (name == "fp8") return "fp8";
  if (name == "nvfp4") return "fp4";
  if (name == "int8") return "int8";
  if (name == "awq" || name == "gptq" || name == "nf4" || name == "fp4" || name.starts_with("int"))
    return "int4";
  return "16";
}

const Figure* matrix_peak(const Device& device, double compute_bits) {
  const Figure* found = nullptr;
  if (compute_bits <= 4) found = device.peak("fp4");
  if (found == nullptr && compute_bits <= 8) found = device.peak("fp8");
  for (const char* precision : {"bf16", "fp16", "fp32-matrix", "fp32"})
    if (found == nullptr) found = device.peak(precision);
  return found;
}

const Figure* attention_peak(const Device& device, double compute_bits) {
  if (const Figure* half = device.peak("bf16")) return half;
  if (const Figure* half = device.peak("fp16")) return half;
  return matrix_peak(device, compute_bits);
}

bool is_packed(const WeightScheme& weights) { return weights.is_stored || weights.linear < 16; }

double few_rows_of(const Engine& engine, const Device& device) {
  const bool is_gpu = device.kind == "gpu" || device.kind == "edge" || device.family == "apple";
  return is_gpu ? engine.few_rows : 0;
}

Product product_of(const Setup& setup, const Engine& engine, double rows) {
  const double few = few_rows_of(engine, setup.device);
  // Whole chunks of a prompt have arithmetic enough to hide everything else.
  if (rows <= 1 || few == 0 || rows >= engine.batched_tokens) return Product::Plain;
  if (!is_packed(setup.weights) && !engine.also_plain) return Product::Plain;
  return rows <= few ? Product::FewRows : Product::Tiles;
}

double busy_share(const Engine& engine, const Device& device, double outputs, double rows) {
  if (engine.tile_outputs == 0 || !device.units) return 1;
  const double tiles =
      std::ceil(outputs / engine.tile_outputs) * std::ceil(rows / engine.tile_rows);
  return std::min(1.0, tiles / (engine.tiles_per_core * device.units->value));
}

double link_of(const Device& device) { return device.link ? device.link->value : kPcie; }

std::string_view name_of(Limit limit) {
  switch (limit) {
    case Limit::Bandwidth:
      return "bandwidth";
    case Limit::Arithmetic:
      return "arithmetic";
    case Limit::Overhead:
      return "overhead";
    case Limit::Traffic:
      return "traffic";
  }
  return "";
}

Result<StepTime> time_of(const Setup& setup, const Work& work) {
  const Device& device = setup.device;
  const Figure* peak = matrix_peak(device, setup.weights.compute_bits);
  if (!device.bandwidth || peak == nullptr)
    return failure(fmt::format("{} states no {}, so that no time can be told", device.name,
                               device.bandwidth ? "arithmetic" : "bandwidth"));
  const Engine* engine = find_engine(setup.engine, device);
  if (engine == nullptr)
    return failure(
        fmt::format("no engine is called \"{}\"; strata knows {}", setup.engine, engine_names()),
        ErrorKind::Usage);
  Rates rates{.bandwidth = device.bandwidth->value, .matrix_peak = peak->value};
  rates.attention_peak = attention_peak(device, setup.weights.compute_bits)->value;
  rates.link = link_of(device);
  const Figure* vector = device.peak("fp32");
  rates.vector_peak = vector == nullptr ? rates.matrix_peak : vector->value;
  const auto ranks = static_cast<double>(setup.division.tensor);
  const Product product = product_of(setup, *engine, work.rows);
  const bool reads_anew = product != Product::Plain && work.rows < engine->expert_rows;
  const auto at = [&](int which) {
    return parts_at(work, rates, level_of(setup, *engine, work, which), ranks, product, reads_anew);
  };
  const Parts usual = at(1);
  StepTime out;
  out.matrices_s = usual.matrices.both_s;
  out.experts_s = usual.experts.both_s;
  out.attention_s = usual.attention.both_s;
  out.overhead_s = usual.overhead_s;
  out.traffic_s = usual.traffic_s;
  out.likely_s = {.value = usual.all(), .low = at(0).all(), .high = at(2).all()};
  const Level whole{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, work.least_experts};
  Rates free = rates;  // traffic takes no time
  free.link = std::numeric_limits<double>::infinity();
  out.bound_s = parts_at(work, free, whole, ranks, Product::Plain, false).all();
  out.limit = limit_of(usual);
  out.least_experts = work.least_experts;
  out.assumes_link = !device.link && setup.division.devices() > 1;
  return out;
}

Result<StepTime> decode_time(const Setup& setup, double batch, double context) {
  // The last token of the context is the new one. In a pipeline, as many parts of the batch as
  // there are stages run at once, each stage reading its layers once for every part.
  const auto stages = static_cast<double>(setup.division.pipeline);
  const double part = std::max(std::ceil(batch / stages), 1.0);
  return time_of(setup, work_of(setup, part, std::max(context - 1, 0.0), 1));
}

Result<StepTime> prefill_time(const Setup& setup, double tokens) {
  return time_of(setup, work_of(setup, 1, 0, tokens));
}

Result<Throughput> throughput_of(const Setup& setup, double prompt, double output, double most) {
  Throughput out;
  // Memory is planned for whole sequences, time is that of the mean length.
  out.batch = std::min(most, largest_batch(setup, prompt + output));
  if (out.batch < 1)
    return failure(fmt::format("a sequence of {:.0f} tokens does not fit", prompt + output));
  const auto step = decode_time(setup, out.batch, prompt + output / 2);
  if (!step) return failure(step);
  // Prompts fill a step together, so that weights are read once for all of them.
  const Engine* engine = find_engine(setup.engine, setup.device);
  const double together =
      std::max(1.0, std::floor(batched_tokens_of(*engine, setup.device) / prompt));
  auto prompts = time_of(setup, work_of(setup, together, 0, prompt));
  if (!prompts) return failure(prompts);
  const auto rate = [&](double step_s, double prompt_s) {
    return 1 / (step_s / out.batch + prompt_s / together / output);
  };
  out.bound = rate(step->bound_s, prompts->bound_s);
  out.likely = {.value = rate(step->likely_s.value, prompts->likely_s.value),
                .low = rate(step->likely_s.high, prompts->likely_s.high),
                .high = rate(step->likely_s.low, prompts->likely_s.low)};
  return out;
}

}  // namespace strata::llm
