#include "base/system_library.h"

#include <dlfcn.h>

#include <stdexcept>

#include <fmt/format.h>

namespace strata {

Status SystemLibrary::open() {
  if (handle_.load(std::memory_order_acquire) != nullptr) return {};
  void* handle = ::dlopen(file_, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr)
    return failure(
        fmt::format("the library {} is needed and cannot be opened: {}", file_, ::dlerror()));
  handle_.store(handle, std::memory_order_release);
  return {};
}

void* SystemLibrary::find(const char* function) {
  void* handle = handle_.load(std::memory_order_acquire);
  void* address = handle != nullptr ? ::dlsym(handle, function) : nullptr;
  if (address == nullptr) throw std::runtime_error(fmt::format("{} gives no {}", file_, function));
  return address;
}

}  // namespace strata
