#include "strata/machine/contention.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>

#include "strata/machine/pace.h"

namespace strata {

namespace {

double wall_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Exact to the nanosecond, where getrusage may count ticks.
double cpu_now() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::int64_t involuntary_now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

double steal_now() {
  return steal_seconds(text_of("/proc/stat"), static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

// The whole numbers, separated by spaces, at the start of the text.
std::vector<std::int64_t> numbers_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    while (at < end && *at == ' ') ++at;
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    at = rest;
  }
  return numbers;
}

}  // namespace

std::optional<SchedStat> parse_schedstat(std::string_view text) {
  const std::vector<std::int64_t> numbers = numbers_of(text.substr(0, text.find('\n')));
  if (numbers.size() < 3 || numbers[0] < 0 || numbers[1] < 0) return std::nullopt;
  return SchedStat{numbers[0], numbers[1]};
}

double steal_seconds(std::string_view proc_stat, double ticks) {
  constexpr std::size_t kSteal = 7;  // user nice system idle iowait irq softirq steal
  if (!proc_stat.starts_with("cpu ") || !(ticks > 0)) return -1;
  const std::vector<std::int64_t> numbers =
      numbers_of(proc_stat.substr(4, proc_stat.find('\n') - 4));
  return numbers.size() > kSteal ? static_cast<double>(numbers[kSteal]) / ticks : -1;
}

double pressure_share(std::string_view proc_pressure) {
  constexpr std::string_view kStart = "some avg10=";
  if (!proc_pressure.starts_with(kStart)) return -1;
  return std::strtod(std::string(proc_pressure.substr(kStart.size(), 16)).c_str(), nullptr) / 100;
}

void Contention::add(const Contention& more) {
  const auto both = [&](double& own, double other) {
    own = own < 0 || other < 0 ? -1 : own + other;
  };
  const bool first = wall_seconds == 0 && cpu_seconds == 0 && involuntary == 0;
  if (first) {
    *this = more;
    return;
  }
  wall_seconds += more.wall_seconds;
  cpu_seconds += more.cpu_seconds;
  involuntary += more.involuntary;
  both(wait_seconds, more.wait_seconds);
  both(steal_seconds, more.steal_seconds);
  pressure = std::max(pressure, more.pressure);
}

bool Contention::disturbed(int threads) const {
  if (wall_seconds <= 0) return false;
  if (wait_seconds >= 0) return wait_seconds > 0.05 * wall_seconds;
  const bool starved = threads == 1 && cpu_seconds >= 0 && cpu_seconds / wall_seconds < 0.95;
  return starved || static_cast<double>(involuntary) / wall_seconds > 50;
}

ContentionMeter::ContentionMeter() {
  steal_ = steal_now();
  involuntary_ = involuntary_now();
  cpu_ = cpu_now();
  wait_ = waits_.seconds();
  wall_ = wall_now();
}

Contention ContentionMeter::stop() {
  Contention out;
  out.wall_seconds = wall_now() - wall_;
  waits_.look_for_threads();
  if (waits_.readable()) out.wait_seconds = waits_.seconds() - wait_;
  out.cpu_seconds = cpu_now() - cpu_;
  out.involuntary = involuntary_now() - involuntary_;
  if (const double steal = steal_now(); steal >= 0 && steal_ >= 0)
    out.steal_seconds = steal - steal_;
  out.pressure = pressure_share(text_of("/proc/pressure/cpu"));
  return out;
}

RunMeter::RunMeter(int threads, const std::string& folder) : waits_(folder), threads_(threads) {
  // The smallest of a few attempts: anything above it is caused by others.
  constexpr int kAttempts = 8;
  double least = 1;
  for (int i = 0; i < kAttempts; ++i) {
    before();
    after(0);
    close_group();
    least = std::min(least, out_.cpu.back());
  }
  overhead_ = least;
  out_ = {};
  shortest_ = std::numeric_limits<double>::infinity();
  waited_ = 0;
}

void RunMeter::before() {
  if (!group_.empty()) return;
  // The scheduler notices that a time slice is over when the processor time is read, and then
  // switches. So it is read before the waits, and that wait is part of no run.
  switches_ = involuntary_now();
  pace_ = pace_test_seconds();
  cpu_ = cpu_now();
  wait_ = waits_.seconds();
}

void RunMeter::after(double wall) {
  group_.push_back(wall);
  shortest_ = std::min(shortest_, wall);
  group_seconds_ += wall;
  if (group_seconds_ >= kGroupSeconds) close_group();
}

// A run of a group can only have waited for as long as it lasted beyond an undisturbed run. Runs
// that are read alone are read right before and after, so all of the waiting is theirs.
std::vector<double> RunMeter::charged(double wait) const {
  std::vector<double> out(group_.size(), 0.0);
  if (threads_ != 1 || shortest_ >= kGroupSeconds) {
    const auto longest = std::max_element(group_.begin(), group_.end()) - group_.begin();
    const auto at = static_cast<std::size_t>(longest);
    out[at] = std::min(wait, group_[at]);
    return out;
  }
  std::vector<std::size_t> order(group_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return group_[a] > group_[b]; });
  for (const std::size_t i : order) {
    out[i] = std::min(wait, group_[i] - shortest_);
    wait -= out[i];
  }
  return out;
}

void RunMeter::close_group() {
  if (group_.empty()) return;
  double wait = waits_.seconds() - wait_;
  const double cpu = std::max(0.0, cpu_now() - cpu_ - overhead_);
  const std::int64_t switches = involuntary_now() - switches_;
  const double rest = std::max(0.0, group_seconds_ - cpu);
  if (threads_ == 1) wait = waits_.readable() ? std::min(wait, rest) : rest;
  if (threads_ == 1) waited_ += wait;
  const double pace = std::max(pace_, pace_test_seconds());
  const auto runs = static_cast<std::int64_t>(group_.size());
  const std::size_t longest =
      static_cast<std::size_t>(std::max_element(group_.begin(), group_.end()) - group_.begin());
  // If waits cannot be read, a run with several threads that was preempted at all may have done
  // nothing but wait.
  if (threads_ != 1 && !waits_.readable()) wait = switches > 0 ? group_[longest] : 0.0;
  const std::vector<double> waits = charged(wait);
  for (std::size_t i = 0; i < group_.size(); ++i) {
    out_.waits.push_back(waits[i]);
    out_.cpu.push_back(
        cpu * (group_seconds_ > 0 ? group_[i] / group_seconds_ : 1.0 / static_cast<double>(runs)));
    out_.switches.push_back(i == longest ? switches : 0);
    out_.pace.push_back(pace);
  }
  group_.clear();
  group_seconds_ = 0;
}

RunContention RunMeter::finish() {
  close_group();
  // Threads that a run has started are counted from the next block on; what they have waited so far
  // belongs to some run of this block.
  const double before = waits_.seconds();
  waits_.look_for_threads();
  const double more = waits_.seconds() - before;
  if (more > 0 && threads_ != 1 && !out_.waits.empty()) out_.waits.back() += more;
  out_.waits_read = waits_.readable();
  waited_ = 0;
  RunContention out;
  std::swap(out, out_);
  return out;
}

}  // namespace strata
