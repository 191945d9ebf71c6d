// ONNX Runtime as an engine of strata: the functions of the contract.
#include <memory>

#include <fmt/format.h>

#include "failure.h"
#include "library.h"
#include "probe.h"
#include "provider.h"
#include "session.h"
#include "strata/engine/plugin.h"

struct StrataSession : strata::ort::Session {
  using Session::Session;
};

namespace {

using namespace strata::ort;

const StrataPort* port_at(std::span<const StrataPort> ports, std::uint64_t index) {
  return index < ports.size() ? &ports[index] : nullptr;
}

void open_session(const StrataOpen* open, StrataSession** out) {
  if (open->size < sizeof(StrataOpen))
    throw Failure{STRATA_UNSUPPORTED, "strata is older than this plugin"};
  *out = new StrataSession(*open);
}

int give_devices(void* user, StrataOnName each) {
  try {
    for (const Device& device : working_devices())
      if (const int stop = each(user, device.name.c_str(), device.note.c_str()); stop != 0)
        return stop;
  } catch (...) {  // none, then
  }
  return 0;
}

int give_absent(StrataSession* session, void* user, StrataOnName each) {
  try {
    for (const auto& [node, reason] : session->absent())
      if (const int stop = each(user, node.c_str(), reason.c_str()); stop != 0) return stop;
  } catch (...) {  // out of memory
  }
  return 0;
}

StrataEngine make_engine() {
  StrataEngine engine{};
  engine.version = STRATA_ENGINE_VERSION;
  engine.name = "onnxruntime";
  engine.release = library().release.c_str();
  engine.library = library().path.c_str();
  engine.formats = "onnx";
  engine.kernel_resolution_ns = 1000;
  engine.devices = give_devices;
  engine.probe =
      guarded<[](const char* device, const char* precision) { probe(device, precision); },
              const char*, const char*>;
  engine.open = guarded<open_session, const StrataOpen*, StrataSession**>;
  engine.close = [](StrataSession* session) { delete session; };
  engine.input_count = [](StrataSession* s) { return std::uint64_t{s->ports().inputs().size()}; };
  engine.output_count = [](StrataSession* s) { return std::uint64_t{s->ports().outputs().size()}; };
  engine.input = [](StrataSession* s, std::uint64_t i) { return port_at(s->ports().inputs(), i); };
  engine.output = [](StrataSession* s, std::uint64_t i) {
    return port_at(s->ports().outputs(), i);
  };
  engine.bind =
      guarded<[](StrataSession* session, const StrataTensor* inputs, std::uint64_t count) {
        session->bind({inputs, count});
      },
              StrataSession*, const StrataTensor*, std::uint64_t>;
  engine.run = guarded<[](StrataSession* session) { session->run(); }, StrataSession*>;
  engine.run_traced =
      guarded<[](StrataSession* session, StrataTrace* trace) { session->run_traced(*trace); },
              StrataSession*, StrataTrace*>;
  engine.kernels = guarded<[](StrataSession* session, void* user, StrataOnKernel each) {
    session->kernels(user, each);
  },
                           StrataSession*, void*, StrataOnKernel>;
  engine.plan = guarded<[](StrataSession* session, void* user, StrataOnKernel each) {
    session->plan(user, each);
  },
                        StrataSession*, void*, StrataOnKernel>;
  engine.absent = give_absent;
  engine.weight_bytes = [](StrataSession* session) { return session->weight_bytes(); };
  engine.cancel = [](StrataSession* session) { session->cancel(); };
  return engine;
}

}  // namespace

extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  if (version != STRATA_ENGINE_VERSION) {
    report(
        error, STRATA_UNSUPPORTED,
        fmt::format("speaks version {} of the contract, not {}", STRATA_ENGINE_VERSION, version));
    return nullptr;
  }
  try {
    static const StrataEngine kEngine = make_engine();
    return &kEngine;
  } catch (const Failure& failure) {
    report(error, failure.status, failure.message);
  } catch (const std::exception& thrown) {
    report(error, STRATA_FAILED, thrown.what());
  }
  return nullptr;
}
