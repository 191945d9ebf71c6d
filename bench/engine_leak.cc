// Times the 34 networks of the published table one after the other in one process, and measures
// what stays resident afterwards.
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "engine_figures.h"
#include "strata/measure/memory.h"

namespace {

constexpr double kMost = 50e6;  // bytes

double resident_bytes() {
  double pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void time_once(const strata::Engine& engine, std::string_view name) {
  {
    const bench::Subject subject = bench::subject(name);
    strata::TimingOptions options;
    options.session.threads = 1;
    options.runs = 2;
    options.warmup = 0;
    bench::or_exit(strata::time_model(engine, subject.source(), subject.inputs, options));
  }
  strata::give_back_free_memory();
}

std::string megabytes(double bytes) { return fmt::format("{:.1f} MB", 1e-6 * bytes); }

}  // namespace

int main() {
  const auto engine = bench::engine();
  if (!engine) return 0;
  bench::print_head("resident memory after networks were timed in one process");
  struct Network {
    std::string_view name;
    std::uint64_t bytes;
    double resident;
  };
  std::vector<Network> networks;
  for (const strata::zoo::Entry& entry : strata::zoo::entries()) {
    if (!entry.in_table) continue;
    time_once(*engine, entry.name);
    networks.push_back({entry.name, 0, resident_bytes()});
    for (const auto& data : bench::or_exit(strata::zoo::build(entry.name)).model.stored)
      networks.back().bytes += static_cast<std::uint64_t>(data.elements().number().value_or(0));
  }
  const Network first = networks.front(), last = networks.back();
  time_once(*engine, first.name);
  const double again = resident_bytes();
  std::sort(networks.begin(), networks.end(),
            [](const Network& a, const Network& b) { return a.bytes > b.bytes; });
  const Network& second = networks.at(1);
  const auto most =
      std::max_element(networks.begin(), networks.end(),
                       [](const Network& a, const Network& b) { return a.resident < b.resident; });
  bench::print_row(fmt::format("after {}, the first", first.name), megabytes(first.resident));
  bench::print_row(fmt::format("after {}, the most", most->name), megabytes(most->resident));
  bench::print_row(fmt::format("after {}, the second largest", second.name),
                   megabytes(second.resident));
  bench::print_row(fmt::format("after {}, the last of {}", last.name, networks.size()),
                   megabytes(last.resident));
  bench::print_row("  more than after the second largest",
                   megabytes(last.resident - second.resident), "<= 50 MB",
                   bench::verdict(last.resident - second.resident, -1e18, kMost));
  bench::print_row(fmt::format("after {} once more", first.name), megabytes(again));
  bench::print_row("  more than after it was the first", megabytes(again - first.resident),
                   "<= 50 MB", bench::verdict(again - first.resident, -1e18, kMost));
  return 0;
}
