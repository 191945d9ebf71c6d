// Measures what calibration costs compared with inference, and checks that its memory does not grow
// with the samples. Blocks of the three ways to run the samples take turns; ratios are those of
// neighbouring blocks. `bench_calibrate [times|memory] [NETWORK...]`.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "or_exit.h"
#include "strata/base/scratch_folder.h"
#include "strata/base/statistics.h"
#include "strata/build/weights.h"
#include "strata/calibrate/calibrate.h"
#include "strata/data/inputs.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"
#include "watch.h"

namespace {

using namespace strata;
namespace fs = std::filesystem;

constexpr std::int64_t kBlock = 10;  // samples
constexpr int kBlocks = 20;
constexpr std::int64_t kFew = 10, kMany = 1000;

using bench::or_exit;
using bench::Watch;

// Compares block by block; the first block is warm-up.
double median_ratio(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> ratios;
  for (std::size_t i = 1; i < of.size(); ++i) ratios.push_back(of[i] / to[i]);
  return median_of(ratios);
}

// A field of /proc/self/status in MiB.
double status_mib(std::string_view field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) / 1024;
  return 0;
}

struct Subject {
  std::string name, path;
  build::Network network;
  std::vector<Watched> watched;
  double activations_mib = 0;  // of the watched tensors, for one sample

  explicit Subject(const std::string& network_name, const std::string& file)
      : name(network_name), path(file), network(or_exit(zoo::build(network_name))) {
    watched = watched_tensors(network.model);
    for (const Watched& one : watched)
      for (const Tensor& tensor : network.model.graph().tensors)
        if (tensor.name == one.tensor)
          activations_mib +=
              4.0 * static_cast<double>(elements(tensor.type->dims).value()) / 1048576;
  }
  ModelSource source() const { return {path}; }
  Dataset samples(std::int64_t count) const {
    return or_exit(Dataset::open("", network.model, {.samples = count, .random = true, .seed = 0}));
  }
  // Samples are read from files, which takes less time than making them up.
  Dataset stored_samples(const fs::path& folder, std::int64_t count) const {
    fs::create_directories(folder);
    std::ofstream file(folder / "0.npy", std::ios::binary);
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (10, 3, 224, 224), }";
    header.resize(128 - 10 - 1, ' ');
    file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() + 1) << '\0'
         << header << '\n';
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto inputs = or_exit(random_inputs(network.model, seed));
      file.write(reinterpret_cast<const char*>(inputs[0].data.data()),
                 static_cast<std::streamsize>(inputs[0].data.size()));
    }
    file.close();
    for (std::int64_t i = 10; i < count; i += 10)
      fs::create_hard_link(folder / "0.npy", folder / fmt::format("{}.npy", i));
    return or_exit(Dataset::open(folder, network.model, {.samples = count}));
  }
};

void compare_times(const Subject& subject, const Engine& engine, int threads) {
  CalibrateOptions options;
  options.session.threads = threads;
  const auto inputs = or_exit(random_inputs(subject.network.model, 0));
  const auto open = [&](bool fetch) {
    SessionOptions session = options.session;
    if (fetch)
      for (const Watched& one : subject.watched)
        if (!one.layer.empty()) session.fetch.push_back(one.tensor);
    return or_exit(engine.open(subject.path, session));
  };
  Session plain = open(false), fetched = open(true);
  or_exit(plain.bind(inputs));
  or_exit(fetched.bind(inputs));

  std::vector<double> times[3], work[3];  // wall and processor seconds of each block
  Watch watch;
  const auto lap = [&](int way) {
    times[way].push_back(watch.wall());
    work[way].push_back(watch.processor());
    watch = {};
  };
  options.progress = [&](std::int64_t done) {
    if (done % kBlock != 0) return;
    lap(2);
    for (std::int64_t i = 0; i < kBlock; ++i) or_exit(plain.run());
    lap(0);
    for (std::int64_t i = 0; i < kBlock; ++i)
      or_exit(fetched.run_visiting([](const StrataTensor&) { return true; }));
    lap(1);
  };
  const fs::path folder = fs::path(subject.path).parent_path();
  or_exit(calibrate(engine, subject.source(), subject.network.model,
                    subject.stored_samples(folder / fmt::format("{}.{}", subject.name, threads),
                                           (kBlocks + 1) * kBlock),
                    subject.watched, options));
  const auto ms = [](const std::vector<double>& way) { return 1e3 * median_of(way) / kBlock; };
  fmt::print(
      "{:13} {} thread{}: plain {:6.2f} ms  fetched {:6.2f} ms  calibrated {:6.2f} ms a sample"
      "  = {:.2f} x fetched (at most 1.3), {:.2f} x plain (at most 2); processor time {:.2f} x and "
      "{:.2f} x\n",
      subject.name, threads, threads == 1 ? " " : "s", ms(times[0]), ms(times[1]), ms(times[2]),
      median_ratio(times[2], times[1]), median_ratio(times[2], times[0]),
      median_ratio(work[2], work[1]), median_ratio(work[2], work[0]));
  std::fflush(stdout);
}

