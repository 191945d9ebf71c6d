// One device's part of a serving step: memory, work, time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/device/device.h"
#include "strata/document/cell.h"
#include "strata/llm/network.h"
#include "strata/llm/speed_table.h"
#include "strata/llm/weights.h"

namespace strata::llm {

// A model as it is served, on which devices. It refers to the network.
struct Setup {
  const Network& network;
  WeightScheme weights;
  std::string cache_type = "bf16";
  double cache_element_bytes = 2;
  Division division = {};
  Device device = {};
  std::string engine = "vllm";
  double reserve_bytes = -1;        // of the engine; below 0: the usual one of
  std::string reserve_engine = {};  // this engine; empty: of `engine`
};

// Bytes on the device that holds the most.
struct Memory {
  WeightBytes weights;
  double cache = 0;   // of attention
  double states = 0;  // of state spaces, which do not grow
  double activations = 0;
  double reserve = 0;  // the engine's own
  double usable = 0;   // of the device's memory
  double device = 0;   // that memory

  double needed() const { return weights.all() + cache + states + activations + reserve; }
  double spare() const { return usable - needed(); }
  bool fits() const { return spare() >= 0; }
};
// `context` tokens in each of `batch` sequences.
Memory memory_of(const Setup& setup, double batch, double context);

// The most tokens of one sequence that fit; 0: not one. At most `kEndless`, where the cache does
// not grow.
inline constexpr double kEndless = 1e9;
double longest_context(const Setup& setup, double batch = 1);
double largest_batch(const Setup& setup, double context);

// Bytes and multiply-accumulates of a step on one device, by kind of kernel.
struct Work {
  double matrix_bytes = 0, matrix_macs = 0;
  double expert_bytes = 0;  // if tokens choose experts independently
  double expert_macs = 0;
  double rows = 1;  // tokens in a product
  // Multiply-accumulates that would take as long in full tiles on all cores (Engine::tile_rows).
  double matrix_tile_macs = 0, expert_tile_macs = 0;
  double own_expert_bytes = 0;  // if each token reads its experts anew
  double expert_layers = 0, layers = 0;
  double cache_bytes = 0;  // read and written, with states
  double attention_macs = 0;
  double all_reduces = 0, reduced_bytes = 0;  // of each
  double exchanged_bytes = 0;                 // all-to-all of experts, and cuts of a pipeline
  double exchanges = 0;
  double sequences = 0;
  // Tokens in the same text choose the same experts more often than by chance, so that fewer are
  // read: down to this share of `expert_bytes`.
  double least_experts = 1;

  double bytes() const { return matrix_bytes + expert_bytes + cache_bytes; }
  double macs() const { return matrix_macs + expert_macs + attention_macs; }
};
// The least share of the experts' bytes that a step of several tokens reads.
inline constexpr double kCorrelatedExperts = 0.75;  // gpt-oss on GB10, batches of 8 and 32
// Like above where a kernel sorts the tokens of a larger batch by their experts.
inline constexpr double kCorrelatedInTiles = 0.4;  // Qwen3-30B on RTX 4090, 16 to 64 tokens
// Each of `batch` sequences has `past` tokens in the cache and adds `tokens`.
Work work_of(const Setup& setup, double batch, double past, double tokens);

// The rows of the table of speeds that a type of weights has: `16`, `fp8`, `fp4`, `int8`, `int4`.
std::string_view kernel_format(const WeightScheme& weights);
// Operations a second for products of matrices: those of fp8 and fp4 units where the device has
// them, of fp16 otherwise. nullptr: the device states none.
const Figure* matrix_peak(const Device& device, double compute_bits);
const Figure* attention_peak(const Device& device, double compute_bits);

// How an engine multiplies matrices with the rows of a step.
enum class Product : std::uint8_t {
  Plain,    // bytes and arithmetic at once
  FewRows,  // on the vector units
  Tiles,    // in tiles of rows, which are filled up
};
Product product_of(const Setup& setup, const Engine& engine, double rows);
// Engine::few_rows; 0 on processors, which multiply row by row whatever the batch is.
double few_rows_of(const Engine& engine, const Device& device);
bool is_packed(const WeightScheme& weights);  // its matrices have less than 16 bits a weight
// The share of the device's cores that a matrix with so many outputs keeps busy.
double busy_share(const Engine& engine, const Device& device, double outputs, double rows);
// Bytes a second between devices; PCIe 4.0 with 16 lanes if the device states no link.
double link_of(const Device& device);

// The main limit of a step.
enum class Limit : std::uint8_t { Bandwidth, Arithmetic, Overhead, Traffic };
std::string_view name_of(Limit limit);

struct StepTime {
  double bound_s = 0;  // no kernel below its share of the peaks, and nothing else takes time
  Estimate likely_s;   // 10th to 90th percentile of every part at once
  Limit limit = Limit::Bandwidth;
  // Medians.
  double matrices_s = 0, experts_s = 0, attention_s = 0, overhead_s = 0, traffic_s = 0;
  double least_experts = 1;   // Work::least_experts
  bool assumes_link = false;  // the device states no link; PCIe 4.0 with 16 lanes is assumed
};
// Fails if the device states no bandwidth or no arithmetic.
Result<StepTime> time_of(const Setup& setup, const Work& work);

Result<StepTime> decode_time(const Setup& setup, double batch, double context);
Result<StepTime> prefill_time(const Setup& setup, double tokens);

// Tokens a second of all users, where prompts of `prompt` tokens are answered with `output` tokens
// and as many sequences run as fit, or `most` of them.
struct Throughput {
  double batch = 0;
  double bound = 0;
  Estimate likely;
};
Result<Throughput> throughput_of(const Setup& setup, double prompt, double output, double most);

}  // namespace strata::llm
