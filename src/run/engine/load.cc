#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/system_calls.h"
#include "strata/engine/engine.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libstrata_engine_";
constexpr std::string_view kSuffix = ".so";

void add_folders(std::string_view list, std::vector<std::string>& folders) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) folders.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// Only letters, digits and underscores: a name, not a path.
bool is_plain(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

// Null if it does not exist or does not work; `why` says which.
const StrataEngine* open_plugin(const std::string& path, std::shared_ptr<void>& library,
                                std::string& why) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    why = "not there";
    return nullptr;
  }
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    why = ::dlerror();
    return nullptr;
  }
  // Never closed: engines start threads and register things that outlive a session.
  library = std::shared_ptr<void>(handle, [](void*) {});
  auto* function = reinterpret_cast<StrataEngineFunction>(::dlsym(handle, STRATA_ENGINE_SYMBOL));
  if (function == nullptr) {
    why =
        fmt::format("does not export {}: made for another version of strata", STRATA_ENGINE_SYMBOL);
    return nullptr;
  }
  StrataError message{};
  const StrataEngine* api = function(STRATA_ENGINE_VERSION, &message);
  if (api == nullptr) why = message.message;
  return api;
}

}  // namespace

std::vector<std::string> engine_folders(const std::string& engine_path) {
  std::vector<std::string> folders;
  add_folders(engine_path, folders);
  if (const char* variable = std::getenv("STRATA_ENGINE_PATH")) add_folders(variable, folders);
  std::error_code error;
  const fs::path program = system_calls::own_program_file();
  if (!program.empty()) {
    folders.push_back((program.parent_path() / "engines").string());
    folders.push_back(program.parent_path().string());
    // Installed: PREFIX/bin/strata and PREFIX/lib/strata/engines.
    folders.push_back(
        (program.parent_path().parent_path() / STRATA_LIBDIR / "strata" / "engines").string());
  }
  return folders;
}

Result<Engine> load_engine(const std::string& name, const std::string& engine_path) {
  if (!is_plain(name)) return failure(Code::EngineName, {.name = name});
  std::string tried;
  for (const std::string& folder : engine_folders(engine_path)) {
    const std::string path = fmt::format("{}/{}{}{}", folder, kPrefix, name, kSuffix);
    std::shared_ptr<void> library;
    std::string why;
    if (const StrataEngine* api = open_plugin(path, library, why))
      return Engine::from(api, path, std::move(library));
    tried += fmt::format("\n  {}: {}", path, why);
  }
  return failure(Code::EngineMissing, {.name = name,
                                       .found = tried.empty() ? "nothing" : tried.substr(3),
                                       .detail = did_you_mean(name, engine_names(engine_path))});
}

std::vector<std::string> engine_names(const std::string& engine_path) {
  std::vector<std::string> names;
  for (const std::string& folder : engine_folders(engine_path)) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string file = entry.path().filename().string();
      if (!file.starts_with(kPrefix) || !file.ends_with(kSuffix)) continue;
      const std::string name =
          file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
      if (is_plain(name) && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace strata
