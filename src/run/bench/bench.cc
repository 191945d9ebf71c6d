#include "strata/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/message.h"
#include "base/outside.h"
#include "bench/schedule.h"
#include "bench/worker.h"
#include "machine/energy.h"
#include "strata/read/read.h"
#include "strata/read/source.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

class WorkerSubject : public Subject {
 public:
  explicit WorkerSubject(Worker worker) : worker_(std::move(worker)) {}
  WorkerResult<OpenReport> open() override { return worker_.open(); }
  WorkerResult<std::vector<HostTensor>> outputs() override { return worker_.outputs(); }
  WorkerResult<BlockReport> run(int count, double max_seconds) override {
    return worker_.run(count, max_seconds);
  }
  WorkerResult<BlockReport> run_at(const std::vector<double>& moments) override {
    return worker_.run_at(moments);
  }

 private:
  Worker worker_;
};

// Includes the files that an ONNX model keeps its weights in; -1: cannot be read.
std::int64_t bytes_of_file(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) return -1;
  auto total = static_cast<std::int64_t>(size);
  const Source source(path);
  if (source.engine_format() != "onnx") return total;
  const auto model = read_model(source);
  if (!model) return total;
  std::set<fs::path> beside;
  for (const Graph& graph : model->graphs)
    for (const Tensor& tensor : graph.tensors)
      if (tensor.data != nullptr && tensor.data->store == TensorData::Store::External)
        beside.insert(fs::path(path).parent_path() / tensor.data->location);
  for (const fs::path& file : beside) {
    const auto more = fs::file_size(file, error);
    if (!error) total += static_cast<std::int64_t>(more);
  }
  return total;
}

Status check(const std::vector<Variant>& variants, const BenchOptions& options) {
  const auto usage = [](std::string what) { return failure(std::move(what), ErrorKind::Usage); };
  if (variants.empty()) return usage("no variants to measure");
  if (options.base >= variants.size())
    return usage(fmt::format("the base is variant {} of {}", options.base, variants.size()));
  if (options.load.kind == LoadMode::Kind::Rate && !(options.load.rate > 0))
    return usage("a load at a rate needs one above 0");
  if (options.load.kind == LoadMode::Kind::Sustained && !(options.load.seconds > 0))
    return usage("a sustained load needs a time above 0");
  if (!(options.max_seconds > 0) || !(options.block_seconds > 0))
    return usage("the time to measure must be above 0");
  return {};
}

void add_facts(VariantResult& own, const BenchOptions& options) {
  own.file_bytes = bytes_of_file(own.variant.file);
  double joules = 0;
  std::size_t counted = 0;
  bool measured = false;
  std::vector<double> starts, medians;
  for (const ProcessSamples& one : own.processes) {
    if (one.joules >= 0) {
      measured = true;
      joules += one.joules;
      for (const auto& block : one.blocks) counted += block.size();
    }
    starts.insert(starts.end(), one.block_starts.begin(), one.block_starts.end());
    for (const auto& block : one.blocks) medians.push_back(summarize(block).median);
  }
  if (measured && counted > 0) own.joules = joules / static_cast<double>(counted);
  own.utilization = utilization_of(own, options.load.rate);
  if (options.load.kind == LoadMode::Kind::Sustained) own.drift = drift_of(starts, medians);
}

}  // namespace

// A confined job cannot start processes, so its caller compares the variants.
static Result<BenchResult> run_outside(const std::vector<Variant>& variants,
                                       const BenchOptions& options) {
  MessageWriter about;
  about.put(variants);
  about.put(options.max_seconds);
  about.put(options.answers);
  const Outside::Answer answer = outside()->ask(OutsideWish::Bench, about);
  MessageReader in(answer.bytes);
  if (!in.taken<bool>()) return failure(in.taken<Error>());
  return in.taken<BenchResult>();
}

Result<BenchResult> measure_variants(const std::vector<Variant>& variants,
                                     const BenchOptions& options) {
  if (auto status = check(variants, options); !status) return failure(status);
  if (outside() != nullptr) return run_outside(variants, options);
  Machine machine;
  machine.start = [&](std::size_t variant) -> WorkerResult<std::unique_ptr<Subject>> {
    auto worker = Worker::start(variants[variant], options.limits, options.program);
    if (!worker) return failure(worker);
    return std::make_unique<WorkerSubject>(std::move(*worker));
  };
  machine.now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  BenchResult result = run_schedule(variants, options, machine);
  const auto energy = EnergyMeter::open();
  for (VariantResult& own : result.variants) {
    add_facts(own, options);
    own.energy_source = energy ? energy->source() : energy.error().message;
  }
  judge(result, options.seed);
  return result;
}

}  // namespace strata
