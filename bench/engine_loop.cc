// Compares strata's timing loop with a bare one on the same library: each inference of
// time_model() is followed by one of the bare loop, so that a slow moment affects both, and
// both find the other's data in the caches.
#define ORT_API_MANUAL_INIT
#include <dlfcn.h>

#include <ctime>
#include <optional>

#include <onnxruntime_cxx_api.h>

#include "engine_figures.h"

namespace {

constexpr int kSessions = 8;      // of each: the location of memory differs from one to the next
constexpr double kWithin = 0.01;  // relative to the bare loop
constexpr int kWarmups = 3;
constexpr int kFirst = 2;  // pairs of a session that do not count: the second loop may just be open

// On a machine with other work, processor time is steadier than wall time. One thread does
// everything, so on a quiet machine they are the same.
struct Seconds {
  double wall = 0, cpu = 0;
};

std::int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

struct Moment {
  std::int64_t wall = nanoseconds(CLOCK_MONOTONIC);
  std::int64_t cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID);

  Seconds since(const Moment& start) const {
    return {1e-9 * static_cast<double>(wall - start.wall),
            1e-9 * static_cast<double>(cpu - start.cpu)};
  }
};

// Opens the same library as the plugin.
void open_library(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  using GetBase = const OrtApiBase* (*)();
  const auto get_base =
      reinterpret_cast<GetBase>(handle ? ::dlsym(handle, "OrtGetApiBase") : nullptr);
  const OrtApi* api = get_base != nullptr ? get_base()->GetApi(ORT_API_VERSION) : nullptr;
  if (api == nullptr) {
    fmt::print(stderr, "cannot use {}\n", path);
    std::exit(1);
  }
  Ort::InitApi(api);
}

// The loop that a program would have if it only needed answers.
class BareLoop {
 public:
  BareLoop(Ort::Env& env, const bench::Subject& subject) {
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1);
    options.SetInterOpNumThreads(1);
    options.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
    session_ = Ort::Session(env, subject.bytes.data(), subject.bytes.size(), options);
    const strata::HostTensor& input = subject.inputs.front();
    const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
    input_ = Ort::Value::CreateTensor(memory, const_cast<std::byte*>(input.data.data()),
                                      input.data.size(), input.dims.data(), input.dims.size(),
                                      ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    input_name_ = input.name;
    Ort::AllocatorWithDefaultOptions allocator;
    output_name_ = session_.GetOutputNameAllocated(0, allocator).get();
    for (int i = 0; i <= kWarmups; ++i) run();
  }

  Seconds run() {
    const char* const inputs[] = {input_name_.c_str()};
    const char* const outputs[] = {output_name_.c_str()};
    const Moment start;
    const auto answers = session_.Run(Ort::RunOptions{nullptr}, inputs, &input_, 1, outputs, 1);
    return Moment().since(start);
  }

 private:
  Ort::Session session_{nullptr};
  Ort::Value input_{nullptr};
  std::string input_name_, output_name_;
};

// Pairs of inferences side by side, by session; a block is one inference.
class Pairs {
 public:
  explicit Pairs(int runs) { noted_.reserve(static_cast<std::size_t>(runs)); }

  // Takes no memory: whoever runs next would find the heap and the caches in another state than
  // the one before.
  void note(const Seconds& ours, const Seconds& bare) { noted_.push_back({ours, bare}); }
  void end_session() {
    for (auto* blocks : {&ours_, &bare_, &our_cpu_, &bare_cpu_}) blocks->emplace_back();
    for (const auto& [ours, bare] : noted_) {
      ours_.back().push_back({ours.wall});
      bare_.back().push_back({bare.wall});
      our_cpu_.back().push_back({ours.cpu});
      bare_cpu_.back().push_back({bare.cpu});
      all_bare_.push_back(bare.wall);
    }
    noted_.clear();
  }
  strata::SpeedUp wall() const { return strata::compare_blocks(ours_, bare_, 0); }
  strata::SpeedUp cpu() const { return strata::compare_blocks(our_cpu_, bare_cpu_, 0); }
  double bare_median() const { return strata::summarize(all_bare_).median; }

