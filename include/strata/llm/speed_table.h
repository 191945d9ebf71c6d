// How much of its peaks a device reaches, by kernel, type and engine, as shares with their spread:
// data/llm/speed.json, where each number has its source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/device/device.h"

namespace strata::llm {

// From the 10th to the 90th percentile.
struct Spread {
  double p10 = 0, median = 0, p90 = 0;
};

// FewRowsFlops is a share of the peak of the vector units, in fp32. TileBytes is for a batch above
// `few_rows` of the engine.
enum class Kernel : unsigned char {
  MatrixBytes,
  CacheBytes,
  MatrixFlops,
  AttentionFlops,
  FewRowsFlops,
  TileBytes,
};

struct Efficiency {
  std::string engine = {}, family = {}, format = {};  // empty: any
  std::string devices = {};                           // names with spaces between; empty: any
  Kernel kernel = Kernel::MatrixBytes;
  Spread value = {};
  std::string source = {};
};

struct Engine {
  std::string name, title;
  std::string family;               // of devices; empty: any
  double usable = 1;                // share of a device's memory
  double reserve_bytes = 0;         // its own, beside weights, cache and activations
  double cache_block = 1;           // a sequence's tokens are rounded up to whole blocks
  double batched_tokens = 0;        // of a prompt at a time
  double small_batched_tokens = 0;  // the same on devices with less than `kLargeMemory`
  bool keeps_logits = false;        // of all of them, in f32
  Spread layer_s, expert_layer_s;   // time that a layer adds to its kernels' bytes
  Spread all_reduce_s;              // latency of one
  Spread sequence_s;                // of a step, for each sequence: sampling, scheduling
  // A product with up to so many rows runs on the vector units, one with more of them in tiles; 0:
  // the engine has one kind of product. Packed weights only, unless `also_plain`.
  double few_rows = 0;
  bool also_plain = false;
  // Tiles of so many rows and outputs, and how many a core needs to be busy; 0: always busy.
  double tile_rows = 1, tile_outputs = 0, tiles_per_core = 0;
  double expert_rows = 0;  // fewer rows than this read the experts of each token anew
  std::string source = {};
};

// From here on, vLLM works on longer parts of a prompt.
inline constexpr double kLargeMemory = 70.0 * 1024 * 1024 * 1024;
double batched_tokens_of(const Engine& engine, const Device& device);

struct SpeedTable {
  std::vector<Efficiency> efficiencies;
  std::vector<Engine> engines;
};
// Read once.
const SpeedTable& speed_table();

// The first row that fits. `format`: `16`, `fp8`, `fp4`, `int8`, `int4`.
const Efficiency& efficiency_of(const Device& device, std::string_view engine, Kernel kernel,
                                std::string_view format);
// nullptr: there is none of that name.
const Engine* find_engine(std::string_view name, const Device& device);
// The one that people run such weights on there: llama.cpp for its own types, for Apple's devices,
// those of consumers that are not NVIDIA's, and GPUs older than Volta; vLLM otherwise.
std::string usual_engine(const Device& device, std::string_view weights);
std::string engine_names();
bool is_engine(std::string_view name);

}  // namespace strata::llm
