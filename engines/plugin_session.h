// For plugins: the functions of the contract, made of a class with the same names.
#pragma once

#include <span>
#include <string>

#include <fmt/format.h>

#include "engines/plugin_failure.h"

namespace strata::plugin {

inline const StrataPort* port_at(std::span<const StrataPort> ports, std::uint64_t index) {
  return index < ports.size() ? &ports[index] : nullptr;
}

// The calls of the contract as calls of the session.
template <class Session>
struct Calls {
  static void open(const StrataOpen* open, Session** out) {
    if (open->size < sizeof(StrataOpen))
      throw Failure{STRATA_UNSUPPORTED, "strata is older than this plugin"};
    *out = new Session(*open);
  }
  static void bind(Session* session, const StrataTensor* inputs, std::uint64_t count) {
    session->bind({inputs, count});
  }
  static void run(Session* session) { session->run(); }
  static void run_traced(Session* session, StrataTrace* trace) { session->run_traced(*trace); }
  static void kernels(Session* session, void* user, StrataOnKernel each) {
    session->kernels(user, each);
  }
  static void plan(Session* session, void* user, StrataOnKernel each) { session->plan(user, each); }
  static void modules(Session* session, void* user, StrataOnModuleCall each) {
    session->modules(user, each);
  }
  static void record(Session* session, void* user, StrataOnText each) {
    session->record(user, each);
  }
  static int absent(Session* session, void* user, StrataOnName each) {
    try {
      for (const auto& [node, reason] : session->absent())
        if (const int stop = each(user, node.c_str(), reason.c_str()); stop != 0) return stop;
    } catch (...) {  // out of memory
    }
    return 0;
  }
};

// An engine without its facts (name, release, library, formats, devices). `Explain` says what the
// exception that is being handled means; `Probe` throws if a precision does not work on a device.
// `plan`, `modules` and `record` are there if the session has them.
template <class Session, Failure (*Explain)(), auto Probe>
StrataEngine engine_of() {
  using Call = Calls<Session>;
  StrataEngine engine{};
  engine.version = STRATA_ENGINE_VERSION;
  engine.probe = guarded<Probe, Explain, const char*, const char*>;
  engine.open = guarded<Call::open, Explain, const StrataOpen*, Session**>;
  engine.close = [](Session* s) { delete s; };
  engine.input_count = [](Session* s) { return std::uint64_t{s->inputs().size()}; };
  engine.output_count = [](Session* s) { return std::uint64_t{s->outputs().size()}; };
  engine.input = [](Session* s, std::uint64_t i) { return port_at(s->inputs(), i); };
  engine.output = [](Session* s, std::uint64_t i) { return port_at(s->outputs(), i); };
  engine.bind = guarded<Call::bind, Explain, Session*, const StrataTensor*, std::uint64_t>;
  engine.run = guarded<Call::run, Explain, Session*>;
  engine.run_traced = guarded<Call::run_traced, Explain, Session*, StrataTrace*>;
  engine.kernels = guarded<Call::kernels, Explain, Session*, void*, StrataOnKernel>;
  if constexpr (requires { &Session::plan; })
    engine.plan = guarded<Call::plan, Explain, Session*, void*, StrataOnKernel>;
  if constexpr (requires { &Session::modules; })
    engine.modules = guarded<Call::modules, Explain, Session*, void*, StrataOnModuleCall>;
  if constexpr (requires { &Session::record; })
    engine.record = guarded<Call::record, Explain, Session*, void*, StrataOnText>;
  engine.absent = Call::absent;
  engine.weight_bytes = [](Session* s) { return s->weight_bytes(); };
  engine.cancel = [](Session* s) { s->cancel(); };
  return engine;
}

template <StrataEngine (*Make)()>
void make_once(const StrataEngine** out) {
  static const StrataEngine kEngine = Make();
  *out = &kEngine;
}

// The result of `strata_engine_v2`: an engine that is made once, or nullptr and the reason.
template <Failure (*Explain)(), StrataEngine (*Make)()>
const StrataEngine* engine_or_error(std::uint32_t version, StrataError* error) {
  if (version != STRATA_ENGINE_VERSION) {
    report(
        error, STRATA_UNSUPPORTED,
        fmt::format("speaks version {} of the contract, not {}", STRATA_ENGINE_VERSION, version));
    return nullptr;
  }
  const StrataEngine* engine = nullptr;
  guarded<make_once<Make>, Explain, const StrataEngine**>(&engine, error);
  return engine;
}

}  // namespace strata::plugin
