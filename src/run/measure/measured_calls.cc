#include "strata/measure/measured_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "measure/kernel_times.h"
#include "measure/runs.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kFormat = 1;
constexpr std::string_view kMark = "strata_measured";

// Reads one member after another; what is wrong first is kept.
class Reader {
 public:
  Reader(const Json& json, std::string_view label) : json_(json), label_(label) {}

  Result<MeasuredCalls> read() {
    if (!json_.is_object() || !json_.contains(kMark))
      return failure(Code::FormatUnknown, {.file = std::string(label_)},
                     fmt::format("{}: it is not a file of measured calls", label_));
    if (json_[kMark] != kFormat) wrong(kMark, "is of another version of strata");
    MeasuredCalls out;
    out.engine = member("engine").is_string() ? member("engine").get<std::string>() : "";
    out.threads = static_cast<int>(std::clamp(number("threads"), 0.0, 1e6));
    out.first_seconds = number("first_s");
    out.warmup = numbers(member("warmup_s"), "warmup_s");
    out.probe = {number("probe_inside_s"), number("probe_total_s")};
    out.partial = member("partial") == true;
    out.runs = numbers(member("runs_s"), "runs_s");
    out.waits = numbers(member("waits_s"), "waits_s");
    out.recorded = numbers(member("recorded_s"), "recorded_s");
    out.recorded_waits = numbers(member("recorded_waits_s"), "recorded_waits_s");
    out.sessions = sizes("sessions", out.runs.size());
    out.recorded_sessions = sizes("recorded_sessions", out.recorded.size());
    if (!out.waits.empty() && out.waits.size() != out.runs.size())
      wrong("waits_s", "has another length than runs_s");
    if (!out.recorded_waits.empty() && out.recorded_waits.size() != out.recorded.size())
      wrong("recorded_waits_s", "has another length than recorded_s");
    if (out.runs.empty()) wrong("runs_s", "is empty");
    for (const Json& call : member("calls")) out.calls.push_back(read_call(call, out));
    if (!problem_.empty()) return failure(problem_);
    return out;
  }

 private:
  void wrong(std::string_view member, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: its \"{}\" {}", label_, member, what);
  }
  const Json& member(std::string_view name) const {
    static const Json kNothing;
    const auto found = json_.find(name);
    return found == json_.end() ? kNothing : *found;
  }
  double number(std::string_view name) {
    const Json& value = member(name);
    if (value.is_number()) return value.get<double>();
    if (!value.is_null()) wrong(name, "is not a number");
    return 0;
  }
  std::vector<double> numbers(const Json& list, std::string_view name) {
    std::vector<double> out;
    if (list.is_null()) return out;
    if (!list.is_array()) wrong(name, "is not a list");
    for (const Json& one : list)
      if (one.is_number() && one.get<double>() >= 0)
        out.push_back(one.get<double>());
      else
        wrong(name, "has something else than times");
    return out;
  }
  std::vector<std::size_t> sizes(std::string_view name, std::size_t all) {
    std::vector<std::size_t> out;
    std::size_t sum = 0;
    for (const double one : numbers(member(name), name))
      sum += out.emplace_back(static_cast<std::size_t>(std::min(one, 1e9)));
    if (sum != all) wrong(name, "does not add up to the number of runs");
    return out;
  }
  MeasuredCall read_call(const Json& json, const MeasuredCalls& out) {
    MeasuredCall call;
    if (!json.is_array() || json.size() < 3 || !json[0].is_string() ||
        !json[1].is_number_unsigned()) {
      wrong("calls", "has an entry that is not a path, number and list of times");
      return call;
    }
    call.path = json[0].get<std::string>();
    call.call = json[1].get<std::uint32_t>();
    call.seconds = numbers(json[2], "calls");
    if (!call.seconds.empty() && call.seconds.size() != out.recorded.size())
      wrong("calls", "has an entry with another number of times than there are recorded runs");
    if (json.size() < 4 || json[3].is_null()) return call;
    const auto bytes = numbers(json[3], "calls");
    if (bytes.size() != 4) {
      wrong("calls", "has an entry whose memory is not four numbers");
      return call;
    }
    const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(bytes[i]); };
    call.memory = KernelMemory{{}, whole(0), whole(1), whole(2), whole(3)};
    return call;
  }

  const Json& json_;
  std::string_view label_;
  std::string problem_;
};