 private:
  std::vector<std::pair<Seconds, Seconds>> noted_;  // of this session
  strata::Blocks ours_, bare_, our_cpu_, bare_cpu_;
  std::vector<double> all_bare_;
};

// `recorded`: every second inference of strata's loop records kernels; it is not counted, and
// neither is the bare one after it. Strata records in a session of its own, so that the one that
// counts runs only every fourth time, when others have taken its place in the caches. The bare loop
// has a second session, too: with one, it ran every other time and found its weights where it had
// left them. Which of the loops is opened first changes from session to session.
Pairs against_strata(const strata::Engine& engine, Ort::Env& env, const bench::Subject& subject,
                     int runs, bool recorded) {
  Pairs pairs(runs);
  for (int i = 0; i < kSessions; ++i) {
    std::optional<BareLoop> loop, beside;
    const auto open = [&] {
      loop.emplace(env, subject);
      if (recorded) beside.emplace(env, subject);
    };
    if (i % 2 == 0) open();
    Moment before, last;  // the two readings of the clock around an inference
    int calls = 0;
    strata::TimingOptions options;
    options.session.threads = 1;
    options.runs = recorded ? 2 * (runs + kFirst) : runs + kFirst;
    options.warmup = kWarmups;
    options.kernels = recorded;
    options.now_ns = [&] {
      before = last;
      last = Moment();
      return last.wall;
    };
    options.progress = [&](const strata::TimingProgress& progress) {
      if (progress.stage != "measuring") return;
      if (!loop) open();
      const Seconds ours = last.since(before);
      const bool counts = !recorded || calls % 2 == 0;
      const Seconds bare = (counts ? *loop : *beside).run();
      if (counts && calls >= kFirst * (recorded ? 2 : 1)) pairs.note(ours, bare);
      ++calls;
    };
    bench::or_exit(strata::time_model(engine, subject.source(), subject.inputs, options));
    pairs.end_session();
  }
  return pairs;
}

// The bare loop compared with a second one: differences that the method cannot resolve. Which of
// the two is opened first, and which runs first, changes from session to session, because neither
// is the same: the second one opened lies elsewhere in memory.
Pairs against_itself(Ort::Env& env, const bench::Subject& subject, int runs) {
  Pairs pairs(runs);
  for (int i = 0; i < kSessions; ++i) {
    BareLoop older(env, subject), newer(env, subject);
    const bool older_counts = i % 2 == 0;  // as the first of the pair
    const bool older_starts = i / 2 % 2 == 0;
    for (int run = 0; run < runs; ++run) {
      const Seconds first = (older_starts ? older : newer).run();
      const Seconds second = (older_starts ? newer : older).run();
      const bool in_order = older_starts == older_counts;
      pairs.note(in_order ? first : second, in_order ? second : first);
    }
    pairs.end_session();
  }
  return pairs;
}

void compare(const strata::Engine& engine, Ort::Env& env, const char* name, int runs) {
  const bench::Subject subject = bench::subject(name);
  const auto rows = [&](std::string_view what, const Pairs& pairs, bool bound) {
    for (const auto& [clock, ratio] :
         {std::pair("", pairs.wall()), std::pair(", cpu time", pairs.cpu())})
      bench::print_row(fmt::format("{}: {}{}", name, what, clock), bench::ratio_text(ratio),
                       bound ? "0.99 to 1.01" : "",
                       bound ? bench::verdict(ratio, 1 - kWithin, 1 + kWithin) : "");
  };
  rows("nothing recorded", against_strata(engine, env, subject, runs, false), true);
  rows("recording by turns", against_strata(engine, env, subject, runs, true), true);
  const Pairs control = against_itself(env, subject, runs);
  rows("bare against bare", control, false);
  bench::print_row(fmt::format("{}: bare", name), bench::milliseconds(control.bare_median()));
}

}  // namespace

int main() {
  const auto engine = bench::engine();
  if (!engine) return 0;
  open_library(std::string(engine->library()));
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "bare");
  bench::print_head(
      "strata's loop over a bare loop on the same library: median end to end, one thread, "
      "interleaved");
  compare(*engine, env, "mobilenet_v2", 40);
  compare(*engine, env, "resnet50", 8);
  return 0;
}
