// An engine that computes nothing: its results follow from the model, the inputs and its options
// alone. Tests of measuring run on it, and a new engine starts as a copy of it.
//
// Every node is a kernel. A kernel lasts 1 µs, and 1 ns for each 10 FLOP and each 10 bytes
// that strata counts for its nodes; unknown counts add nothing. That is divided by the
// threads, and by 2 for fp16 and bf16, by 4 for int8. From STRATA_OPT_BASIC on, an
// activation or BatchNormalization belongs to the kernel that makes its only input.
// Elements of outputs are numbers drawn from a hash of the inputs' bytes.
//
// No run takes real time, unless options say so. Each run advances a clock that starts at 0 and
// that its trace shows.
//
// Its options are in options.h. STRATA_FAKE_PROBE in the environment says how trying out a
// precision fails: crash, hang. STRATA_FAKE_PLAN=none makes it an engine that cannot list its
// kernels before a run.
#include <cstdlib>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "session.h"
#include "strata/cost/cost.h"

namespace {

using namespace strata;
using namespace strata::fake;

int give_absent(StrataSession* session, void* user, StrataOnName each) {
  for (const auto& [node, reason] : session->plan.absent)
    if (const int stop = each(user, node.c_str(), reason.c_str()); stop != 0) return stop;
  return 0;
}

std::int64_t weight_bytes(StrataSession* session) {
  return count(session->model).total.param_bytes.number().value_or(-1);
}

StrataStatus probe(const char* device, const char* precision, StrataError* error) {
  misbehave_if("STRATA_FAKE_PROBE");
  if (std::string_view(device) != "cpu")
    return fail(error, STRATA_UNSUPPORTED, fmt::format("no device \"{}\"; there is cpu", device));
  for (const std::string_view known : {"fp32", "fp16", "bf16", "int8"})
    if (known == precision) return STRATA_OK;
  return fail(error, STRATA_UNSUPPORTED, fmt::format("no precision \"{}\"", precision));
}

const StrataPort* port_at(const std::vector<OwnPort>& ports, std::uint64_t index) {
  return index < ports.size() ? &ports[index].port : nullptr;
}

// No exception may leave the plugin: it is turned into a status.
template <auto Function, class... Args>
StrataStatus guarded(Args... args, StrataError* error) noexcept {
  try {
    return Function(args..., error);
  } catch (const std::bad_alloc&) {
    return fail(error, STRATA_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& thrown) {
    return fail(error, STRATA_FAILED, thrown.what());
  }
}

const StrataEngine kEngine = {
    .version = STRATA_ENGINE_VERSION,
    .name = "fake",
    .release = STRATA_VERSION,
    .library = "",
    .formats = "onnx",
    .kernel_resolution_ns = 1,
    .devices = [](void* user, StrataOnName each) { return each(user, "cpu", "computes nothing"); },
    .probe = probe,
    .open = guarded<open_session, const StrataOpen*, StrataSession**>,
    .close = [](StrataSession* session) { delete session; },
    .input_count = [](StrataSession* session) { return std::uint64_t{session->inputs.size()}; },
    .output_count = [](StrataSession* session) { return std::uint64_t{session->outputs.size()}; },
    .input = [](StrataSession* session, std::uint64_t i) { return port_at(session->inputs, i); },
    .output = [](StrataSession* session, std::uint64_t i) { return port_at(session->outputs, i); },
    .bind = guarded<bind, StrataSession*, const StrataTensor*, std::uint64_t>,
    .run = guarded<run, StrataSession*>,
    .run_traced = guarded<run_traced, StrataSession*, StrataTrace*>,
    .kernels = guarded<give_kernels, StrataSession*, void*, StrataOnKernel>,
    .plan = guarded<give_plan, StrataSession*, void*, StrataOnKernel>,
    .modules = guarded<give_modules, StrataSession*, void*, StrataOnModuleCall>,
    .absent = give_absent,
    .weight_bytes = weight_bytes,
    .cancel = [](StrataSession* session) { session->cancelled = true; },
    .record = nullptr,  // strata reads ONNX files
};

}  // namespace

extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  static const StrataEngine kWithoutPlan = [] {
    StrataEngine engine = kEngine;
    engine.plan = nullptr;
    return engine;
  }();
  misbehave_if("STRATA_FAKE_LOAD");
  const char* plan = std::getenv("STRATA_FAKE_PLAN");
  if (version == STRATA_ENGINE_VERSION)
    return plan != nullptr && std::string_view(plan) == "none" ? &kWithoutPlan : &kEngine;
  fail(error, STRATA_UNSUPPORTED,
       fmt::format("speaks version {} of the contract, not {}", STRATA_ENGINE_VERSION, version));
  return nullptr;
}
