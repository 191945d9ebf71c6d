#include "task/try_engine.h"

#include <fmt/format.h>

#include "engine/confine.h"
#include "strata/engine/engine.h"
#include "task/job_process.h"

namespace strata {

namespace {

// Why a precision does not work on a device; empty if it does.
std::string problem_of(const Engine& engine, const std::string& device,
                       const std::string& precision, const Observer& observer) {
  const Status status = engine.probe(device, precision);
  if (status) return "";
  const std::string prefix = fmt::format("{} {}: ", engine.name(), engine.release());
  std::string why = observer.phrased(status.error());
  if (why.starts_with(prefix)) why.erase(0, prefix.size());
  return why;
}

}  // namespace

Result<TriedEngine> run_try_job(const TryRequest& request, const Observer& observer) {
  const auto engine = load_engine(request.name, request.path);
  if (!engine) return failure(engine);
  TriedEngine out{.name = std::string(engine->name())};
  out.release = engine->release();
  out.plugin = engine->plugin();
  out.library = engine->library();
  out.formats = engine->formats();
  if (!request.device.empty())
    out.devices.push_back({request.device, ""});
  else
    for (const Engine::Device& device : engine->devices())
      out.devices.push_back({device.name, device.note});
  for (TriedDevice& device : out.devices)
    for (const std::string& precision : request.precisions)
      device.precisions.push_back(
          {precision, problem_of(*engine, device.name, precision, observer)});
  return out;
}

Result<TriedEngine> try_engine(const TryRequest& request, const Observer& observer) {
  Observer quiet;  // an engine that is tried has no stages of its own
  quiet.phrase = observer.phrase;
  quiet.stop = observer.stop;
  // No model of a user is run here, so a machine that cannot confine it is no reason to refuse.
  const JobPlace place{.kind = JobKind::Try,
                       .program = request.program,
                       .engine = request.name,
                       .max_wait_seconds = request.seconds,
                       .on_stop = OnStop::End,
                       .trust_model = !can_confine()};
  auto tried = run_job_in_child<TriedEngine>(place, request, quiet);
  if (tried) return tried;
  const Error& error = tried.error();
  if (error.code == Code::EngineSilent)
    return TriedEngine{
        .name = request.name,
        .failed = fmt::format("did not answer within {:g} s when it was tried", request.seconds),
        .timed_out = true};
  if (error.code == Code::EngineDied)
    return TriedEngine{.name = request.name,
                       .failed = fmt::format("{} when it was tried", error.fields().detail)};
  return tried;
}

}  // namespace strata
