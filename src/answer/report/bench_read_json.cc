// A saved benchmark read back. Whatever is in the file, the answer is a benchmark or one
// sentence; keys that are not known are ignored, as docs/bench.md promises. In 0.1 (schema 1) all
// facts stood at the top, and null stood for what is unknown and for infinity.
#include <charconv>
#include <limits>
#include <system_error>

#include "base/in_quotes.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "strata/report/bench.h"

namespace strata {

namespace {

using Json = JsonFields::Json;

constexpr int kDeepest = 12;  // nesting of what strata writes, and room
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

class BenchReader : JsonFields {
 public:
  explicit BenchReader(std::string_view label) : JsonFields("benchmark", label) {}

  Result<BenchRun> read(const Json& json) {
    if (!json.is_object()) return failed("is not a benchmark: it is not a JSON object");
    if (text(json, "kind") != "bench") wrong("it has another \"kind\" than bench");
    schema_ = whole(json, "schema");
    if (good() && schema_ != kFirstSchema && schema_ != BenchRun::kSchema)
      wrong(fmt::format("it has schema {}, and this strata reads {} and {}", schema_, kFirstSchema,
                        BenchRun::kSchema));
    const Json& facts = schema_ == kFirstSchema ? json : object(json, "facts");
    read_tool(json);
    run_.started = text(facts, "started");
    run_.complete = flag(facts, "complete");
    pairs(json, "options", run_.options);
    pairs(json, "machine", run_.machine);
    read_method(object(facts, "method"));
    list(facts, "models",
         [&](const Json& item, const std::string& where) { read_group(item, where); });
    list(facts, "aa", [&](const Json& item, const std::string& where) { read_aa(item, where); });
    if (!good()) return failed();
    return std::move(run_);
  }

 private:
  std::optional<double> real(const Json& json, const char* key) {
    return real_or_infinity(json, key);
  }
  double real(const Json& json, const char* key, double otherwise) {
    return real(json, key).value_or(otherwise);
  }

  // Lists of numbers in a list.
  void lists_of_numbers(const Json& json, const char* key, std::vector<std::vector<double>>& out) {
    list(json, key,
         [&](const Json& item, const std::string&) { numbers_in(item, key, out.emplace_back()); });
  }

  // Numbers of variants.
  void indices(const Json& json, const char* key, std::size_t end, std::vector<std::size_t>& out) {
    list(json, key, [&](const Json& item, const std::string&) {
      if (!item.is_number_unsigned() || item.get<std::uint64_t>() >= end)
        return wrong(fmt::format("a \"{}\" is not a list of variants", key));
      out.push_back(item.get<std::size_t>());
    });
  }

  // `strata 0.1.0`, or a name and a version.
  void read_tool(const Json& json) {
    if (schema_ == kFirstSchema) {
      run_.program = text(json, "tool");
      return;
    }
    const Json& tool = object(json, "tool");
    run_.program = text(tool, "name");
    if (const std::string version = text(tool, "version"); !version.empty())
      run_.program += " " + version;
  }

  // A text if it is too large for most programs.
  void read_seed(const Json& seed) {
    if (seed.is_number_unsigned()) {
      run_.method.seed = seed.get<std::uint64_t>();
      return;
    }
    const std::string digits = seed.is_string() ? seed.get<std::string>() : "";
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), run_.method.seed);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
      wrong("a \"seed\" is not a whole number from 0 on");
  }

  void read_method(const Json& json) {
    BenchOptions& method = run_.method;
    method.until = real(json, "until", method.until);
    method.max_seconds = real(json, "max_seconds", method.max_seconds);
    method.processes = count(json, "processes");
    method.min_blocks = count(json, "min_blocks");
    method.block_seconds = real(json, "block_seconds", method.block_seconds);
    method.warmup = count(json, "warmup", "it", -1);
    if (const Json* seed = at(json, "seed")) read_seed(*seed);
    method.limits.timeout_seconds = real(json, "timeout_seconds", 0);
    method.limits.memory_bytes = whole(json, "memory_limit_bytes");
    method.answers.relative_error = real(json, "max_relative_error", 0);
    method.answers.min_sqnr = real(json, "min_sqnr_db", 0);
    method.answers.min_top1 = real(json, "min_top1", 0);
    method.answers.min_boxes = real(json, "min_matched_boxes", 0);
    const Json& load = object(json, "load");
    const std::string kind = text(load, "kind");
    if (kind == "rate") method.load.kind = LoadMode::Kind::Rate;
    if (kind == "sustained") method.load.kind = LoadMode::Kind::Sustained;
    method.load.rate = real(load, "rate_per_second", 0);
    method.load.poisson = flag(load, "poisson");
    method.load.seconds = real(load, "seconds", 0);
  }

