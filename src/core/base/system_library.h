// Libraries of the system that only some commands need, opened on their first use. Linked in the
// usual way, libzip and what it needs would take longer to load than a model takes to profile.
#pragma once

#include <atomic>

#include "strata/base/result.h"

namespace strata {

class SystemLibrary {
 public:
  // `file` is the name that the dynamic linker knows: `libzip.so.4`.
  constexpr explicit SystemLibrary(const char* file) : file_(file) {}

  // Opens it, once for the process. An error says what cannot be opened, and why.
  Status open();
  // A function of the library, which has been opened. Throws if it has no such function.
  void* find(const char* function);

 private:
  const char* file_;
  std::atomic<void*> handle_ = nullptr;  // never closed
};

// A function of such a library. It has the name and the type that the library's header declares,
// but is in strata's namespace, where it is found first: calls look as if it were linked.
template <class F>
class LibraryFunction;

template <class R, class... Args>
class LibraryFunction<R(Args...)> {
 public:
  constexpr LibraryFunction(SystemLibrary& library, const char* name)
      : library_(library), name_(name) {}

  R operator()(Args... args) {
    R (*function)(Args...) = function_.load(std::memory_order_acquire);
    if (function == nullptr) {
      function = reinterpret_cast<R (*)(Args...)>(library_.find(name_));
      function_.store(function, std::memory_order_release);
    }
    return function(args...);
  }

 private:
  SystemLibrary& library_;
  const char* name_;
  std::atomic<R (*)(Args...)> function_ = nullptr;
};

}  // namespace strata
