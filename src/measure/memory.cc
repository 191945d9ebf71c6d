#include "strata/measure/memory.h"

#include <algorithm>
#include <unordered_map>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "measure/cancel_on_stop.h"

namespace strata {

MemoryTrace attribute_blocks(const Trace& trace) {
  MemoryTrace out;
  for (const Kernel& kernel : trace.kernels) out.kernels.push_back({kernel, 0, 0, 0, 0});
  std::stable_sort(out.kernels.begin(), out.kernels.end(),
                   [](const KernelMemory& a, const KernelMemory& b) {
                     return a.kernel.start_ns < b.kernel.start_ns;
                   });
  std::vector<Block> blocks = trace.blocks;
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block& a, const Block& b) { return a.time_ns < b.time_ns; });

  struct Taken {
    std::int64_t bytes;
    std::size_t kernel;
  };
  std::unordered_map<std::uint64_t, Taken> taken;  // by address
  out.peak_kernel = out.kernels.size();
  std::int64_t in_use = 0;
  std::size_t at = 0;
  // A block that is taken between two kernels belongs to the one that follows: engines
  // take the outputs of a kernel before its clock starts.
  for (std::size_t k = 0; k <= out.kernels.size(); ++k) {
    const bool after = k == out.kernels.size();
    const std::int64_t end =
        after ? trace.end_ns : out.kernels[k].kernel.start_ns + out.kernels[k].kernel.duration_ns;
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

void give_back_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace strata
