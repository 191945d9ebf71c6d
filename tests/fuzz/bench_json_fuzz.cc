// Any text, read as a saved benchmark, gives one that can be printed, saved and read again, or
// one sentence.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "strata/report/bench.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto run = strata::bench_from_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!run) {
    if (run.error().message.empty()) std::abort();
    return 0;
  }
  strata::bench_to_table(*run);
  strata::bench_to_csv(*run, strata::BenchLayout::Torchblade);
  strata::bench_to_markdown(*run);
  const std::string json = strata::bench_to_json(*run);
  const auto again = strata::bench_from_json(json, "fuzz");
  if (!again || strata::bench_to_json(*again) != json) std::abort();
  return 0;
}
