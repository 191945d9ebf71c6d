// Measures the overhead of `strata stat MODEL --time` beyond the inferences that it times.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine_figures.h"
#include "strata/base/scratch_folder.h"
#include "strata/base/statistics.h"

namespace {

namespace fs = std::filesystem;

constexpr double kMost = 1.15;
constexpr int kTimes = 3;  // the median of this many processes

// For one thread: on an otherwise idle machine both are the same.
struct Seconds {
  double wall = 0, cpu = 0;
};

struct Run {
  Seconds whole;
  Seconds opening;    // both sessions of the model, with and without recording; in this process
  Seconds inference;  // wall: the median of unrecorded ones; cpu: the mean of all
  double asked = 0;   // inferences: --runs
  double all = 0;     // including the warm-up, and the first of both sessions
};

double cpu_of(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The time of a child and its children.
Seconds time_process(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (::posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    std::exit(1);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::exit(1);
  return {since(start), cpu_of(usage)};
}

Seconds time_opening(const strata::Engine& engine, const fs::path& model) {
  strata::SessionOptions options;
  options.threads = 1;
  options.optimization = STRATA_OPT_NONE;
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto start = std::chrono::steady_clock::now();
  const auto plain = bench::or_exit(engine.open(model.string(), options));
  options.trace_time = true;
  const auto recording = bench::or_exit(engine.open(model.string(), options));
  const double wall = since(start);
  ::getrusage(RUSAGE_SELF, &after);
  return {wall, cpu_of(after) - cpu_of(before)};
}

Run run(const strata::Engine& engine, const fs::path& model, const fs::path& out, int runs) {
  Run run;
  run.opening = time_opening(engine, model);
  run.whole = time_process({STRATA_BINARY, "stat", model, "--time", "--runs", std::to_string(runs),
                            "--format", "json", "-o", out});
  const auto timing = nlohmann::json::parse(std::ifstream(out)).at("facts").at("timing");
  run.inference = {timing.at("median_s"), timing.at("cpu_s").get<double>() / runs};
  run.asked = runs;
  run.all = runs + timing.at("warmup_runs").get<double>() + 2;
  return run;
}

void measure(const strata::Engine& engine, const fs::path& folder, const char* name, int runs) {
  const auto network = bench::or_exit(strata::zoo::build(name));
  strata::WriteOptions write;
  write.fill = strata::build::random_weights(network.model, 0);
  const fs::path model = folder / fmt::format("{}.onnx", name);
  bench::or_exit(strata::write_onnx(network.model, model, write));
  std::vector<Run> all;
  all.reserve(kTimes);
  for (int i = 0; i < kTimes; ++i) all.push_back(run(engine, model, folder / "out.json", runs));
  const auto row = [&](std::string_view what, auto figure, bool bound) {
    std::vector<double> values;
    values.reserve(all.size());
    for (const Run& one : all) values.push_back(figure(one));
    const double middle = strata::median_of(values);
    bench::print_row(fmt::format("{}: {}", name, what),
                     bound ? fmt::format("{:.3f}", middle) : fmt::format("{:.2f} s", middle),
                     bound ? "<= 1.15" : "", bound ? bench::verdict(middle, 0, kMost) : "");
  };
  // The time without opening sessions, relative to that of the inferences.
  const auto factor = [](double Seconds::*clock, double Run::*inferences) {
    return [=](const Run& one) {
      return (one.whole.*clock - one.opening.*clock) / (one.*inferences * (one.inference.*clock));
    };
  };
  row(
      "whole process", [](const Run& one) { return one.whole.wall; }, false);
  row(
      "opening its sessions", [](const Run& one) { return one.opening.wall; }, false);
  row(fmt::format("rest / {} runs", runs), factor(&Seconds::wall, &Run::asked), true);
  row(fmt::format("rest / {} runs, cpu time", runs), factor(&Seconds::cpu, &Run::asked), true);
  row("rest / runs and warm-up", factor(&Seconds::wall, &Run::all), true);
  row("rest / runs and warm-up, cpu time", factor(&Seconds::cpu, &Run::all), true);
}

}  // namespace

int main() {
  const auto engine = bench::engine();
  if (!engine) return 0;
  const auto scratch = strata::ScratchFolder::create().value();
  const fs::path folder = scratch.path();
  bench::print_head("a whole process `strata stat MODEL --time`, source view, one thread");
  measure(*engine, folder, "mobilenet_v2", 200);
  measure(*engine, folder, "resnet50", 100);
  return 0;
}
