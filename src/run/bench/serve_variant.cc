// The child's side of a worker: one engine, one model.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <new>
#include <optional>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "base/message.h"
#include "base/system_calls.h"
#include "bench/worker.h"
#include "machine/energy.h"
#include "strata/data/inputs.h"

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;

const StrataEngine* g_given = nullptr;  // set before there is a worker

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// `VmRSS` or `VmHWM` of this process; -1: not known.
std::int64_t resident_bytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field))
      return 1024 * std::strtoll(line.c_str() + field.size() + 1, nullptr, 10);
  return -1;
}

// An engine's threads look for work for a while after a run, which would slow the next variant.
void wait_for_quiet() {
  constexpr double kLongest = 2;
  const Clock::time_point start = Clock::now();
  for (int quiet = 0; quiet < 2 && seconds_since(start) < kLongest;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    quiet = system_calls::other_threads_are_busy() ? 0 : quiet + 1;
  }
}

// Sleeps until shortly before the moment, since waking up takes time, and then spins.
void wait_until(Clock::time_point moment) {
  constexpr auto kAwake = std::chrono::microseconds(300);
  if (moment - Clock::now() > kAwake) std::this_thread::sleep_until(moment - kAwake);
  while (Clock::now() < moment) {
  }
}

tl::unexpected<WorkerError> refused(const Error& error) {
  const bool memory = error.code == Code::OutOfMemory;
  return tl::unexpected(
      WorkerError{memory ? Failure::OutOfMemory : Failure::Refused, error.message});
}

class Work {
 public:
  WorkerResult<OpenReport> open(const Variant& variant);
  WorkerResult<std::vector<HostTensor>> outputs();
  WorkerResult<BlockReport> run(std::int64_t count, double max_seconds);
  WorkerResult<BlockReport> run_at(const std::vector<double>& moments);

 private:
  Status bind_next();  // binds the next inputs of a mix
  BlockReport finish(BlockReport report, ContentionMeter& meter, std::optional<double> joules);
  std::optional<double> joules_now() {
    return energy_ ? energy_->joules() : std::optional<double>();
  }

  std::optional<Engine> engine_;
  std::optional<Session> session_;
  std::vector<std::vector<HostTensor>> mix_;  // empty: one set of inputs, bound
  std::vector<std::size_t> round_;  // inputs of the mix that are still to come in this round
  std::mt19937_64 random_{0};       // every worker takes its mix in the same order
  Result<EnergyMeter> energy_ = EnergyMeter::open();
  std::optional<RunMeter> meter_;
};

// Tensors under the names of the model's inputs: matched by name, or by order if the names are
// those of another format.
Result<std::vector<HostTensor>> inputs_for(const Session& session, const std::string& file) {
  auto tensors = read_tensors(file);
  if (!tensors) return tensors;
  const std::vector<Port> ports = session.inputs();
  const bool named = std::all_of(ports.begin(), ports.end(), [&](const Port& port) {
    return std::any_of(tensors->begin(), tensors->end(),
                       [&](const HostTensor& tensor) { return tensor.name == port.name; });
  });
  if (!named && ports.size() == tensors->size())
    for (std::size_t i = 0; i < ports.size(); ++i) (*tensors)[i].name = ports[i].name;
  return tensors;
}

WorkerResult<OpenReport> Work::open(const Variant& variant) {
  OpenReport report;
  auto engine = g_given != nullptr ? Result<Engine>(Engine::from(g_given, "", nullptr))
                                   : load_engine(variant.engine, variant.engine_path);
  if (!engine) return refused(engine.error());
  engine_ = std::move(*engine);
  report.engine = fmt::format("{} {}", engine_->name(), engine_->release());

  const Clock::time_point start = Clock::now();
  auto session = engine_->open(variant.file, variant.session);
  if (!session) return refused(session.error());
  report.open_seconds = seconds_since(start);
  session_.emplace(std::move(*session));

  auto inputs = inputs_for(*session_, variant.inputs);
  if (!inputs) return refused(inputs.error());
  if (!variant.mix.empty()) mix_.push_back(*inputs);
  for (const std::string& file : variant.mix) {
    auto more = inputs_for(*session_, file);
    if (!more) return refused(more.error());
    mix_.push_back(std::move(*more));
  }
  if (auto status = session_->bind(std::move(*inputs)); !status) return refused(status.error());
  const Clock::time_point first = Clock::now();
  if (auto status = session_->run(); !status) return refused(status.error());
  report.first_seconds = seconds_since(first);
  report.resident_bytes = resident_bytes("VmRSS:");
  meter_.emplace(variant.session.threads);  // after the first run, when its threads exist
  wait_for_quiet();
  return report;
}

