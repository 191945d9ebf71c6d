// The machine that something was measured on, recorded with every number.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace strata {

struct Cache {
  int level = 0;
  std::string kind;  // `data`, `instruction`, `unified`
  std::int64_t bytes = 0;
};

// A value that cannot be read is empty or -1, never made up.
struct MachineFacts {
  std::string cpu;               // `AMD EPYC 7B13`
  int cores = 0;                 // number that this process may use
  std::vector<Cache> caches;     // of the first core
  std::vector<std::string> isa;  // those that matter to kernels: `avx2`, `avx512f`, `amx_int8`
  double mhz = -1;               // at the moment
  double max_mhz = -1;
  std::string governor;
  double load = -1;  // one-minute average, before the measurement
  std::int64_t memory_bytes = -1;
  std::string kernel;  // `Linux 6.1.0`
};

// `root` is put before /proc and /sys, for tests.
MachineFacts read_machine(const std::string& root = "");

// Everything that is known, in words: `cpu`, `cores`, `isa`, `l1`, `l2`, `l3`, `mhz`, `max_mhz`,
// `governor`, `load`, `memory`, `kernel`.
std::vector<std::pair<std::string, std::string>> named_facts(const MachineFacts& facts);

}  // namespace strata
