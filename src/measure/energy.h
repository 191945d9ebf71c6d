// What the machine took from the wall, as far as its processor counts it: RAPL, by Linux's
// powercap files. It counts all that the packages do, not one process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/base/result.h"

namespace strata {

class EnergyMeter {
 public:
  // `root` stands before /sys: for tests. The error says why there is none.
  static Result<EnergyMeter> open(const std::string& root = "");

  const std::string& source() const { return source_; }  // `RAPL package-0`
  // Since it was opened, of all packages; counters that start again are followed if this is
  // called often enough (they last for minutes). nullopt: no longer readable.
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
