// Are the printed intervals true on a machine that others use? With busy processes beside it:
//   fake         known ratios of burnt steps (4 and 60), and one variant against itself
//   onnxruntime  fp32 against int8 (truth: the ratio of idle runs, measured every few trials)
//                and against itself
//   stat         `strata stat --time`, whose intervals of any two runs should overlap
//
//   bench_under_load [--out FILE] [--trials 30] [--loads 0,2,4,8] [--kinds fake,onnxruntime,stat]
//                    [--truth-seconds 20] [--program STRATA] [--summary]
//
// Each trial is a line of JSON that is appended to FILE (under_load.jsonl); the same command
// resumes where the last one ended. Trials of all loads take turns.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "busy.h"
#include "data/npz_write.h"
#include "strata/base/scratch_folder.h"
#include "strata/bench/bench.h"
#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/data/inputs.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"
#include "under_load_summary.h"

namespace {

using namespace strata;
using bench::Busy;
using bench::Json;

constexpr std::int64_t kSteps = 22'000'000;  // about 24 ms
constexpr int kTrialsBetweenTruths = 6;
constexpr double kFakeSeconds = 5, kEngineSeconds = 6, kStatSeconds = 2.5;
constexpr const char* kNetwork = "mobilenet_v2";

struct Options {
  std::string out = "under_load.jsonl";
  int trials = 30;
  std::vector<int> loads = {0, 2, 4, 8};
  std::vector<std::string> kinds = {"fake", "onnxruntime", "stat"};
  double truth_seconds = 20;  // each time
  std::string program = STRATA_BINARY;
  bool summary = false;
};

[[noreturn]] void fail(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) fail(result.error().message);
  return std::move(*result);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string key = argv[i];
    if (key == "--summary") {
      options.summary = true;
      continue;
    }
    if (i + 1 >= argc) fail(key + " needs a value");
    const std::string value = argv[++i];
    if (key == "--out") {
      options.out = value;
    } else if (key == "--trials") {
      options.trials = std::atoi(value.c_str());
    } else if (key == "--truth-seconds") {
      options.truth_seconds = std::atof(value.c_str());
    } else if (key == "--program") {
      options.program = value;
    } else if (key == "--kinds") {
      options.kinds = split(value);
    } else if (key == "--loads") {
      options.loads.clear();
      for (const std::string& load : split(value)) options.loads.push_back(std::atoi(load.c_str()));
    } else {
      fail("there is no option " + key);
    }
  }
  return options;
}

std::vector<Json> read_lines(const std::string& path) {
  std::vector<Json> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (Json json = Json::parse(line, nullptr, false); json.is_object())
      lines.push_back(std::move(json));
  return lines;
}

void append_line(const std::string& path, const Json& line) {
  std::ofstream(path, std::ios::app) << line.dump() << '\n';
}

// The standard output of a command; nullopt if it failed.
std::optional<std::string> output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char piece[4096];
  for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;)
    text.append(piece, got);
  return ::pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

class Trials {
 public:
  explicit Trials(const Options& options) : options_(options) {}

  void run();

 private:
  bool wants(const std::string& kind) const {
    return std::find(options_.kinds.begin(), options_.kinds.end(), kind) != options_.kinds.end();
  }
  Variant variant(const std::string& name, const std::string& engine,
                  std::vector<std::string> engine_options) const;
  void write_network(build::Network built, const std::string& name) const;
  void prepare_engine();
  void measure_truth(int trial) const;
  BenchResult bench(const std::vector<Variant>& variants, double seconds, double until,
                    std::uint64_t seed) const;
  Json fake(std::uint64_t seed) const;
  Json engine(std::uint64_t seed) const;
  Json stat() const;

  const Options& options_;
  ScratchFolder scratch_ = ScratchFolder::create().value();
  std::string folder_ = scratch_.path();
};

// Two nodes: besides burning steps, the fake engine does next to nothing.
build::Network small_network() {
  build::Builder net("Two");
  const build::Var x = net.input("x", {2, 3});
  net.output("y", net.relu(net.matmul(x, net.weight("w", {3, 4}))));
  return must(std::move(net).finish());
}

void Trials::write_network(build::Network built, const std::string& name) const {
  WriteOptions write;
  write.fill = build::random_weights(built.model, 0);
  std::ofstream(folder_ + "/" + name + ".onnx", std::ios::binary)
      << must(onnx_bytes(built.model, write));
  if (!write_npz(folder_ + "/" + name + ".npz", must(random_inputs(built.model, 0))))
    fail("cannot write inputs");
}

Variant Trials::variant(const std::string& name, const std::string& engine,
                        std::vector<std::string> engine_options) const {
  Variant out;
  out.model = name;
  out.engine = engine;
  out.file = folder_ + "/" + name + ".onnx";
  out.inputs = folder_ + "/" + name + ".npz";
  out.session.threads = 1;
  out.session.options = std::move(engine_options);
  return out;
}

BenchResult Trials::bench(const std::vector<Variant>& variants, double seconds, double until,
                          std::uint64_t seed) const {
  BenchOptions how;
  how.max_seconds = seconds;
  how.until = until;
  how.seed = seed;
  how.program = options_.program;
  how.answers = {1e30, -1e30, 0, 0};  // int8 with made-up weights: only times matter
  return must(measure_variants(variants, how));
}

Json printed(const BenchResult& result, std::size_t i, const Json& truth, bool aa) {
  const auto& found = result.speed_ups[i];
  if (!found) return {{"withheld", result.variants[i].reason}, {"truth", truth}, {"aa", aa}};
  const bool told = found->withheld.empty();
  return {{"median", found->median},
          {"low", told ? Json(found->interval.low) : Json(nullptr)},
          {"high", told ? Json(found->interval.high) : Json(nullptr)},
          {"withheld", told ? Json(nullptr) : Json(found->withheld)},
          {"truth", truth},
          {"aa", aa},
          {"waited", result.variants[i].waited()},
          {"processes", result.variants[i].processes.size()}};
}

