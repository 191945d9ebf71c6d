// PyTorch as an engine of strata: the functions of the contract.
#include <c10/util/Exception.h>

#include "engines/plugin_session.h"
#include "failure.h"
#include "session.h"

struct StrataSession : strata::libtorch::Session {
  using Session::Session;
};

namespace {

using namespace strata::libtorch;

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
  StrataEngine engine = strata::plugin::engine_of<StrataSession, explain_current, probe>();
  engine.name = "torch";
  engine.release = TORCH_VERSION;
  engine.library = STRATA_TORCH_LIBRARY;
  engine.formats = "torchscript aotinductor";
  engine.kernel_resolution_ns = 1;
  engine.devices = [](void* user, StrataOnName each) { return each(user, "cpu", ""); };
  return engine;
}

}  // namespace

// Called by loader.cc, which is the plugin that strata opens.
extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  return strata::plugin::engine_or_error<explain_current, make_engine>(version, error);
}
