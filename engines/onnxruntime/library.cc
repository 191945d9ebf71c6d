#include "library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "failure.h"

namespace strata::ort {

namespace {

namespace fs = std::filesystem;

std::string file_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

void add_folder(const fs::path& folder, std::vector<std::string>& places) {
  places.push_back((folder / "libonnxruntime.so.1").string());
  places.push_back((folder / "libonnxruntime.so").string());
}

std::vector<std::string> places_to_look() {
  std::vector<std::string> places;
  std::error_code error;
  if (const char* given = std::getenv("STRATA_ONNXRUNTIME"); given != nullptr && *given != 0) {
    if (!fs::is_directory(given, error)) return {given};
    add_folder(given, places);
    add_folder(fs::path(given) / "lib", places);
    return places;
  }
  if (const std::string own = file_of(reinterpret_cast<const void*>(&places_to_look)); !own.empty())
    add_folder(fs::path(own).parent_path(), places);
#ifdef STRATA_ONNXRUNTIME_LIBRARY
  places.push_back(STRATA_ONNXRUNTIME_LIBRARY);
#endif
  places.push_back("libonnxruntime.so.1");
  places.push_back("libonnxruntime.so");
  return places;
}

// `1.27.0` to 27: the version of the newest interface that the library has.
std::uint32_t api_version(const std::string& release) {
  unsigned major = 0, minor = 0;
  if (std::sscanf(release.c_str(), "%u.%u", &major, &minor) != 2) return 0;
  return major > 1 ? kApiVersion : minor;
}

// Empty, or the reason why it cannot be used.
std::string try_open(const std::string& place, Library& out) {
  std::error_code error;
  if (place.find('/') != place.npos && !fs::exists(place, error)) return "not there";
  void* handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return ::dlerror();
  using GetBase = const OrtApiBase* (*)();
  const auto get_base = reinterpret_cast<GetBase>(::dlsym(handle, "OrtGetApiBase"));
  if (get_base == nullptr) return "no ONNX Runtime: it does not export OrtGetApiBase";
  out.release = get_base()->GetVersionString();
  // An older library prints a message if it is asked for this interface.
  if (api_version(out.release) < kApiVersion)
    return fmt::format("ONNX Runtime {}; 1.{} or newer is needed", out.release, kApiVersion);
  const OrtApi* api = get_base()->GetApi(kApiVersion);
  if (api == nullptr)
    return fmt::format("ONNX Runtime {} no longer has interface {}", out.release, kApiVersion);
  Ort::InitApi(api);
  out.path = file_of(reinterpret_cast<const void*>(get_base));
  return "";
}

Library find_library() {
  std::string tried;
  for (const std::string& place : places_to_look()) {
    Library found;
    const std::string why = try_open(place, found);
    if (why.empty()) return found;
    tried += fmt::format("\n    {}: {}", place, why);
  }
  throw Failure{STRATA_UNSUPPORTED,
                fmt::format("no ONNX Runtime; set STRATA_ONNXRUNTIME to one. Tried{}", tried)};
}

// Messages that matter to users come back with failures; the rest is for its developers.
void keep_quiet(void*, OrtLoggingLevel, const char*, const char*, const char*, const char*) {}

}  // namespace

const Library& library() {
  static const Library kLibrary = find_library();
  return kLibrary;
}

Ort::Env& environment() {
  // Some releases send usage data unless this is set before they start.
  static Ort::Env* env = [] {
    library();
    ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);
    auto* made = new Ort::Env(ORT_LOGGING_LEVEL_ERROR, "strata", keep_quiet, nullptr);
    made->DisableTelemetryEvents();
    return made;  // never destroyed: its threads may outlive static objects
  }();
  return *env;
}

}  // namespace strata::ort
