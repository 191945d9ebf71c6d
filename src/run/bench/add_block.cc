// Adds the report of a block to the samples of its process.
#include <algorithm>
#include <numeric>

#include "bench/schedule.h"

namespace strata {

double drop_first(BlockReport& block) {
  const double first = block.seconds.front();
  const auto drop = [](auto& list) {
    if (!list.empty()) list.erase(list.begin());
  };
  drop(block.seconds);
  drop(block.runs.waits);
  drop(block.runs.cpu);
  drop(block.runs.switches);
  drop(block.runs.pace);
  return first;
}

void add_block(ProcessSamples& own, BlockReport block, double begin) {
  if (block.joules >= 0) own.joules = std::max(own.joules, 0.0) + block.joules;
  own.blocks.push_back(std::move(block.seconds));
  const RunContention& others = block.runs;
  own.block_cpu.push_back(std::accumulate(others.cpu.begin(), others.cpu.end(), 0.0));
  own.block_switches.push_back(
      std::accumulate(others.switches.begin(), others.switches.end(), std::int64_t{0}));
  own.waits_read = own.waits_read && others.waits_read;
  own.waits.push_back(std::move(block.runs.waits));
  own.paces.push_back(std::move(block.runs.pace));
  own.block_starts.push_back(begin);
  own.service.insert(own.service.end(), block.service.begin(), block.service.end());
  own.peak_resident_bytes = block.peak_resident_bytes;
  own.contention.add(block.contention);
}

}  // namespace strata