  Variant read_variant(const Json& json, std::string model, std::string shape) {
    Variant variant;
    variant.model = std::move(model);
    variant.shape = std::move(shape);
    variant.file = text(json, "file");
    variant.inputs = text(json, "inputs");
    variant.engine = text(json, "engine");
    variant.style = text(json, "style");
    variant.session.precision = text(json, "asked_precision");
    const std::string precision = text(json, "precision");
    if (precision != "fp32") variant.stored = precision;
    variant.session.device = text(json, "device");
    variant.session.provider = text(json, "provider");
    variant.session.threads = count(json, "threads");
    const std::string level = text(json, "optimization");
    variant.session.optimization = level == "off"        ? STRATA_OPT_NONE
                                   : level == "basic"    ? STRATA_OPT_BASIC
                                   : level == "extended" ? STRATA_OPT_EXTENDED
                                                         : STRATA_OPT_ALL;
    texts(json, "options", variant.session.options);
    variant.batch = whole_or(json, "batch", 1);
    if (variant.batch < 1) wrong("a \"batch\" is below 1");
    return variant;
  }

  ProcessSamples read_process(const Json& json) {
    ProcessSamples process;
    process.open = {real(json, "open_s", 0), real(json, "first_s", 0), text(json, "engine"),
                    whole_or(json, "resident_bytes", -1)};
    process.peak_resident_bytes = whole_or(json, "peak_resident_bytes", -1);
    process.contention = {
        real(json, "wall_s", 0),  real(json, "cpu_s", 0),    whole(json, "involuntary_switches"),
        real(json, "wait_s", -1), real(json, "steal_s", -1), real(json, "pressure", -1)};
    process.joules = real(json, "joules", -1);
    numbers(json, "warmup_s", process.warmup);
    numbers(json, "block_starts_s", process.block_starts);
    lists_of_numbers(json, "blocks_s", process.blocks);
    numbers(json, "service_s", process.service);
    lists_of_numbers(json, "waits_s", process.waits);
    lists_of_numbers(json, "paces_s", process.paces);
    if (at(json, "waits_read") != nullptr) process.waits_read = flag(json, "waits_read");
    numbers(json, "block_cpu_s", process.block_cpu);
    std::vector<double> switches;
    numbers(json, "block_switches", switches);
    for (const double count : switches)
      process.block_switches.push_back(static_cast<std::int64_t>(count));
    return process;
  }

  Failure read_failure(const std::string& word) {
    if (word.empty()) return Failure::None;
    for (const Failure known : {Failure::Refused, Failure::Crashed, Failure::TimedOut,
                                Failure::OutOfMemory, Failure::WrongAnswer})
      if (failure_name(known) == word) return known;
    wrong(fmt::format("there is no failure {}", in_quotes(word)));
    return Failure::None;
  }

