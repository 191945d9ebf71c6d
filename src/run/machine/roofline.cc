#include "strata/machine/roofline.h"
#include "base/json_text.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/output_file.h"
#include "machine/peak_kernels.h"
#include "strata/machine/contention.h"
#include "strata/machine/machine.h"

namespace strata {

namespace {

// Processor time of this thread, without the time that others take.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::int64_t seconds_now() { return static_cast<std::int64_t>(::time(nullptr)); }

// Not all of this is due to others: starting threads and filling arrays takes time, too.
constexpr double kMaxWaited = 0.15;
constexpr std::int64_t kOldest = std::int64_t{30} * 24 * 3600;

constexpr double kSeconds = 0.06;  // per attempt
constexpr int kAttempts = 3;       // the best counts: this is an upper limit

// Work per second of all threads together, the best of several attempts.
template <class Work>
double best_rate(int threads, const Work& work) {
  double best = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> rates(static_cast<std::size_t>(threads));
    std::vector<std::thread> others;
    others.reserve(rates.size());
    for (int t = 0; t < threads; ++t)
      others.emplace_back([&, t] { rates[static_cast<std::size_t>(t)] = work(); });
    for (std::thread& other : others) other.join();
    double sum = 0;
    for (const double rate : rates) sum += rate;
    best = std::max(best, sum);
  }
  return best;
}

double operations_per_second(const PeakKernel& kernel) {
  constexpr std::int64_t kRounds = 20'000;
  volatile float sink = 0;
  const double start = thread_seconds();
  double rounds = 0, seconds = 0;
  do {
    sink = sink + kernel.run(kRounds);
    rounds += kRounds;
    seconds = thread_seconds() - start;
  } while (seconds < kSeconds);
  return rounds * kernel.operations_per_round / seconds;
}

// a = b + k·c over arrays that no cache holds; three arrays move.
double triad_bytes_per_second() {
  constexpr std::size_t kElements = std::size_t{8} << 20;
  std::vector<float> a(kElements), b(kElements, 1.0F), c(kElements, 2.0F);
  const double start = thread_seconds();
  double bytes = 0, seconds = 0;
  float scale = 3;
  do {
    asm volatile("" : "+m"(scale));
    for (std::size_t i = 0; i < kElements; ++i) a[i] = b[i] + scale * c[i];
    asm volatile("" : : "r"(a.data()) : "memory");
    bytes += 3.0 * kElements * sizeof(float);
    seconds = thread_seconds() - start;
  } while (seconds < kSeconds);
  return bytes / seconds;
}

std::optional<double> peak(PeakKind kind, int threads, std::string* name) {
  for (const PeakKernel& kernel : peak_kernels()) {
    if (kernel.kind != kind || !kernel.available()) continue;
    if (name != nullptr) *name = kernel.name;
    return best_rate(threads, [&] { return operations_per_second(kernel); });
  }
  return std::nullopt;
}

int or_cores(int threads) { return threads > 0 ? threads : std::max(1, read_machine().cores); }

std::filesystem::path cache_file(const Roofline& key, const std::string& folder) {
  std::filesystem::path base = folder;
  if (folder.empty()) {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache != nullptr && *cache != 0)
      base = std::filesystem::path(cache) / "strata";
    else if (home != nullptr && *home != 0)
      base = std::filesystem::path(home) / ".cache" / "strata";
    else
      return {};
  }
  std::string name = key.cpu;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return base / fmt::format("roofline_{}_{}.json", name, key.threads);
}

}  // namespace

double Roofline::attainable(double intensity) const {
  return std::min(fp32_flops, intensity * bytes_per_second);
}

bool Roofline::made_under_load() const { return waited < 0 || waited > kMaxWaited; }