Status Work::bind_next() {
  if (mix_.empty()) return {};
  if (round_.empty()) {
    for (std::size_t i = 0; i < mix_.size(); ++i) round_.push_back(i);
    std::shuffle(round_.begin(), round_.end(), random_);
  }
  const std::size_t next = round_.back();
  round_.pop_back();
  return session_->bind(mix_[next]);
}

WorkerResult<std::vector<HostTensor>> Work::outputs() {
  if (!mix_.empty())
    if (auto status = session_->bind(mix_[0]); !status) return refused(status.error());
  auto trace = session_->run_traced({.kernels = false, .blocks = false, .outputs = true});
  if (!trace) return refused(trace.error());
  wait_for_quiet();
  return std::move(trace->outputs);
}

BlockReport Work::finish(BlockReport report, ContentionMeter& meter, std::optional<double> joules) {
  report.contention = meter.stop();
  report.runs = meter_->finish();
  if (const auto now = joules_now(); now && joules) report.joules = *now - *joules;
  report.peak_resident_bytes = resident_bytes("VmHWM:");
  wait_for_quiet();
  return report;
}

WorkerResult<BlockReport> Work::run(std::int64_t count, double max_seconds) {
  round_.clear();
  BlockReport report;
  report.seconds.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, 1 << 20)));
  constexpr double kPatience = 10;
  const auto joules = joules_now();
  ContentionMeter meter;
  const Clock::time_point start = Clock::now();
  for (std::int64_t i = 0; i < count; ++i) {
    if (auto status = bind_next(); !status) return refused(status.error());
    meter_->before();
    const Clock::time_point before = Clock::now();
    if (auto status = session_->run(); !status) return refused(status.error());
    const Clock::time_point after = Clock::now();
    report.seconds.push_back(std::chrono::duration<double>(after - before).count());
    meter_->after(report.seconds.back());
    const double took = std::chrono::duration<double>(after - start).count();
    if (took - meter_->waited() >= max_seconds || took >= kPatience * max_seconds) break;
  }
  return finish(std::move(report), meter, joules);
}

WorkerResult<BlockReport> Work::run_at(const std::vector<double>& moments) {
  round_.clear();
  BlockReport report;
  const auto joules = joules_now();
  ContentionMeter meter;
  // A variant that cannot keep up is not given unlimited time.
  const double longest = moments.empty() ? 0 : 2 * moments.back() + 1;
  const Clock::time_point start = Clock::now();
  for (const double moment : moments) {
    const auto asked =
        start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(moment));
    if (auto status = bind_next(); !status) return refused(status.error());
    wait_until(asked);
    meter_->before();
    const Clock::time_point before = Clock::now();
    if (auto status = session_->run(); !status) return refused(status.error());
    const Clock::time_point after = Clock::now();
    report.seconds.push_back(std::chrono::duration<double>(after - asked).count());
    report.service.push_back(std::chrono::duration<double>(after - before).count());
    meter_->after(report.service.back());
    if (seconds_since(start) > longest) break;
  }
  return finish(std::move(report), meter, joules);
}

// One answer: Failure::None and the value that was asked for, or another failure and the reason.
template <class T>
std::string answer(const WorkerResult<T>& result) {
  MessageWriter out;
  out.put(result ? Failure::None : result.error().failure);
  if (result)
    out.put(*result);
  else
    out.put(result.error().reason);
  return out.bytes();
}

std::string answer_to(Work& work, std::string_view request) {
  MessageReader in(request);
  WorkerRequest kind{};
  in.take(kind);
  switch (kind) {
    case WorkerRequest::Open: {
      Variant variant;
      in.take(variant);
      return answer(work.open(variant));
    }
    case WorkerRequest::Outputs:
      return answer(work.outputs());
    case WorkerRequest::Run: {
      std::int64_t count = 0;
      double max_seconds = 0;
      in.take(count);
      in.take(max_seconds);
      return answer(work.run(count, max_seconds));
    }
    case WorkerRequest::RunAt: {
      std::vector<double> moments;
      in.take(moments);
      return answer(work.run_at(moments));
    }
    case WorkerRequest::Job:
      break;
  }
  return answer(WorkerResult<OpenReport>(
      tl::unexpected(WorkerError{Failure::Crashed, "a request that it does not know"})));
}

}  // namespace

void give_engine(const StrataEngine* engine) { g_given = engine; }

int serve_variant(std::string request, int in, int out) {
  Work work;
  do {
    std::string reply;
    try {
      reply = answer_to(work, request);
    } catch (const std::bad_alloc&) {
      reply = answer(WorkerResult<OpenReport>(
          tl::unexpected(WorkerError{Failure::OutOfMemory, "out of memory"})));
    } catch (const std::exception& error) {
      reply = answer(
          WorkerResult<OpenReport>(tl::unexpected(WorkerError{Failure::Crashed, error.what()})));
    }
    if (!write_frame(out, reply)) return 1;
  } while (read_frame(in, request));
  return 0;
}

}  // namespace strata
