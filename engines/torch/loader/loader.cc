// The plugin that strata opens. What uses libtorch is in a library of its own beside it: so a
// libtorch that is missing, or of another version than the one that was compiled for, is a
// sentence, and what libtorch reads from the environment when it is loaded can be set before that.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "engines/plugin_failure.h"

namespace {

using strata::plugin::report;

std::string beside_this_library(const char* name) {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&beside_this_library), &info) == 0) return name;
  return (std::filesystem::path(info.dli_fname).parent_path() / name).string();
}

}  // namespace

extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  // Threads that wait by spinning make two of them slower than one on a machine that is shared.
  constexpr int kKeep = 0;
  ::setenv("OMP_WAIT_POLICY", "PASSIVE", kKeep);
  const std::string path = beside_this_library(STRATA_TORCH_WORKER);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = ::dlerror();
    const bool other = why.find("undefined symbol") != std::string::npos;
    report(error, STRATA_FAILED,
           "was built for PyTorch " STRATA_TORCH_RELEASE ", and " +
               std::string(other ? "finds another version of it" : "does not find it") + ": " +
               why + "; build the plugin again with the PyTorch that is installed");
    return nullptr;
  }
  auto* function = reinterpret_cast<StrataEngineFunction>(::dlsym(library, STRATA_ENGINE_SYMBOL));
  if (function != nullptr) return function(version, error);
  report(error, STRATA_FAILED, path + " does not export " STRATA_ENGINE_SYMBOL);
  return nullptr;
}