Roofline measure_roofline(int threads) {
  Roofline out;
  out.threads = or_cores(threads);
  out.made = seconds_now();
  ContentionMeter meter;
  out.cpu = read_machine().cpu;
  out.fp32_flops = *peak(PeakKind::Fp32, out.threads, &out.kernel);
  out.bf16_flops = peak(PeakKind::Bf16, out.threads, nullptr);
  out.int8_ops = peak(PeakKind::Int8, out.threads, nullptr);
  out.bytes_per_second = best_rate(out.threads, triad_bytes_per_second);
  // The threads have ended, and their counters with them: the time that they did not get, they
  // waited.
  const Contention used = meter.stop();
  const double wanted = used.wall_seconds * out.threads;
  if (wanted > 0) out.waited = std::max(0.0, 1 - used.cpu_seconds / wanted);
  return out;
}

Roofline cached_roofline(int threads, const std::string& folder, std::int64_t now) {
  if (now == 0) now = seconds_now();
  std::string why;
  Roofline key;
  key.threads = or_cores(threads);
  key.cpu = read_machine().cpu;
  const std::filesystem::path path = cache_file(key, folder);
  if (path.empty()) return measure_roofline(threads);
  if (std::ifstream in(path); in) {
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (auto known = roofline_from_json(text); known && known->threads == key.threads) {
      const bool old = known->made == 0 || now - known->made > kOldest;
      if (!old && !known->made_under_load()) return *known;
      why = old ? "the kept one was older than 30 days" : "the kept one was made under load";
    }
  }
  Roofline measured = measure_roofline(threads);
  measured.made = now;
  if (!why.empty()) measured.note = "the roof of this machine was measured again: " + why;
  if (measured.made_under_load()) {
    if (!measured.note.empty()) measured.note += "; ";
    measured.note += fmt::format(
        "the roof of this machine was measured while others had {:.0f} % of the time it asked "
        "for; it may be too low, and is measured again the next time",
        100 * std::max(measured.waited, 0.0));
  }
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  // Without a file, it is measured again the next time.
  (void)write_file(path.string(), {FileForm::Other}, roofline_to_json(measured));
  return measured;
}

std::string roofline_to_json(const Roofline& roofline) {
  nlohmann::ordered_json json = {{"cpu", roofline.cpu},
                                 {"threads", roofline.threads},
                                 {"kernel", roofline.kernel},
                                 {"fp32_flops_per_second", roofline.fp32_flops},
                                 {"bytes_per_second", roofline.bytes_per_second},
                                 {"made_unix_s", roofline.made},
                                 {"waited", roofline.waited}};
  if (roofline.bf16_flops) json["bf16_flops_per_second"] = *roofline.bf16_flops;
  if (roofline.int8_ops) json["int8_ops_per_second"] = *roofline.int8_ops;
  return json_text(json, 2) + "\n";
}

Result<Roofline> roofline_from_json(std::string_view text) {
  const auto json = json_from_text(text);
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number() || found->get<double>() <= 0)
      return std::nullopt;
    return found->get<double>();
  };
  if (!json.is_object()) return failure("a roofline is a JSON object");
  const auto flops = number("fp32_flops_per_second");
  const auto bytes = number("bytes_per_second");
  const auto threads = number("threads");
  if (!flops || !bytes || !threads)
    return failure("a roofline needs fp32_flops_per_second, bytes_per_second and threads");
  Roofline out;
  out.fp32_flops = *flops;
  out.bytes_per_second = *bytes;
  out.threads = static_cast<int>(*threads);
  out.bf16_flops = number("bf16_flops_per_second");
  out.int8_ops = number("int8_ops_per_second");
  out.made = static_cast<std::int64_t>(number("made_unix_s").value_or(0));
  if (const auto waited = json.find("waited"); waited != json.end() && waited->is_number())
    out.waited = *waited;
  if (const auto cpu = json.find("cpu"); cpu != json.end() && cpu->is_string()) out.cpu = *cpu;
  if (const auto name = json.find("kernel"); name != json.end() && name->is_string())
    out.kernel = *name;
  return out;
}

}  // namespace strata
