#include "strata/machine/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/system_calls.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// The number in `8192 kB`, `32K`, `1.5`; -1 if there is none.
double number_of(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc()) return -1;
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.starts_with("K") || rest.starts_with(" kB")) return number * 1024;
  if (rest.starts_with("M")) return number * 1024 * 1024;
  return number;
}

// `model name : AMD EPYC` → key and value.
bool split_line(std::string_view line, std::string_view key, std::string& value) {
  if (!line.starts_with(key)) return false;
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return false;
  std::string_view rest = line.substr(colon + 1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  value = rest;
  return true;
}

void read_cpuinfo(const std::string& root, MachineFacts& facts) {
  constexpr std::string_view kIsa[] = {
      "sse4_2",   "avx",         "avx2",        "fma",         "f16c",     "avx_vnni",
      "avx512f",  "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_int8",
      "amx_bf16", "asimd",       "asimddp",     "sve",         "bf16",     "i8mm"};
  std::ifstream in(root + "/proc/cpuinfo");
  std::string line, value;
  while (std::getline(in, line)) {
    if (facts.cpu.empty() && split_line(line, "model name", value)) facts.cpu = value;
    if (facts.mhz < 0 && split_line(line, "cpu MHz", value)) facts.mhz = number_of(value);
    const bool flags = split_line(line, "flags", value) || split_line(line, "Features", value);
    if (!flags || !facts.isa.empty()) continue;
    std::istringstream words(value);
    for (std::string word; words >> word;)
      if (std::find(std::begin(kIsa), std::end(kIsa), word) != std::end(kIsa))
        facts.isa.push_back(word);
  }
}

void read_caches(const std::string& root, MachineFacts& facts) {
  for (int i = 0; i < 8; ++i) {
    const std::string at = fmt::format("{}/sys/devices/system/cpu/cpu0/cache/index{}/", root, i);
    const std::string size = first_line(at + "size");
    if (size.empty()) break;
    std::string kind = first_line(at + "type");
    std::transform(kind.begin(), kind.end(), kind.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    facts.caches.push_back({static_cast<int>(number_of(first_line(at + "level"))), kind,
                            static_cast<std::int64_t>(number_of(size))});
  }
}

}  // namespace

MachineFacts read_machine(const std::string& root) {
  MachineFacts facts;
  read_cpuinfo(root, facts);
  read_caches(root, facts);
  const std::string frequency = root + "/sys/devices/system/cpu/cpu0/cpufreq/";
  facts.governor = first_line(frequency + "scaling_governor");
  if (const double khz = number_of(first_line(frequency + "cpuinfo_max_freq")); khz > 0)
    facts.max_mhz = khz / 1000;
  facts.load = number_of(first_line(root + "/proc/loadavg"));
  std::string value;
  if (split_line(first_line(root + "/proc/meminfo"), "MemTotal", value))
    facts.memory_bytes = static_cast<std::int64_t>(number_of(value));
  if (const int cores = system_calls::usable_processors(); cores > 0) facts.cores = cores;
  utsname name{};
  if (::uname(&name) == 0) facts.kernel = fmt::format("{} {}", name.sysname, name.release);
  return facts;
}

std::vector<std::pair<std::string, std::string>> named_facts(const MachineFacts& facts) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](std::string key, std::string value) {
    if (!value.empty()) out.emplace_back(std::move(key), std::move(value));
  };
  const auto bytes = [](std::int64_t number) { return human_bytes(static_cast<double>(number)); };
  add("cpu", facts.cpu);
  if (facts.cores > 0) add("cores", fmt::format("{}", facts.cores));
  add("isa", fmt::format("{}", fmt::join(facts.isa, " ")));
  for (const Cache& cache : facts.caches)
    if (cache.kind != "instruction") add(fmt::format("l{}", cache.level), bytes(cache.bytes));
  if (facts.mhz > 0) add("mhz", fmt::format("{:.0f}", facts.mhz));
  if (facts.max_mhz > 0) add("max_mhz", fmt::format("{:.0f}", facts.max_mhz));
  add("governor", facts.governor);
  if (facts.load >= 0) add("load", fmt::format("{:.2f}", facts.load));
  if (facts.memory_bytes > 0) add("memory", bytes(facts.memory_bytes));
  add("kernel", facts.kernel);
  return out;
}

}  // namespace strata