  void read_result(const Json& json, std::string_view where, BenchGroup& group) {
    if (!json.is_object()) return wrong(where, "is not an object");
    VariantResult result;
    result.variant = read_variant(json, group.model, group.shape);
    result.failure = read_failure(text(json, "failure"));
    result.reason = text(json, "reason");
    result.partial = flag(json, "partial");
    result.file_bytes = whole_or(json, "file_bytes", -1);
    result.joules = real(json, "joules");
    group.modelled_joules.push_back(real(json, "modelled_joules"));
    result.energy_source = text(json, "energy_source");
    result.utilization = real(json, "utilization");
    if (at(json, "drift") != nullptr) {
      const Json& drift = object(json, "drift");
      result.drift =
          Drift{real(drift, "change", 0), interval(drift, "interval").value_or(Interval{})};
    }
    if (at(json, "difference") != nullptr) {
      const Json& difference = object(json, "difference");
      OutputDifference& out = result.difference.emplace();
      out.max_error = real(difference, "max_error", null_means());
      out.relative_error = real(difference, "relative_error", null_means());
      out.sqnr = real(difference, "sqnr_db");
      out.cosine = real(difference, "cosine");
      out.top1 = real(difference, "top1");
      out.rows = static_cast<std::size_t>(count(difference, "top1_rows"));
      out.matched_boxes = real(difference, "matched_boxes");
      out.boxes = static_cast<std::size_t>(count(difference, "boxes"));
      out.worst = text(difference, "worst_output");
    }
    auto& speed_up = group.result.speed_ups.emplace_back();
    if (at(json, "speed_up") != nullptr) {
      const Json& ratio = object(json, "speed_up");
      speed_up =
          SpeedUp{real(ratio, "median", 1), interval(ratio, "interval").value_or(Interval{}),
                  real(ratio, "p99"), interval(ratio, "p99_interval"), text(ratio, "withheld")};
      if (!speed_up->withheld.empty()) speed_up->interval = {0, kInfinity};
    }
    list(json, "processes", [&](const Json& item, const std::string&) {
      result.processes.push_back(read_process(item));
    });
    group.result.variants.push_back(std::move(result));
  }

  void read_group(const Json& json, std::string_view where) {
    if (!json.is_object()) return wrong(where, "is not an object");
    BenchGroup group;
    group.model = text(json, "model");
    group.shape = text(json, "shape");
    list(json, "variants",
         [&](const Json& item, const std::string& place) { read_result(item, place, group); });
    const std::size_t end = group.result.variants.size();
    const auto index = [&](const char* key) {
      const std::int64_t number = whole(json, key);
      if (number < 0 || (static_cast<std::size_t>(number) >= end && number > 0))
        wrong(fmt::format("\"{}\" is not a variant", key));
      return good() ? static_cast<std::size_t>(number) : 0;
    };
    group.result.base = index("base");
    // Files from before `leads` have only `fastest`.
    for (const char* key : {"leads", "fastest"})
      if (at(json, key) != nullptr && !group.result.winner) {
        group.result.winner = index(key);
        if (end == 0) wrong(fmt::format("\"{}\" is not a variant", key));
      }
    indices(json, "as_fast", end, group.result.indistinct);
    indices(json, "pareto", end, group.result.pareto);
    group.result.reached = flag(json, "reached");
    group.result.stopped = flag(json, "stopped");
    group.result.seconds = real(json, "seconds", 0);
    run_.groups.push_back(std::move(group));
  }

  void read_aa(const Json& json, std::string_view where) {
    if (!json.is_object()) return wrong(where, "is not an object");
    BenchAa aa;
    aa.variant = read_variant(json, text(json, "model"), "");
    aa.check.trials = count(json, "trials");
    aa.check.pairs = count(json, "pairs");
    aa.check.false_rate = real(json, "false_rate", 0);
    aa.check.false_rate_interval = interval(json, "false_rate_interval").value_or(Interval{});
    aa.check.sequential_rate = real(json, "sequential_rate", 0);
    aa.check.smallest = real(json, "smallest_difference", null_means());
    aa.check.seconds = real(json, "seconds", 0);
    run_.aa.push_back(std::move(aa));
  }

  // Where 0.1 wrote null for infinity.
  double null_means() const {
    return schema_ == kFirstSchema ? kInfinity : std::numeric_limits<double>::quiet_NaN();
  }

  static constexpr std::int64_t kFirstSchema = 1;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::int64_t schema_ = 0;
  BenchRun run_;
};

}  // namespace

Result<BenchRun> bench_from_json(std::string_view json, std::string_view label) {
  if (json.size() > kMaxBytes)
    return JsonFields("benchmark", label)
        .failed(fmt::format("it is larger than {} MiB", kMaxBytes >> 20));
  const Json parsed = json_from_text(json, kDeepest);
  if (parsed.is_discarded()) return failure(Code::NotBenchmark, {.file = std::string(label)});
  return BenchReader(label).read(parsed);
}

}  // namespace strata