Json Trials::fake(std::uint64_t seed) const {
  const auto burn = [&](std::int64_t steps) {
    return variant("fake", "fake", {fmt::format("burn={}", steps)});
  };
  const BenchResult result = bench(
      {burn(kSteps), burn(kSteps), burn(kSteps / 4), burn(kSteps / 60)}, kFakeSeconds, 0.01, seed);
  return {{"seconds", result.seconds},
          {"speed_ups",
           {printed(result, 1, 1.0, true), printed(result, 2, 4.0, false),
            printed(result, 3, 60.0, false)}}};
}

Json Trials::engine(std::uint64_t seed) const {
  const Variant floats = variant("float", "onnxruntime", {});
  Variant int8 = floats;
  int8.file = folder_ + "/int8.onnx";
  int8.stored = "int8";
  const BenchResult result = bench({floats, floats, int8}, kEngineSeconds, 0.01, seed);
  return {{"seconds", result.seconds},
          {"speed_ups", {printed(result, 1, 1.0, true), printed(result, 2, nullptr, false)}}};
}

// An end of the interval; null where it is withheld.
Json end_of(const Json& timing, std::size_t end) {
  const Json& interval = timing["median_interval_s"];
  return interval.is_null() ? Json() : interval[end];
}

Json Trials::stat() const {
  const auto text =
      output_of(fmt::format("{} stat {}/float.onnx --time --view optimized --max-time {} --columns "
                            "layer,time,time_low,time_high --format json 2>/dev/null",
                            options_.program, folder_, kStatSeconds));
  if (!text) fail("strata stat --time failed");
  const Json profile = Json::parse(*text);
  const Json& timing = profile["facts"]["timing"];
  Json layers = Json::array();
  for (const Json& row : profile["tables"]["layers"]["rows"])
    if (row["time_low"].is_number() && row["time_high"].is_number())
      layers.push_back({row["layer"], row["time_low"], row["time_high"]});
  return {{"median", timing["median_s"]},   {"low", end_of(timing, 0)}, {"high", end_of(timing, 1)},
          {"withheld", timing["withheld"]}, {"wait", timing["wait_s"]}, {"wall", timing["wall_s"]},
          {"sessions", timing["sessions"]}, {"layers", layers}};
}

void Trials::prepare_engine() {
  write_network(must(zoo::build(kNetwork)), "float");
  if (!wants("onnxruntime")) return;
  const std::string command =
      fmt::format("{0} quantize {1}/float.onnx --random --samples 4 --no-time -o {1}/int8.onnx",
                  options_.program, folder_);
  // Its answers do not matter here, and neither does an exit code about them.
  output_of(command + " >/dev/null 2>&1");
  if (!std::filesystem::exists(folder_ + "/int8.onnx")) fail("no int8 model: " + command);
}

void Trials::measure_truth(int trial) const {
  fmt::print(stderr, "the idle ratio, {} s\n", options_.truth_seconds);
  const Variant floats = variant("float", "onnxruntime", {});
  Variant int8 = floats;
  int8.file = folder_ + "/int8.onnx";
  int8.stored = "int8";
  const BenchResult result =
      bench({floats, int8}, options_.truth_seconds, 0, static_cast<std::uint64_t>(trial));
  const SpeedUp& ratio = result.speed_ups[1].value();
  append_line(options_.out, {{"kind", "truth"},
                             {"trial", trial},
                             {"ratio", ratio.median},
                             {"low", ratio.interval.low},
                             {"high", ratio.interval.high},
                             {"waited", result.variants[0].waited()},
                             {"seconds", result.seconds}});
  if (result.variants[0].waited() > 0.05)
    fmt::print(stderr,
               "the machine was not idle: {:.0f} % of the time was spent waiting; the idle ratio "
               "is not to be trusted\n",
               100 * result.variants[0].waited());
}

void Trials::run() {
  std::set<std::tuple<std::string, int, int>> done;
  for (const Json& line : read_lines(options_.out))
    done.emplace(line["kind"], line.value("load", 0), line["trial"]);
  write_network(small_network(), "fake");
  if (wants("onnxruntime") || wants("stat")) prepare_engine();
  for (int trial = 0; trial < options_.trials; ++trial) {
    if (wants("onnxruntime") && trial % kTrialsBetweenTruths == 0 &&
        !done.contains({"truth", 0, trial}))
      measure_truth(trial);
    for (const int load : options_.loads)
      for (const std::string& kind : options_.kinds) {
        if (done.contains({kind, load, trial})) continue;
        fmt::print(stderr, "trial {} of {}, load {}, {}\n", trial + 1, options_.trials, load, kind);
        Json line;
        {
          const Busy busy(load);
          const auto seed = static_cast<std::uint64_t>(trial);
          line = kind == "fake" ? fake(seed) : kind == "onnxruntime" ? engine(seed) : stat();
        }
        line["kind"] = kind;
        line["load"] = load;
        line["trial"] = trial;
        append_line(options_.out, line);
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  // `make bench` runs all programs without options, and must not take an hour.
  if (argc > 1 && !options.summary) Trials(options).run();
  const std::vector<Json> lines = read_lines(options.out);
  if (lines.empty()) {
    fmt::print("bench_under_load --trials 30 measures for about 35 minutes; see docs/bench.md\n");
    return 0;
  }
  bench::print_summary(lines);
}
