// ONNX Runtime as an engine of strata: the functions of the contract.
#include "engines/plugin_session.h"
#include "failure.h"
#include "library.h"
#include "probe.h"
#include "provider.h"
#include "session.h"

struct StrataSession : strata::ort::Session {
  using Session::Session;
};

namespace {

using namespace strata::ort;

int give_devices(void* user, StrataOnName each) {
  try {
    for (const Device& device : working_devices())
      if (const int stop = each(user, device.name.c_str(), device.note.c_str()); stop != 0)
        return stop;
  } catch (...) {  // none, then
  }
  return 0;
}

StrataEngine make_engine() {
  StrataEngine engine = strata::plugin::engine_of<StrataSession, explain_current, probe>();
  engine.name = "onnxruntime";
  engine.release = library().release.c_str();
  engine.library = library().path.c_str();
  engine.formats = "onnx";
  engine.kernel_resolution_ns = 1000;
  engine.devices = give_devices;
  return engine;
}

}  // namespace

extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  return strata::plugin::engine_or_error<explain_current, make_engine>(version, error);
}
