// OpenVINO as an engine of strata: the functions of the contract.
#include <dlfcn.h>

#include <openvino/core/version.hpp>
#include <openvino/runtime/properties.hpp>

#include "engines/plugin_session.h"
#include "failure.h"
#include "model_file.h"
#include "probe.h"
#include "session.h"

struct StrataSession : strata::openvino::Session {
  using Session::Session;
};

namespace {

using namespace strata::openvino;

int give_devices(void* user, StrataOnName each) {
  try {
    const std::string name = core().get_property("CPU", ov::device::full_name);
    return each(user, "cpu", name.c_str());
  } catch (...) {  // none, then
  }
  return 0;
}

// `2026.4.1-22982-…` without the build.
std::string release() {
  const std::string_view build = ov::get_openvino_version().buildNumber;
  return std::string(build.substr(0, build.find('-')));
}

std::string library_file() {
  Dl_info info{};
  const auto* function = reinterpret_cast<const void*>(&ov::get_openvino_version);
  return ::dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

StrataEngine make_engine() {
  static const std::string kRelease = release();
  static const std::string kLibrary = library_file();
  StrataEngine engine = strata::plugin::engine_of<StrataSession, current_failure, probe>();
  engine.name = "openvino";
  engine.release = kRelease.c_str();
  engine.library = kLibrary.c_str();
  engine.formats = "onnx openvino";
  engine.kernel_resolution_ns = 1000;
  engine.devices = give_devices;
  return engine;
}

}  // namespace

extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  return strata::plugin::engine_or_error<current_failure, make_engine>(version, error);
}
