#include "machine/energy.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const std::string& file) {
  std::ifstream in(file);
  double number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

std::string line_in(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// True for `intel-rapl:0`, not for its parts `intel-rapl:0:1`. AMD's processors are listed this
// way, too.
bool is_package(const std::string& folder) {
  return folder.starts_with("intel-rapl:") && std::count(folder.begin(), folder.end(), ':') == 1;
}

}  // namespace

Result<EnergyMeter> EnergyMeter::open(const std::string& root) {
  const std::string folder = root + "/sys/class/powercap";
  std::error_code error;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_package(entry.path().filename())) found.push_back(entry.path().string());
  if (found.empty()) return failure(fmt::format("no RAPL counters in {} on this machine", folder));
  std::sort(found.begin(), found.end());
  EnergyMeter meter;
  std::vector<std::string> names;
  for (const std::string& package : found) {
    const std::string file = package + "/energy_uj";
    errno = 0;
    const auto now = number_in(file);
    if (!now)
      return failure(fmt::format("{} cannot be read: {}", file,
                                 errno != 0 ? std::strerror(errno) : "not a number"));
    meter.packages_.push_back(
        {file, *now, number_in(package + "/max_energy_range_uj").value_or(0)});
    // Packages are recognised by their names; a platform (psys) would count them again.
    const std::string name = line_in(package + "/name");
    if (name == "psys")
      meter.packages_.pop_back();
    else
      names.push_back(name);
  }
  if (names.empty()) return failure(fmt::format("no processor package in {}", folder));
  meter.source_ = fmt::format("RAPL {}", fmt::join(names, " + "));
  return meter;
}

std::optional<double> EnergyMeter::joules() {
  for (Package& package : packages_) {
    const auto now = number_in(package.file);
    if (!now) return std::nullopt;
    double step = *now - package.last_uj;
    if (step < 0) step += package.range_uj;
    total_uj_ += std::max(step, 0.0);
    package.last_uj = *now;
  }
  return 1e-6 * total_uj_;
}

}  // namespace strata
