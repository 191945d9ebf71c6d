// The energy that the machine used, as far as its processor counts it: RAPL, through Linux's
// powercap files. It counts everything that the packages do, not just one process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/base/result.h"

namespace strata {

class EnergyMeter {
 public:
  // `root` is put before /sys, for tests. The error says why there is no meter.
  static Result<EnergyMeter> open(const std::string& root = "");

  const std::string& source() const { return source_; }  // `RAPL package-0`
  // Energy of all packages since the meter was opened. Counters wrap around after minutes, which is
  // noticed if this is called often enough. nullopt: no longer readable.
  std::optional<double> joules();

 private:
  struct Package {
    std::string file;
    double last_uj = 0, range_uj = 0;
  };
  std::vector<Package> packages_;
  std::string source_;
  double total_uj_ = 0;
};

}  // namespace strata
