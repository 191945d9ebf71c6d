// How time and memory grow with the model, and what a whole process costs.
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "large_models.h"
#include "strata/base/scratch_folder.h"
#include "strata/base/statistics.h"
#include "strata/cost/cost.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

struct Measured {
  double ms;
  double bytes;  // on the heap while everything is held
};

Measured profile(const std::string& bytes) {
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  const auto start = Clock::now();
  auto model = strata::read_onnx(bytes, "decoder");
  if (!model || !strata::infer(*model)) std::abort();
  const strata::Costs costs = strata::count(*model);
  const double ms = milliseconds(start);
  const std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  return {ms, static_cast<double>(after) - static_cast<double>(before)};
}

void decoders() {
  fmt::print("decoder, batch and sequence open: read + infer + count\n");
  const int layers[] = {1100, 2200, 4400, 8800};
  std::vector<std::string> files;
  std::vector<std::size_t> nodes(std::size(layers));
  for (std::size_t i = 0; i < std::size(layers); ++i)
    files.push_back(bench::decoder(layers[i], nodes[i]));
  std::vector<std::vector<double>> times(files.size());
  std::vector<double> bytes(files.size());
  for (int round = 0; round < 5; ++round)  // interleaved: a slow moment affects all sizes
    for (std::size_t i = 0; i < files.size(); ++i) {
      const Measured measured = profile(files[i]);
      times[i].push_back(measured.ms);
      bytes[i] = measured.bytes;
    }
  for (std::size_t i = 0; i < files.size(); ++i) {
    fmt::print("  {:>7} nodes  {:>8.1f} ms  {:>5.0f} bytes a node", nodes[i],
               strata::median_of(times[i]), bytes[i] / static_cast<double>(nodes[i]));
    if (i > 0)
      fmt::print("  time(2n)/time(n) {:.2f}",
                 strata::median_of(times[i]) / strata::median_of(times[i - 1]));
    fmt::print("\n");
  }
}

// Wall time, processor time and peak memory of a program that is run with its output discarded.
struct Run {
  double ms;
  double user_ms;
  long peak_kib;
};
Run run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = Clock::now();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int problem =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  if (problem == 0) ::wait4(child, &status, 0, &usage);
  if (problem != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fmt::print(stderr, "{} failed\n", command[0]);
    std::exit(1);
  }
  const double user_ms = static_cast<double>(usage.ru_utime.tv_sec) * 1e3 +
                         static_cast<double>(usage.ru_utime.tv_usec) / 1e3;
  return {milliseconds(start), user_ms, usage.ru_maxrss};
}

void processes(const std::string& folder) {
  const std::string strata = STRATA_BINARY;
  const std::string model = std::string(STRATA_SOURCE_DIR) + "/tests/models/mobilenet_v2.onnx";
  std::vector<double> ours, baseline;
  for (int i = 0; i < 101; ++i) {
    ours.push_back(run({strata, "stat", model}).ms);
    baseline.push_back(run({"true"}).ms);
  }
  fmt::print(
      "whole process, median of 101, interleaved: strata stat mobilenet_v2.onnx {:.2f} ms, true "
      "{:.2f} ms\n",
      strata::median_of(ours), strata::median_of(baseline));
  const auto large = [&](const char* what, const std::string& path) {
    std::vector<double> times;
    long peak = 0;
    for (int i = 0; i < 11; ++i) {
      const Run one = run({strata, "stat", path});
      times.push_back(one.ms);
      peak = std::max(peak, one.peak_kib);
    }
    fmt::print("{}: {:.2f} ms, {:.1f} MiB resident\n", what, strata::median_of(times),
               static_cast<double>(peak) / 1024);
  };
  if (bench::write_embedded(folder + "/embedded.onnx", 1900ll << 20))
    large("1.9 GiB of weights in the file", folder + "/embedded.onnx");
  if (bench::write_embedded(folder + "/embedded.onnx", 4ll << 30))
    large("4 GiB of weights in the file", folder + "/embedded.onnx");
  if (bench::write_external(folder, 4ll << 30))
    large("4 GiB of weights beside the file", folder + "/external.onnx");
}

// Measures the largest models that we expect users to have.
void large_models(const std::string& folder) {
  const auto model = [&](const char* name, const std::string& bytes) {
    std::string path = folder + "/" + name + ".onnx";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  };
  const auto show = [](const char* what, std::vector<std::string> command) {
    command.insert(command.begin(), STRATA_BINARY);
    std::vector<double> user;
    long peak = 0;
    for (int i = 0; i < 3; ++i) {
      const Run one = run(command);
      user.push_back(one.user_ms);
      peak = std::max(peak, one.peak_kib);
    }
    fmt::print("{:<58} {:>7.2f} s of the processor, {:>6.0f} MB\n", what,
               strata::median_of(user) / 1e3, static_cast<double>(peak) / 1e3);
  };
  std::size_t nodes = 0;
  const std::string million = model("million", bench::decoder(40'000, nodes));
  show("1,000,000 nodes, sizes given: totals",
       {"stat", million, "--report", "none", "--dim", "B=1", "--dim", "S=128"});
  show("1,000,000 nodes, sizes given: table", {"stat", million, "--dim", "B=1", "--dim", "S=128"});
  show("1,000,000 nodes, sizes open: totals", {"stat", million, "--report", "none"});
  show("100,000 inputs, each with an open size",
       {"stat", model("inputs", bench::open_inputs(100'000))});
  const std::string calls = model("calls", bench::one_path(100'000));
  show("100,000 calls of one module: --device-memory",
       {"stat", calls, "--device-memory", "pytorch-cuda"});
  show("100,000 tensors alive at the peak", {"stat", model("peak", bench::wide_peak(100'000))});
  show("100,000 nodes: payload --split",
       {"payload", model("decoder", bench::decoder(4'000, nodes)), "--dim", "B=1", "--dim", "S=128",
        "--split", "--link", "100Mbps", "--edge", "50GFLOP/s,20GB/s", "--server",
        "5TFLOP/s,600GB/s"});
}

}  // namespace

int main() {
  // Processes first: a child's peak memory starts at what its parent holds.
  const auto folder = strata::ScratchFolder::create();
  processes(folder.value().path());
  large_models(folder.value().path());
  decoders();
  return 0;
}
