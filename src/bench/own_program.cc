#include "bench/own_program.h"

#include <mutex>
#include <optional>
#include <utility>

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
  if (!place.program) return std::string("/proc/self/exe");
  if (place.program->empty())
    return failure(
        "this starts processes of the program strata, which is not beside the library; run the "
        "program itself",
        ErrorKind::Usage);
  return *place.program;
}

void set_own_program(std::string path) {
  Elsewhere& place = elsewhere();
  const std::lock_guard lock(place.mutex);
  place.program = std::move(path);
}

}  // namespace strata
