// The plugin that strata opens. What uses OpenVINO is in a library of its own beside it, which is
// bound to one release of OpenVINO: one that is missing, or another release, is a sentence.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engines/plugin_failure.h"

namespace {

using strata::plugin::report;

namespace fs = std::filesystem;

fs::path own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return ".";
  return fs::path(info.dli_fname).parent_path();
}

// The folders in which the library may be below one that the user names: itself, a Python package,
// or a Python environment.
void add_places(const fs::path& folder, std::vector<fs::path>& places) {
  for (const char* below : {".", "libs", "openvino/libs", "packages/openvino/libs", "lib"})
    places.push_back((folder / below / STRATA_OPENVINO_SONAME).lexically_normal());
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "lib", error))
    if (entry.path().filename().string().starts_with("python"))
      places.push_back(entry.path() / "site-packages/openvino/libs" / STRATA_OPENVINO_SONAME);
}

std::vector<fs::path> places_to_look() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("STRATA_OPENVINO"); given != nullptr && *given != 0) {
    add_places(given, places);
    return places;
  }
  places.push_back(own_folder() / STRATA_OPENVINO_SONAME);
  places.push_back(fs::path(STRATA_OPENVINO_LIBS) / STRATA_OPENVINO_SONAME);
  return places;
}

}  // namespace

extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  std::string tried;
  void* runtime = nullptr;
  for (const fs::path& place : places_to_look()) {
    std::error_code missing;
    const bool there = fs::exists(place, missing);
    if (there) runtime = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (runtime != nullptr) break;
    tried += "\n    " + place.string() + ": " + (there ? ::dlerror() : "not there");
  }
  if (runtime == nullptr) {
    report(error, STRATA_FAILED,
           "needs OpenVINO " STRATA_OPENVINO_RELEASE
           " of pip's package openvino; set STRATA_OPENVINO to the folder that it is installed "
           "in. Tried" +
               tried);
    return nullptr;
  }
  const std::string path = (own_folder() / STRATA_OPENVINO_WORKER).string();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    report(error, STRATA_FAILED,
           "was built for OpenVINO " STRATA_OPENVINO_RELEASE " and cannot use this one: " +
               std::string(::dlerror()));
    return nullptr;
  }
  auto* function = reinterpret_cast<StrataEngineFunction>(::dlsym(library, STRATA_ENGINE_SYMBOL));
  if (function != nullptr) return function(version, error);
  report(error, STRATA_FAILED, path + " does not export " STRATA_ENGINE_SYMBOL);
  return nullptr;
}