struct Peaks {
  double opening = 0, running = 0;  // MiB beyond what the process had before
};

// Resets the peak memory of the process to what it has now.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// Runs in a process of its own. Without samples, the model is opened without calibration and run
// once.
Peaks peaks_of(const Subject& subject, std::int64_t samples) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::mallopt(M_MMAP_THRESHOLD, 128 << 10);  // as in the command
    const Engine engine = or_exit(load_engine("onnxruntime"));
    or_exit(engine.probe("cpu", "fp32"));  // opens the library
    const double before = status_mib("VmRSS:");
    forget_peak();
    Peaks peaks;
    CalibrateOptions options;
    options.session.threads = 1;
    options.progress = [&](std::int64_t done) {
      if (done != 1) return;
      peaks.opening = status_mib("VmHWM:") - before;
      forget_peak();
    };
    if (samples > 0) {
      or_exit(calibrate(engine, subject.source(), subject.network.model, subject.samples(samples),
                        subject.watched, options));
    } else {
      Session session = or_exit(engine.open(subject.path, options.session));
      or_exit(session.bind(or_exit(random_inputs(subject.network.model, 0))));
      or_exit(session.run());
      options.progress(1);
    }
    peaks.running = status_mib("VmHWM:") - before;
    if (::write(ends[1], &peaks, sizeof peaks) != sizeof peaks) ::_exit(1);
    ::_exit(0);
  }
  ::close(ends[1]);
  Peaks peaks;
  if (::read(ends[0], &peaks, sizeof peaks) != sizeof peaks) peaks = {};
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return peaks;
}

// The engine takes several times the model's size to open it, whatever the purpose;
// what calibration adds shows while samples run.
void compare_memory(const Subject& subject) {
  const Peaks plain = peaks_of(subject, 0);
  const Peaks few = peaks_of(subject, kFew), many = peaks_of(subject, kMany);
  const double model = static_cast<double>(fs::file_size(subject.path)) / 1048576;
  const double tensors = static_cast<double>(subject.watched.size());
  fmt::print(
      "{:13} samples run in {:.1f} MiB with {}, {:.1f} MiB with {}: {:.3f} x (at most 1.05), and "
      "model {:.1f} + activations {:.1f} + {} tensors x 0.5 = {:.1f} MiB at most; "
      "the engine opens it in {:.1f} MiB, for plain inference in {:.1f}\n",
      subject.name, few.running, kFew, many.running, kMany, many.running / few.running, model,
      subject.activations_mib, tensors, model + subject.activations_mib + tensors / 2,
      std::max(few.opening, many.opening), plain.opening);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  const auto asked = [&](std::string_view word) { return std::erase(names, word) > 0; };
  const bool only_times = asked("times"), only_memory = asked("memory");
  if (names.empty()) names = {"mobilenet_v2", "resnet18"};
  const ScratchFolder scratch = or_exit(ScratchFolder::create());
  const fs::path folder = scratch.path();
  // Memory comes first: children must start small, and before there are threads.
  for (const std::string& name : names) {
    const std::string path = folder / (name + ".onnx");
    {
      const build::Network network = or_exit(zoo::build(name));
      WriteOptions write;
      write.fill = build::random_weights(network.model, 0);
      or_exit(write_onnx(network.model, path, write));
    }
    if (!only_times) compare_memory(Subject(name, path));
  }
  if (!only_memory) {
    const Engine engine = or_exit(load_engine("onnxruntime"));
    for (const std::string& name : names)
      for (const int threads : {1, 2})
        compare_times(Subject(name, folder / (name + ".onnx")), engine, threads);
  }
  return 0;
}
