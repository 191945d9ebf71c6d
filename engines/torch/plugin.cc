// PyTorch as an engine of strata: the functions of the contract.
#include <c10/util/Exception.h>

#include <fmt/format.h>

#include "failure.h"
#include "session.h"
#include "strata/engine/plugin.h"

struct StrataSession : strata::libtorch::Session {
  using Session::Session;
};

namespace {

using namespace strata::libtorch;

const StrataPort* port_at(std::span<const StrataPort> ports, std::uint64_t index) {
  return index < ports.size() ? &ports[index] : nullptr;
}

// Libtorch writes warnings for its own developers to standard error.
class Silence : public c10::WarningHandler {
 public:
#if TORCH_VERSION_MAJOR >= 2
  void process(const c10::Warning&) override {}
#else
  void process(const c10::SourceLocation&, const std::string&, const bool) override {}
#endif
};

void keep_silent() {
  static Silence silence;
#if TORCH_VERSION_MAJOR >= 2
  c10::WarningUtils::set_warning_handler(&silence);
#else
  c10::Warning::set_warning_handler(&silence);
#endif
}

StrataEngine make_engine() {
  keep_silent();
  StrataEngine engine{};
  engine.version = STRATA_ENGINE_VERSION;
  engine.name = "torch";
  engine.release = TORCH_VERSION;
  engine.library = STRATA_TORCH_LIBRARY;
  engine.formats = "torchscript aotinductor";
  engine.kernel_resolution_ns = 1;
  engine.devices = [](void* user, StrataOnName each) { return each(user, "cpu", ""); };
  engine.probe =
      guarded<[](const char* device, const char* precision) { probe(device, precision); },
              const char*, const char*>;
  engine.open =
      guarded<[](const StrataOpen* open, StrataSession** out) { *out = new StrataSession(*open); },
              const StrataOpen*, StrataSession**>;
  engine.close = [](StrataSession* session) { delete session; };
  engine.input_count = [](StrataSession* s) { return std::uint64_t{s->inputs().size()}; };
  engine.output_count = [](StrataSession* s) { return std::uint64_t{s->outputs().size()}; };
  engine.input = [](StrataSession* s, std::uint64_t i) { return port_at(s->inputs(), i); };
  engine.output = [](StrataSession* s, std::uint64_t i) { return port_at(s->outputs(), i); };
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
  engine.modules = guarded<[](StrataSession* session, void* user, StrataOnModuleCall each) {
    session->modules(user, each);
  },
                           StrataSession*, void*, StrataOnModuleCall>;
  engine.absent = [](StrataSession* session, void* user, StrataOnName each) {
    return session->absent(user, each);
  };
  engine.weight_bytes = [](StrataSession* session) { return session->weight_bytes(); };
  engine.cancel = [](StrataSession* session) { session->cancel(); };
  engine.record = guarded<[](StrataSession* session, void* user, StrataOnText each) {
    session->record(user, each);
  },
                          StrataSession*, void*, StrataOnText>;
  return engine;
}

}  // namespace

// Called by loader.cc, which is the plugin that strata opens.
extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  if (version != STRATA_ENGINE_VERSION) {
    report(
        error, STRATA_UNSUPPORTED,
        fmt::format("speaks version {} of the contract, not {}", STRATA_ENGINE_VERSION, version));
    return nullptr;
  }
  static const StrataEngine kEngine = make_engine();
  return &kEngine;
}
