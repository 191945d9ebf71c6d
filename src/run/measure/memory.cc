#include "strata/measure/memory.h"

#include <algorithm>

#include "base/system_calls.h"
#include "measure/cancel_on_stop.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

// Engines' clocks may count whole microseconds and round start and duration down, so that a kernel
// seems to end before it gives back its scratch.
constexpr std::int64_t kRounding = 2000;

std::int64_t end_of(const KernelMemory& own) {
  return own.kernel.start_ns + own.kernel.duration_ns;
}

bool is_earlier(const Block& a, const Block& b) { return a.time_ns < b.time_ns; }

// Moves such moments to the end of the kernel. Blocks and kernels are in the order of time.
void undo_rounding(std::vector<Block>& blocks, const std::vector<KernelMemory>& kernels) {
  NumberMap<std::size_t> taken_in;  // address → kernel
  std::size_t next = 0;
  for (Block& block : blocks) {
    while (next < kernels.size() && end_of(kernels[next]) < block.time_ns) ++next;
    if (block.bytes >= 0) {
      taken_in[block.address] = next;
      continue;
    }
    const auto taken = taken_in.find(block.address);
    if (taken == taken_in.end() || taken->second + 1 != next) continue;
    // The last kernel gives its output back as soon.
    if (next == kernels.size() || block.time_ns >= kernels[next].kernel.start_ns) continue;
    const std::int64_t end = end_of(kernels[next - 1]);
    if (block.time_ns <= end + kRounding) block.time_ns = end;
  }
  std::stable_sort(blocks.begin(), blocks.end(), is_earlier);
}

}  // namespace

MemoryTrace attribute_blocks(const Trace& trace) {
  MemoryTrace out;
  for (const Kernel& kernel : trace.kernels) out.kernels.push_back({kernel, 0, 0, 0, 0});
  std::stable_sort(out.kernels.begin(), out.kernels.end(),
                   [](const KernelMemory& a, const KernelMemory& b) {
                     return a.kernel.start_ns < b.kernel.start_ns;
                   });
  std::vector<Block> blocks = trace.blocks;
  std::stable_sort(blocks.begin(), blocks.end(), is_earlier);
  undo_rounding(blocks, out.kernels);

  struct Taken {
    std::int64_t bytes;
    std::size_t kernel;
  };
  NumberMap<Taken> taken;  // by address
  out.peak_kernel = out.kernels.size();
  std::int64_t in_use = 0;
  std::size_t at = 0;
  // A block that is taken between two kernels belongs to the one that follows: engines
  // take the outputs of a kernel before its clock starts.
  for (std::size_t k = 0; k <= out.kernels.size(); ++k) {
    const bool after = k == out.kernels.size();
    const std::int64_t end = after ? trace.end_ns : end_of(out.kernels[k]);
    if (!after) out.kernels[k].peak = in_use;
    for (; at < blocks.size() && (after || blocks[at].time_ns <= end); ++at) {
      const Block& block = blocks[at];
      if (block.bytes >= 0) {
        in_use += block.bytes;
        taken[block.address] = {block.bytes, k};
        if (!after) out.kernels[k].allocated += block.bytes;
      } else if (const auto known = taken.find(block.address); known != taken.end()) {
        in_use -= known->second.bytes;
        if (!after && known->second.kernel == k) out.kernels[k].scratch += known->second.bytes;
        taken.erase(known);
      }
      if (!after) out.kernels[k].peak = std::max(out.kernels[k].peak, in_use);
      if (in_use > out.peak) {
        out.peak = in_use;
        out.peak_kernel = k;
      }
    }
    if (!after) out.kernels[k].held = in_use;
  }
  out.left = in_use;
  return out;
}

Result<MemoryTrace> trace_memory(const Engine& engine, const ModelSource& model,
                                 const std::vector<HostTensor>& inputs, const SessionOptions& given,
                                 const std::atomic<bool>* stop) {
  SessionOptions options = given;
  options.trace_time = options.trace_memory = true;
  auto session =
      model.path.empty() ? engine.open(model.bytes, options) : engine.open(model.path, options);
  if (!session) return failure(session);
  if (auto status = session->bind(inputs); !status) return failure(status);
  CancelOnStop cancel(stop);
  cancel.watch(*session);
  const Session::Wanted quiet{.kernels = false, .blocks = false, .outputs = false};
  auto first = session->run_traced(quiet);
  if (!first) return failure(first);
  auto trace = session->run_traced({.kernels = false, .blocks = true, .outputs = false});
  if (!trace) return failure(trace);
  auto kernels = session->kernels();
  if (!kernels) return failure(kernels);
  for (Kernel& kernel : *kernels)
    if (kernel.run == trace->run) trace->kernels.push_back(std::move(kernel));
  MemoryTrace out = attribute_blocks(*trace);
  out.weight_bytes = session->weight_bytes();
  return out;
}

void give_back_free_memory() { system_calls::trim_heap(); }

}  // namespace strata
