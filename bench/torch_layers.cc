// Measures the cost of timing the layers of a TorchScript module: MobileNetV2 on torch, with
// and without the two operators around each call of a module, by turns in one process.
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "or_exit.h"
#include "strata/base/scratch_folder.h"
#include "strata/base/statistics.h"
#include "strata/bench/bench.h"
#include "strata/engine/engine.h"

namespace {

constexpr int kSessions = 6;
constexpr int kRuns = 60;
constexpr int kWarmups = 5;
constexpr double kWithin = 0.03;

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

strata::Session open(const strata::Engine& engine, const std::string& file, bool traced) {
  strata::SessionOptions options;
  options.threads = 1;
  options.optimization = STRATA_OPT_NONE;
  options.trace_time = traced;
  strata::Session session = bench::or_exit(engine.open(file, options));
  strata::HostTensor image{"x", strata::DType::F32, {1, 3, 224, 224}, {}};
  image.data.resize(3 * 224 * 224 * sizeof(float));
  bench::or_exit(session.bind({image}));
  return session;
}

// One inference of either kind, in time of this thread: others on the machine do not count.
double once(strata::Session& session, bool traced) {
  const double start = processor_seconds();
  if (traced)
    bench::or_exit(session.run_traced({.kernels = false, .blocks = false, .outputs = false}));
  else
    bench::or_exit(session.run());
  return processor_seconds() - start;
}

}  // namespace

int main(int count, char** words) {
  const strata::ScratchFolder scratch = bench::or_exit(strata::ScratchFolder::create());
  std::string file = count > 1 ? words[1] : scratch / "mobilenet_v2.pt";
  if (count <= 1) {
    const std::string make =
        fmt::format("/usr/bin/python3 {}/tests/models/script_cases.py mobilenet_v2 {}",
                    STRATA_SOURCE_DIR, file);
    if (std::system(make.c_str()) != 0) {
      fmt::print(stderr, "no file: give one, or install Debian's torch and torchvision\n");
      return 1;
    }
  }
  const strata::Engine engine = bench::or_exit(strata::load_engine("torch"));
  strata::Blocks plain(kSessions), traced(kSessions), again(kSessions);
  for (std::size_t session = 0; session < kSessions; ++session) {
    strata::Session bare = open(engine, file, false), second = open(engine, file, false),
                    timed = open(engine, file, true);
    for (int i = 0; i < kRuns + kWarmups; ++i) {
      const double a = once(bare, false), b = once(timed, true), c = once(second, false);
      if (i < kWarmups) continue;
      plain[session].push_back({a});
      traced[session].push_back({b});
      again[session].push_back({c});
    }
  }
  const auto print = [&](const char* what, const strata::Blocks& with) {
    const strata::SpeedUp ratio = strata::compare_blocks(with, plain, 0);
    fmt::print("{:<34} {:.4f} × [{:.4f}, {:.4f}]\n", what, ratio.median, ratio.interval.low,
               ratio.interval.high);
    return ratio.median;
  };
  fmt::print("mobilenet_v2 on {} {}, one thread, processor time\n", engine.name(),
             engine.release());
  print("plain against plain", again);
  const double cost = print("layers timed against plain", traced);
  return cost < 1 + kWithin ? 0 : 1;
}
