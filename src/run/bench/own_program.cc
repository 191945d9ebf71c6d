#include "bench/own_program.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "base/system_calls.h"

namespace strata {

namespace {

struct Elsewhere {
  std::mutex mutex;
  std::optional<std::string> program;  // nullopt: this process is strata
};

Elsewhere& elsewhere() {
  static Elsewhere place;
  return place;
}

}  // namespace

Result<std::string> own_program() {
  Elsewhere& place = elsewhere();
  const std::lock_guard lock(place.mutex);
  if (!place.program) return system_calls::own_program_to_start();
  if (place.program->empty())
    return failure(
        "this starts processes of the program strata, which is not beside the library; run the "
        "program itself",
        ErrorKind::Usage);
  return *place.program;
}

std::string engine_program(std::string_view engine) {
  const char* variable = std::getenv("STRATA_ENGINE_PROGRAMS");
  std::string_view list = variable == nullptr ? "" : variable;
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(':'));
    list.remove_prefix(std::min(entry.size() + 1, list.size()));
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos && entry.substr(0, equals) == engine)
      return std::string(entry.substr(equals + 1));
  }
  return "";
}

void set_own_program(std::string path) {
  Elsewhere& place = elsewhere();
  const std::lock_guard lock(place.mutex);
  place.program = std::move(path);
}

}  // namespace strata