// The keys of the nodes that each module call runs itself.
class NodesOfCalls {
 public:
  explicit NodesOfCalls(const Model& model) {
    const std::vector<std::string> keys = node_keys(model);  // the network's own come first
    const NodeList& nodes = model.graph().nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Scope& scope = model.scopes[nodes[i].scope];
      keys_[{scope.path, scope.call}].push_back(keys[i]);
      types_[{scope.path, scope.call}] = scope.cls;
    }
  }
  // A kernel that does the work of a call; without sources if the call runs no node.
  Kernel kernel(const MeasuredCall& call) const {
    Kernel kernel;
    kernel.name = call.path;
    const auto found = keys_.find({call.path, call.call});
    if (found == keys_.end()) return kernel;
    kernel.sources = found->second;
    kernel.op = types_.at(found->first);
    return kernel;
  }

 private:
  using Call = std::pair<std::string_view, std::uint32_t>;
  std::map<Call, std::vector<std::string>> keys_;
  std::map<Call, std::string_view> types_;
};

}  // namespace

Result<MeasuredCalls> read_measured_calls(std::string_view json, std::string_view label) {
  const auto parsed = parse_json(json);
  if (!parsed)
    return failure(Code::FileBroken, {.file = std::string(label), .name = "measured calls"},
                   fmt::format("{}: {}", label, parsed.error().message));
  return Reader(*parsed, label).read();
}

Timing timing_of(const MeasuredCalls& calls, const Model& model) {
  Timing timing;
  timing.open_seconds = -1;  // the caller says nothing about these
  timing.contention.cpu_seconds = -1;
  timing.contention.involuntary = -1;
  timing.first_seconds = calls.first_seconds;
  timing.warmup = calls.warmup;
  timing.probe = calls.probe;
  timing.partial = calls.partial;
  KernelCollector kernels(timing);
  const NodesOfCalls nodes(model);
  double run = 0;
  for (const MeasuredCall& call : calls.calls) {
    Kernel kernel = nodes.kernel(call);
    kernel.start_ns = static_cast<std::int64_t>(run++);
    kernels.add(std::move(kernel), call.seconds);
  }
  combine(timing, kernels, {calls.runs, calls.waits, {}, calls.sessions},
          {calls.recorded, calls.recorded_waits, {}, calls.recorded_sessions}, calls.threads);
  std::erase_if(timing.kernels,
                [](const KernelTimes& times) { return times.kernel.sources.empty(); });
  for (std::size_t i = 0; i < calls.runs.size(); ++i) {
    timing.contention.wall_seconds += calls.runs[i];
    if (calls.waits.empty()) continue;
    timing.contention.wait_seconds = std::max(0.0, timing.contention.wait_seconds) + calls.waits[i];
  }
  timing.waits_read = !calls.waits.empty();
  return timing;
}

std::optional<MemoryTrace> memory_of(const MeasuredCalls& calls, const Model& model) {
  MemoryTrace trace;
  const NodesOfCalls nodes(model);
  for (const MeasuredCall& call : calls.calls) {
    if (!call.memory) continue;
    KernelMemory memory = *call.memory;
    memory.kernel = nodes.kernel(call);
    if (memory.kernel.sources.empty()) continue;
    if (memory.peak > trace.peak) {
      trace.peak = memory.peak;
      trace.peak_kernel = trace.kernels.size();
    }
    trace.kernels.push_back(std::move(memory));
  }
  if (trace.kernels.empty()) return std::nullopt;
  return trace;
}

}  // namespace strata
